// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of comparing what runs write.
#include "amp-run/tune/compare.h"

#include <gtest/gtest.h>

namespace amp {

Written run_of(const std::string &output) { return {{"", content_of(output)}}; }

Reference reference_of(const std::vector<std::string> &outputs) {
  Reference reference;
  for (const std::string &output : outputs)
    reference.add(run_of(output));
  return reference;
}

std::string difference(const std::vector<std::string> &outputs, const std::string &other) {
  return reference_of(outputs).difference(run_of(other)).value_or("");
}

TEST(Compare, ALineIsTextAndNumbers) {
  using Numbers = std::vector<std::string>;
  for (const auto &[text, numbers] :
       std::vector<std::pair<std::string, Numbers>>{{"x = 1.5e-30, -2", {" 1.5e-30", " -2"}},
                                                    {"1.0D+02", {"1.0D+02"}},
                                                    {"a-1 1-2 e5 1e", {"1", " 1", "2", "5", " 1"}},
                                                    {"  7.  [ 9]", {"  7.", " 9"}},
                                                    {"no number", {}}}) {
    EXPECT_EQ(Line(text).numbers, numbers) << text;
  }
  EXPECT_EQ(Line("t 1.5 s").rest, Line("t  17 s").rest);
  EXPECT_NE(Line("t 1.5 s").rest, Line("t 1.5 ms").rest);
  EXPECT_NE(Line("a").rest, Line("a ").rest);
}

TEST(Compare, WhatPlainRunsHaveAlikeIsTheSameToTheByte) {
  EXPECT_EQ(difference({"a 1.0\n", "a 1.0\n"}, "a 1.0\n"), "");
  for (const char *const other : {"a 1.00\n", "a  1.0\n", "a 1.0", "a 1.0\r\n", "", "a 1.0\n\n"})
    EXPECT_NE(difference({"a 1.0\n", "a 1.0\n"}, other), "") << other;
  EXPECT_EQ(difference({"a\nb\n"}, "a\nc\n"), "output differs: line 2 is 'c', not 'b'");
  EXPECT_EQ(difference({"a\nb\n"}, "a\n"), "output differs: 1 lines, not 2");
  EXPECT_EQ(difference({"a"}, std::string("b\0", 2)), "output differs: line 1 is 'b?', not 'a'");
}

TEST(Compare, NumbersAndLinesThatVaryDoNotCount) {
  const std::vector<std::string> runs{"x 1.5 in 9 s\nb\n", "x 1.5 in 12 s\nb\n"};
  EXPECT_EQ(difference(runs, "x 1.5 in   7.5 s\nb\n"), "");
  EXPECT_NE(difference(runs, "x 1.6 in 9 s\nb\n"), "");
  EXPECT_NE(difference(runs, "x 1.5 in 9 ms\nb\n"), "");
  EXPECT_NE(difference(runs, "x 1.5 in 9 s\nc\n"), "");
  EXPECT_EQ(difference({"fast\nb\n", "slow\nb\n"}, "other\nb\n"), "");
}

TEST(Compare, OrderCountsUnlessItVaries) {
  const std::string one = "rank 0: 1.5\nrank 1: 2.5\n", two = "rank 1: 2.5\nrank 0: 1.5\n";
  EXPECT_NE(difference({one, one}, two), "");
  EXPECT_EQ(difference({one, two}, two), "");
  EXPECT_EQ(difference({one, two}, "rank 1: 2.5\nrank 0: 1.6\n"),
            "output differs: sorted, line 1 is 'rank 0: 1.6', not 'rank 0: 1.5'");
}

TEST(Compare, RunsWithOtherNumbersOfLines) {
  const std::vector<std::string> runs{"a\nstep 1\nb\n", "a\nstep 1\nstep 2\nb\n"};
  EXPECT_EQ(difference(runs, "a\nb\nstep 1\nx\n"), "");
  EXPECT_EQ(difference(runs, "a\nstep 1\n"), "output differs: line 3, 'b', is not there");
}

TEST(Compare, FilesThatAreThereOrNot) {
  const auto with = [](std::map<std::string, std::string> files) {
    Written run = run_of("");
    for (const auto &[name, text] : files)
      run[name] = content_of(text);
    return run;
  };
  Reference same, vary;
  same.add(with({{"f", "1"}}));
  same.add(with({{"f", "1"}}));
  EXPECT_FALSE(same.difference(with({{"f", "1"}})));
  EXPECT_EQ(same.difference(with({{"f", "2"}})), "'f' differs: line 1 is '2', not '1'");
  EXPECT_EQ(same.difference(with({})), "'f' is not written");
  EXPECT_EQ(same.difference(with({{"f", "1"}, {"g", ""}})), "'g' is written");
  EXPECT_EQ(same.names(), "1 file");
  vary.add(with({{"f", "1"}, {"tmp1", ""}}));
  vary.add(with({{"f", "1"}, {"tmp2", ""}}));
  EXPECT_FALSE(vary.difference(with({{"f", "1"}, {"tmp3", ""}})));
  EXPECT_TRUE(vary.difference(with({{"f", "2"}, {"tmp3", ""}})));
}

TEST(Compare, WhetherThereIsAnything) {
  EXPECT_TRUE(reference_of({"done\n", "done\n"}).compares());
  EXPECT_TRUE(reference_of({"1: x 2.5\n", "2: x 2.5\n"}).compares());
  EXPECT_FALSE(reference_of({"took 1.5 s on 4\n", "took 1.7 s on 4\n"}).compares());
  EXPECT_FALSE(reference_of({"", ""}).compares());
  EXPECT_FALSE(reference_of({"\n", "\n"}).compares());
}

// "small" or "large", and where; empty if nothing differs.
std::string rounding(const std::string &plain, const std::string &other) {
  const auto found = reference_of({other}).rounding(reference_of({plain}), {8, 12});
  return found ? (found->small ? "small: " : "large: ") + found->first : "";
}

TEST(Compare, RoundingIsSmallByTheLargestOfLineOrColumn) {
  EXPECT_EQ(rounding("x 1.5\n8 threads\n", "x 1.5\n12 threads\n"), "");
  EXPECT_EQ(rounding("8.0\n", "12.0\n").substr(0, 5), "large");
  EXPECT_EQ(rounding("sum 1.5, off by 1e-13\n", "sum 1.5, off by 7e-13\n"),
            "small: output, line 1 is 'sum 1.5, off by 7e-13', not 'sum 1.5, off by 1e-13'");
  EXPECT_EQ(rounding("off by 1e-13\n", "off by 7e-13\n").substr(0, 5), "large");
  EXPECT_EQ(rounding("r 2.5\nr 1e-13\n", "r 2.5\nr 7e-13\n").substr(0, 5), "small");
  EXPECT_EQ(rounding("1.000000\n", "1.000002\n").substr(0, 5), "large");
  EXPECT_EQ(rounding("1234567890\n", "1234567891\n").substr(0, 5), "large");
  EXPECT_EQ(rounding("1.5 a\n", "1.5 b\n").substr(0, 5), "large");
  EXPECT_EQ(rounding("a\n", "a\nb\n"), "large: output, 2 lines, not 1");
}

} // namespace amp
