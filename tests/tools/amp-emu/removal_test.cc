// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of measuring a removal, as far as every machine agrees on it.
#include "amp-emu/removal.h"

#include <gtest/gtest.h>
#include <system_error>

namespace amp {

TEST(Removal, TakesTimeOnOneCpuAndOnAll) {
  const CpuList allowed = allowed_cpus();
  for (const CpuList &cpus : {CpuList{allowed.front()}, allowed}) {
    const int ns = measure_removal_ns(cpus);
    EXPECT_GE(ns, 1);
    EXPECT_LT(ns, 100000); // more than any cache line's way through a machine
  }
}

TEST(Removal, LeavesTheCallersCpusAlone) {
  const CpuList before = allowed_cpus();
  measure_removal_ns(before);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Removal, RefusesACpuThatIsNotThere) {
  EXPECT_THROW(measure_removal_ns({cpu_limit - 1}), std::system_error);
}

} // namespace amp
