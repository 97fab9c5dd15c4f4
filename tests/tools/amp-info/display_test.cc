// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how amp-info reads the library's account of its options.
#include "amp-info/display.h"

#include <gtest/gtest.h>

using amp::changed_options;
using amp::parse_display;
using amp::parse_fold_plan;
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
                             {"GOMP_AMP_TEST_SF_MAX", "32"},
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

TEST(FoldPlan, GroupsInTheOrderOfWorkers) {
  const amp::FoldPlan plan = parse_fold_plan("24 threads on 9 workers: 5 on each of CPUs 4-6,8 "
                                             "(class 2), 1 on each of CPUs 0,2,1,3 (class 1), "
                                             "0 on CPU 7 (class 0)");
  EXPECT_EQ(plan.threads, 24);
  EXPECT_EQ(plan.why, "");
  EXPECT_EQ(worker_cpus(plan), (std::vector<int>{4, 5, 6, 8, 0, 2, 1, 3, 7}));
  ASSERT_EQ(plan.groups.size(), 3u);
  EXPECT_EQ(plan.groups[0].cls, 2);
  EXPECT_EQ(plan.groups[0].threads, 5);
  EXPECT_EQ(plan.groups[2].cls, 0);
  EXPECT_EQ(plan.groups[2].threads, 0);
}

TEST(FoldPlan, None) {
  EXPECT_EQ(parse_fold_plan("none: there is only one CPU or thread").why,
            "there is only one CPU or thread");
  EXPECT_EQ(parse_fold_plan("off").why, "off");
  EXPECT_EQ(parse_fold_plan("off").threads, 0);
}
