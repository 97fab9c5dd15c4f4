// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of printing what the library reports of folded teams.
#include "amp-emu/fold-report.h"

#include <gtest/gtest.h>

namespace amp {

TEST(FoldReport, PrintsATeamALine) {
  const auto teams = nlohmann::ordered_json::parse(
      R"([{"ids":9,"moves":5,"workers":[{"cpu":0,"ids":4,"switches":30,"early":1},)"
      R"({"cpu":1,"ids":4,"switches":20,"early":0},{"cpu":5,"ids":1,"switches":3,"early":2}]},)"
      R"({"ids":2,"moves":0,"workers":[{"cpu":0,"ids":2,"switches":7,"early":0}]}])");
  EXPECT_EQ(describe_folded(teams, "> "),
            "> folded teams of 9 threads: 4 on each of CPUs 0-1, 1 on CPU 5; 53 switches, "
            "3 early wakes, 5 moves\n"
            "> folded teams of 2 threads: 2 on CPU 0; 7 switches, 0 early wakes, 0 moves\n");
  EXPECT_EQ(describe_folded(nlohmann::ordered_json::array(), "> "), "");
}

} // namespace amp
