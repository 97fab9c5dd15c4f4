// SPDX-License-Identifier: GPL-3.0-or-later
// How cores share the memory's bandwidth, against values worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "virtual/bandwidth-share.h"
}

namespace {

// The caps that TEXT gives a machine of two classes.
gomp_virtual_caps caps(const char *text) {
  gomp_virtual_caps read = {};
  EXPECT_EQ(gomp_virtual_read_caps(text, 2, &read), nullptr) << text;
  return read;
}

std::vector<double> rates(const char *text, double fast, double slow) {
  const gomp_virtual_caps read = caps(text);
  const double demand[] = {fast, slow};
  std::vector<double> rate(2, -1);
  gomp_virtual_share(&read, 2, demand, rate.data());
  return rate;
}

using Rates = std::vector<double>;

TEST(BandwidthCaps, OfAllAndOfClasses) {
  const gomp_virtual_caps read = caps("40.5,0:10,1:0.001");
  EXPECT_EQ(read.all, 40.5);
  // Here the fastest class is first; in the text it is the last one.
  EXPECT_EQ(read.of_class[0], 0.001);
  EXPECT_EQ(read.of_class[1], 10);
}

TEST(BandwidthCaps, OneAlone) {
  EXPECT_EQ(caps("7").of_class[0], 0);
  EXPECT_EQ(caps("1:1000000").all, 0);
  EXPECT_EQ(caps("1:1000000").of_class[0], 1000000);
}

TEST(BandwidthCaps, BadOnes) {
  for (const auto &[text, reason] :
       std::vector<std::pair<const char *, const char *>>{{"", "missing"},
                                                          {"x", "missing"},
                                                          {"0", "out of range"},
                                                          {"0.0001", "out of range"},
                                                          {"1000001", "out of range"},
                                                          {"-1", "missing"},
                                                          {"40,", "missing"},
                                                          {"0:", "missing"},
                                                          {"2:10", "no such class"},
                                                          {"40,30", "second cap"},
                                                          {"1:3,1:4", "second cap"},
                                                          {"40 GB/s", "more follows"},
                                                          {"0:1:2", "more follows"}}) {
    gomp_virtual_caps read;
    const char *const error = gomp_virtual_read_caps(text, 2, &read);
    ASSERT_NE(error, nullptr) << text;
    EXPECT_NE(std::string(error).find(reason), std::string::npos) << text << ": " << error;
  }
}

TEST(BandwidthShare, UnderTheCapNothingIsSlower) {
  EXPECT_EQ(rates("16", 12, 4), (Rates{1, 1}));
  EXPECT_EQ(rates("0:4", 12, 4), (Rates{1, 1}));
  EXPECT_EQ(rates("16", 0, 0), (Rates{1, 1}));
}

TEST(BandwidthShare, OverTheCapAllInProportion) {
  // 16 GB/s are demanded where there are 12.
  EXPECT_EQ(rates("12", 12, 4), (Rates{0.75, 0.75}));
  EXPECT_EQ(rates("4", 12, 4), (Rates{0.25, 0.25}));
}

TEST(BandwidthShare, AClassAlone) {
  EXPECT_EQ(rates("0:1", 12, 4), (Rates{1, 0.25}));
  EXPECT_EQ(rates("1:3", 12, 4), (Rates{0.25, 1}));
}

// What a class cannot use for its own cap is left to the others: 6 and 2 of 12 and 4.
TEST(BandwidthShare, ClassesBeforeAll) {
  EXPECT_EQ(rates("8,1:6,0:2", 12, 4), (Rates{0.5, 0.5}));
  // 6 + 4 = 10 of 8: both at 0.8 of that.
  EXPECT_EQ(rates("8,1:6", 12, 4), (Rates{0.4, 0.8}));
}

} // namespace
