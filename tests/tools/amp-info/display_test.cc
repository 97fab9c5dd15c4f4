// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how amp-info reads the library's account of its options.
#include "amp-info/display.h"

#include <gtest/gtest.h>

using amp::changed_options;
using amp::parse_display;
using amp::Variables;

TEST(Display, VariablesInTheirOrder) {
  EXPECT_EQ(parse_display("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n"
                          "  _OPENMP = '201511'\n"
                          "  [host] OMP_DYNAMIC = 'FALSE'\n"
                          "  OMP_PLACES = '{0:2},{3}'\n"
                          "  GOMP_AID_SF = ''\n"
                          "OPENMP DISPLAY ENVIRONMENT END\n"),
            (Variables{{"_OPENMP", "201511"},
                       {"OMP_DYNAMIC", "FALSE"},
                       {"OMP_PLACES", "{0:2},{3}"},
                       {"GOMP_AID_SF", ""}}));
}

TEST(Display, ValuesMayHoldWhatEndsThem) {
  EXPECT_EQ(parse_display("  A = 'it's = 'so''\n"), (Variables{{"A", "it's = 'so'"}}));
}

TEST(Display, OtherLinesAreSkipped) {
  EXPECT_EQ(parse_display(""), Variables());
  EXPECT_EQ(parse_display("A = '\nA = x'\nlibgomp: 'x'\n"), Variables());
}

TEST(ChangedOptions, NoneAtTheirDefaults) {
  EXPECT_EQ(changed_options({{"GOMP_AMP_TOPOLOGY", ""},
                             {"GOMP_AMP_AFFINITY", "FALSE"},
                             {"GOMP_AID_SAMPLE_NS", "2000"},
                             {"GOMP_AID_SF_MAX", "32"},
                             {"GOMP_AID_SF", ""},
                             {"GOMP_AMP_VIRTUAL_REMOVAL_NS", "100"}}),
            Variables());
}

TEST(ChangedOptions, EachTypeByItsDefault) {
  const Variables changed{{"GOMP_AMP_TOPOLOGY", "off"},   {"GOMP_AMP_AFFINITY", "BS"},
                          {"GOMP_AID_SAMPLE_NS", "0"},    {"GOMP_AID_SF", "1:2"},
                          {"GOMP_AID_SF_FILE", "/f"},     {"GOMP_AMP_THREAD_CLASSES", "0,1"},
                          {"GOMP_AMP_VIRTUAL", "1x2+1x1"}};
  EXPECT_EQ(changed_options(changed), changed);
}

TEST(ChangedOptions, OnlyTheLibrarysOwn) {
  EXPECT_EQ(changed_options({{"OMP_DYNAMIC", "TRUE"}, {"LIBGOMP_AMP_CLASSES", "2"}}), Variables());
}
