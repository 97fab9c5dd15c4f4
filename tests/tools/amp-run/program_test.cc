// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of recognizing other OpenMP runtimes by name.
#include "amp-run/program.h"

#include <gtest/gtest.h>

namespace amp {

TEST(OtherRuntime, IsKnownByTheStemOfItsName) {
  for (const char *file : {"libomp.so", "/usr/lib/llvm-14/lib/libomp.so.5", "libiomp5.so",
                           "/opt/intel/libiomp5.so", "libnvomp.so", "libomp-a34b3233.so.5"})
    EXPECT_NE(other_runtime_owner(file), "") << file;
}

TEST(OtherRuntime, IsNotSeenInOthersNames) {
  for (const char *file :
       {"libgomp.so.1", "libgomp-a34b3233.so.1.0.0", "libompi.so", "libomptarget.so", "libomp",
        "/libomp.so/libc.so.6", "xlibomp.so", "libompd.so", "libomp.a", ""})
    EXPECT_EQ(other_runtime_owner(file), "") << file;
}

} // namespace amp
