// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of reading the loader's answer.
#include "amp-run/loader-list.h"

#include <gtest/gtest.h>

namespace amp {

TEST(LoaderList, ReadsEveryFormOfLine) {
  const std::string listing = "\tlinux-vdso.so.1 (0x00007ffd)\n"
                              "\t/opt/amp/lib/libgomp.so.1 (0x00007f01)\n"
                              "\tlibc.so.6 => /lib/x86 64/libc.so.6 (0x00007f02)\n"
                              "\tlibomp.so.5 => not found\n"
                              "\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n";
  EXPECT_EQ(parse_loader_list(listing),
            (std::vector<std::string>{"linux-vdso.so.1", "/opt/amp/lib/libgomp.so.1",
                                      "/lib/x86 64/libc.so.6", "libomp.so.5",
                                      "/lib64/ld-linux-x86-64.so.2"}));
}

TEST(LoaderList, IgnoresAllElse) {
  EXPECT_TRUE(parse_loader_list("").empty());
  EXPECT_TRUE(parse_loader_list("\tstatically linked\nnot a dynamic executable\n\n").empty());
}

} // namespace amp
