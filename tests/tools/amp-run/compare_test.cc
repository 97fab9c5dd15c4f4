// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of comparing what runs print.
#include "amp-run/tune/compare.h"

#include <gtest/gtest.h>

namespace amp {

TEST(Compare, LinesAreAlikeButForRounding) {
  for (const auto &[a, b] :
       {std::pair("a b", "a b"), std::pair("x = 1.0000000", "x = 1.0000005"),
        std::pair("1.5e-30", "1.5000001e-30"), std::pair("1.0D+02", "100.00000"),
        std::pair("[ 9.9999999]", "[10.0000000]"), std::pair("", "")})
    EXPECT_TRUE(alike(a, b, {})) << a << ", " << b;
  for (const auto &[a, b] :
       {std::pair("a b", "a c"), std::pair("1.00000", "1.00001"),
        std::pair("1234567890", "1234567891"), std::pair("1.0", "-1.0"), std::pair("1.0", "1.0 "),
        std::pair("1.0", "1.0x"), std::pair("a1", "a"), std::pair("1e400", "1.0")})
    EXPECT_FALSE(alike(a, b, {})) << a << ", " << b;
}

TEST(Compare, ANumberOfThreadsMayBeTheOther) {
  EXPECT_TRUE(alike("8 threads", "12 threads", {8, 12}));
  EXPECT_FALSE(alike("12 threads", "8 threads", {8, 12}));
  EXPECT_FALSE(alike("8.0", "12.0", {8, 12}));
  EXPECT_FALSE(alike("8 threads", "12 threads", {}));
}

TEST(Compare, LinesThatVaryAreLeftOut) {
  Reference reference;
  reference.add("a\ntime 1.5\nb\n");
  EXPECT_EQ(reference.difference("a\ntime 2.5\nb\n", {}), "line 2 is 'time 2.5', not 'time 1.5'");
  reference.add("a\ntime 1.7\nb\n");
  EXPECT_FALSE(reference.difference("a\ntime 2.5\nb\n", {}));
  EXPECT_EQ(reference.difference("a\ntime 2.5\nc\n", {}), "line 3 is 'c', not 'b'");
  EXPECT_EQ(reference.difference("a\ntime 2.5\n", {}), "2 lines, not 3");
  EXPECT_EQ(reference.difference("a\n2\nb\nc\n", {}), "4 lines, not 3");
  EXPECT_TRUE(reference.difference("", {}));
}

TEST(Compare, OrderCountsUnlessItVaries) {
  Reference reference;
  reference.add("rank 0: 1.5\nrank 1: 2.5\n");
  EXPECT_TRUE(reference.difference("rank 1: 2.5\nrank 0: 1.5\n", {}));
  reference.add("rank 1: 2.5\nrank 0: 1.5\n");
  EXPECT_FALSE(reference.difference("rank 0: 1.5000001\nrank 1: 2.5\n", {}));
  EXPECT_EQ(reference.difference("rank 1: 2.5\nrank 0: 1.6\n", {}),
            "sorted, line 1 is 'rank 0: 1.6', not 'rank 0: 1.5'");
  reference.add("rank 1: 2.75\nrank 0: 1.5\n");
  EXPECT_FALSE(reference.difference("rank 1: 3.5\nrank 0: 1.5\n", {}));
  EXPECT_TRUE(reference.difference("rank 1: 3.5\nrank 0: 1.7\n", {}));
}

TEST(Compare, RunsWithOtherNumbersOfLines) {
  Reference reference;
  reference.add("a\nstep 1\nb\n");
  reference.add("a\nstep 1\nstep 2\nb\n");
  EXPECT_FALSE(reference.difference("a\nb\nstep 1\nx\n", {}));
  EXPECT_EQ(reference.difference("a\nstep 1\n", {}), "line 3, 'b', is not there");
}

TEST(Compare, WhatIsShownCanBePrinted) {
  Reference reference;
  reference.add(std::string("a\0\033", 3));
  EXPECT_EQ(reference.difference("b", {}), "line 1 is 'b', not 'a"
                                           "?"
                                           "?'");
}

} // namespace amp
