// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of printing what the library reports of folded teams.
#include "amp-emu/fold-report.h"

#include <gtest/gtest.h>

namespace amp {

static const std::string line =
    R"({"pid":17,"folded":[{"ids":9,"moves":5,"workers":[)"
    R"({"cpu":0,"ids":4,"switches":30,"early":1},{"cpu":1,"ids":4,"switches":20,"early":0},)"
    R"({"cpu":5,"ids":1,"switches":3,"early":2}]},)"
    R"({"ids":2,"moves":0,"workers":[{"cpu":0,"ids":2,"switches":7,"early":0}]}]})";

TEST(FoldReport, PrintsATeamALine) {
  EXPECT_EQ(describe_fold_reports(line + "\n", "> "),
            "> pid 17: folded teams of 9 threads: 4 on each of CPUs 0-1, 1 on CPU 5; 53 switches, "
            "3 early wakes, 5 moves\n"
            "> pid 17: folded teams of 2 threads: 2 on CPU 0; 7 switches, 0 early wakes, "
            "0 moves\n");
}

TEST(FoldReport, LeavesOutWhatIsNone) {
  for (const std::string &bad : {line.substr(0, 40), std::string("{}"), std::string("[1]"),
                                 std::string(R"({"pid":1,"folded":[{"ids":2}]})")})
    EXPECT_EQ(describe_fold_reports(bad + "\n" + line + "\n", ""), describe_fold_reports(line, ""))
        << bad;
  EXPECT_EQ(describe_fold_reports("", ""), "");
}

} // namespace amp
