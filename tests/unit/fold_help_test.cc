// SPDX-License-Identifier: GPL-3.0-or-later
// Hand-worked examples of workers that help each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

extern "C" {
#include "fold/fold-help.h"
}

namespace {

using Loads = std::vector<gomp_fold_load>;

const gomp_fold_helps both = {true, true, 0, 0}, steals = {true, false, 0, 0},
                      pulls = {false, true, 0, 0};

// COUNT ids that take EACH on a worker of SPEED.
gomp_fold_load load(double count, double each, double speed) { return {count * each, each, speed}; }

double end(const gomp_fold_helps &how, Loads loads) {
  return gomp_fold_end_with_help(&how, loads.data(), unsigned(loads.size()));
}

TEST(FoldHelp, TheOneThatRunsIsPulledToAFasterWorker) {
  const gomp_fold_load slow = load(1, 9, 1);
  double gain = 0;
  // Six are left, two on the fast one.
  EXPECT_EQ(gomp_fold_judge_help(&both, 3, 3, &slow, &gain), GOMP_FOLD_PULL);
  EXPECT_DOUBLE_EQ(gain, 4);
  EXPECT_EQ(gomp_fold_judge_help(&steals, 3, 3, &slow, &gain), GOMP_FOLD_NO_HELP);
  // Equally fast, or slower, or too late.
  EXPECT_EQ(gomp_fold_judge_help(&both, 1, 3, &slow, &gain), GOMP_FOLD_NO_HELP);
  EXPECT_EQ(gomp_fold_judge_help(&both, .5, 3, &slow, &gain), GOMP_FOLD_NO_HELP);
  EXPECT_EQ(gomp_fold_judge_help(&both, 3, 9, &slow, &gain), GOMP_FOLD_NO_HELP);
  EXPECT_EQ(gomp_fold_judge_help(&both, 3, 12, &slow, &gain), GOMP_FOLD_NO_HELP);
}

TEST(FoldHelp, TheLastThatHasNotBegunIsStolen) {
  const gomp_fold_load other = load(4, 2, 1);
  double gain = 0;
  // At 3 the second one runs. Without the fourth that worker is done at 6, and we at 5.
  EXPECT_EQ(gomp_fold_judge_help(&both, 1, 3, &other, &gain), GOMP_FOLD_STEAL);
  EXPECT_DOUBLE_EQ(gain, 2);
  EXPECT_EQ(gomp_fold_judge_help(&pulls, 1, 3, &other, &gain), GOMP_FOLD_NO_HELP);
  // At 5 we would be done at 7, and at 6 only the last one is left, which runs.
  EXPECT_EQ(gomp_fold_judge_help(&both, 1, 5, &other, &gain), GOMP_FOLD_STEAL);
  EXPECT_DOUBLE_EQ(gain, 1);
  EXPECT_EQ(gomp_fold_judge_help(&both, 1, 6, &other, &gain), GOMP_FOLD_NO_HELP);
  // On a worker half as fast it would take until 7.
  EXPECT_EQ(gomp_fold_judge_help(&both, .5, 3, &other, &gain), GOMP_FOLD_STEAL);
  EXPECT_DOUBLE_EQ(gain, 1);
  EXPECT_EQ(gomp_fold_judge_help(&both, .5, 4.5, &other, &gain), GOMP_FOLD_NO_HELP);
}

TEST(FoldHelp, CostsAndTheLeastGain) {
  const gomp_fold_load slow = load(1, 9, 1);
  double gain = 0;
  const gomp_fold_helps dear = {true, true, 3, 0}, picky = {true, true, 0, 4};
  EXPECT_EQ(gomp_fold_judge_help(&dear, 3, 3, &slow, &gain), GOMP_FOLD_PULL);
  EXPECT_DOUBLE_EQ(gain, 1);
  EXPECT_EQ(gomp_fold_judge_help(&picky, 3, 3, &slow, &gain), GOMP_FOLD_NO_HELP);
}

TEST(FoldHelp, AsManyIdsAsWorkers) {
  // 4x3+4x1: the fast ones are done at 3, and with the other half of the ids at 5.
  Loads loads(8, load(1, 9, 1));
  for (int w = 0; w < 4; w++)
    loads[w] = load(1, 3, 3);
  EXPECT_DOUBLE_EQ(end(both, loads), 5);
  EXPECT_DOUBLE_EQ(end(pulls, loads), 5);
  EXPECT_DOUBLE_EQ(end(steals, loads), 9);
  // One fast worker takes one slow one's after the other's: 9 - 3 on 3, then 9 - 5.
  EXPECT_DOUBLE_EQ(end(both, {load(1, 3, 3), load(1, 9, 1), load(1, 9, 1)}), 5 + 4. / 3);
}

TEST(FoldHelp, OneIdMoreThanWorkers) {
  // Four for one of two that are alike, two for the other.
  EXPECT_DOUBLE_EQ(end(both, {load(4, 2, 1), load(2, 2, 1)}), 6);
  EXPECT_DOUBLE_EQ(end(pulls, {load(4, 2, 1), load(2, 2, 1)}), 8);
}

TEST(FoldHelp, ToStealMayPayWhereIdsAreLong) {
  // At best half of one id is left and another one has not begun. It ends after 10 then, not 15.
  const gomp_fold_load two = load(2, 10, 1), one = load(1, 10, 1);
  EXPECT_TRUE(gomp_fold_steals_may_pay(&steals, &two));
  EXPECT_FALSE(gomp_fold_steals_may_pay(&steals, &one));
  EXPECT_FALSE(gomp_fold_steals_may_pay(&pulls, &two));
  const gomp_fold_helps dear = {true, false, 2, 2.9}, too_dear = {true, false, 2, 3.1};
  EXPECT_TRUE(gomp_fold_steals_may_pay(&dear, &two));
  EXPECT_FALSE(gomp_fold_steals_may_pay(&too_dear, &two));
}

TEST(FoldHelp, NothingToDo) {
  EXPECT_DOUBLE_EQ(end(both, {load(2, 3, 1)}), 6);
  EXPECT_DOUBLE_EQ(end(both, {load(2, 3, 1), load(2, 3, 1), load(6, 1, 3)}), 6);
  EXPECT_DOUBLE_EQ(end(both, {load(0, 0, 1), load(0, 0, 1)}), 0);
  // A worker without ids has no thread that could help.
  EXPECT_DOUBLE_EQ(end(both, {load(1, 6, 1), load(0, 0, 3)}), 6);
}

TEST(FoldHelp, ItEnds) {
  // Nothing costs anything, so that work could go to and fro.
  Loads loads;
  for (int w = 0; w < 100; w++)
    loads.push_back(load(1 + w % 7, .1 + .01 * w, 1 + w % 5));
  double latest = 0;
  for (const gomp_fold_load &one : loads)
    latest = std::max(latest, one.end);
  EXPECT_LE(end(both, loads), latest);
}

} // namespace
