// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of what a loop runs as: kind, chunk and reason, for every schedule and team.
#include "loop_kind.h"

#include <gtest/gtest.h>

#include <climits>

#include "two_classes.h"

extern "C" {
#include "amp-types.h"
#include "options/options.h"
#include "options/schedules.h"
}

namespace {

// Upstream's.
enum { RUNTIME, STATIC, DYNAMIC, GUIDED, AUTO };
constexpr int monotonic = INT_MIN;
constexpr int untouched = 0xff;

const situation alone = {STATIC, 0, false, 0, GOMP_AMP_UNDECIDED, false};
const situation one = {STATIC, 0, false, 1, GOMP_AMP_UNDECIDED, false};
const situation alike = {STATIC, 0, false, 4, GOMP_AMP_SYMMETRIC, false};
const situation different = {STATIC, 0, false, 4, GOMP_AMP_ASYMMETRIC, false};

situation with(situation base, int kind, int chunk) {
  base.icv_kind = kind;
  base.icv_chunk = chunk;
  base.icv_given = true;
  return base;
}

class LoopKind : public TwoClasses {
protected:
  ~LoopKind() override { gomp_amp_options.schedule = {}; }
};

void expect(const decision &found, int kind, long chunk, unsigned why) {
  EXPECT_EQ(found.kind, kind);
  EXPECT_EQ(found.chunk, chunk);
  EXPECT_EQ(found.why, why);
  EXPECT_EQ(found.kept, why);
}

} // namespace

TEST_F(LoopKind, OpenMPsOwnStayWhatTheyAre) {
  for (const situation &team : {alone, one, alike, different})
    for (const int kind : {STATIC, DYNAMIC, GUIDED})
      for (const int modifier : {0, monotonic})
        for (const bool routed : {false, true})
          expect(decide_runtime(with(team, kind | modifier, 7), routed), kind, 7, GOMP_AMP_BY_ICV);
}

TEST_F(LoopKind, AutoIsStatic) {
  expect(decide_runtime(with(different, AUTO, 7), false), STATIC, 0, GOMP_AMP_AUTO_IS_STATIC);
  gomp_amp_options.schedule.kind = AUTO;
  expect(decide_runtime(different, true), STATIC, 0, GOMP_AMP_BY_OPTION | GOMP_AMP_AUTO_IS_STATIC);
}

TEST_F(LoopKind, OursStayWhereCoresDiffer) {
  for (const int kind : {GFS_AID_STATIC, GFS_AID_HYBRID, GFS_AID_DYNAMIC})
    for (const int chunk : {0, 7})
      expect(decide_runtime(with(different, kind | monotonic, chunk), false), kind, chunk,
             GOMP_AMP_BY_ICV);
}

TEST_F(LoopKind, OnATeamOfOneClassTheColumnAlikeSaysWhat) {
  for (const situation &team : {alone, one, alike})
    for (const int kind : {GFS_AID_STATIC, GFS_AID_HYBRID})
      for (const int chunk : {0, 7})
        expect(decide_runtime(with(team, kind, chunk), false), STATIC, 0, GOMP_AMP_CORES_ALIKE);
  for (const situation &team : {alone, one, alike})
    expect(decide_runtime(with(team, GFS_AID_DYNAMIC, 7), false), DYNAMIC, 7, GOMP_AMP_CORES_ALIKE);
  expect(decide_runtime(with(alike, GFS_AID_DYNAMIC, 0), false), GFS_AMP_EVEN, 0,
         GOMP_AMP_CORES_ALIKE);
  for (const situation &team : {alone, one})
    expect(decide_runtime(with(team, GFS_AID_DYNAMIC, 0), false), STATIC, 0, GOMP_AMP_CORES_ALIKE);
}

TEST_F(LoopKind, ATeamOfUnknownClassesIsSettled) {
  situation team = with(alike, GFS_AID_STATIC, 3);
  team.asymmetric = GOMP_AMP_UNKNOWN;
  expect(decide_runtime(team, false), STATIC, 0, GOMP_AMP_CORES_ALIKE);
  team.settled = true;
  expect(decide_runtime(team, false), GFS_AID_STATIC, 3, GOMP_AMP_BY_ICV);
}

TEST_F(LoopKind, RoutedLoopsAskTheOptionThenTheICVThenTheDefault) {
  const int by_default = GFS_AID_HYBRID | GOMP_AMP_SCHEDULE_DEFAULT;
  expect(decide_runtime(different, true), by_default, 0, GOMP_AMP_BY_DEFAULT);
  expect(decide_runtime(alike, true), STATIC, 0, GOMP_AMP_BY_DEFAULT | GOMP_AMP_CORES_ALIKE);
  expect(decide_runtime(different, false), STATIC, 0, GOMP_AMP_BY_ICV);
  expect(decide_runtime(with(different, GUIDED, 2), true), GUIDED, 2, GOMP_AMP_BY_ICV);
  const int by_option = GFS_AID_STATIC | GOMP_AMP_SCHEDULE_ROUTED;
  gomp_amp_options.schedule.kind = by_option;
  gomp_amp_options.schedule.chunk = 5;
  expect(decide_runtime(with(different, GUIDED, 2), true), by_option, 5, GOMP_AMP_BY_OPTION);
  expect(decide_runtime(with(alike, GUIDED, 2), true), STATIC, 0,
         GOMP_AMP_BY_OPTION | GOMP_AMP_CORES_ALIKE);
  expect(decide_runtime(with(different, GUIDED, 2), false), GUIDED, 2, GOMP_AMP_BY_ICV);
}

TEST_F(LoopKind, ALoopThatStartsWithItsTeamDecidesForIt) {
  situation team = alike;
  team.asymmetric = GOMP_AMP_UNDECIDED;
  const int by_default = GFS_AID_HYBRID | GOMP_AMP_SCHEDULE_DEFAULT;
  expect(decide_parallel(team, by_default, 0), STATIC, 0,
         GOMP_AMP_BY_DEFAULT | GOMP_AMP_CORES_ALIKE);
  team.settled = true;
  expect(decide_parallel(team, by_default, 0), by_default, 0, GOMP_AMP_BY_DEFAULT);
  const int by_option = GFS_AID_DYNAMIC | GOMP_AMP_SCHEDULE_ROUTED;
  expect(decide_parallel(team, by_option, 4), by_option, 4, GOMP_AMP_BY_OPTION);
  expect(decide_parallel(alike, by_option, 4), DYNAMIC, 4,
         GOMP_AMP_BY_OPTION | GOMP_AMP_CORES_ALIKE);
  // Explicit ones are none of our business.
  expect(decide_parallel(team, GUIDED, 4), GUIDED, 4, untouched);
  // Too many threads for the bits that count them.
  team.threads = 1 << 16;
  expect(decide_parallel(team, by_default, 0), STATIC, 0,
         GOMP_AMP_BY_DEFAULT | GOMP_AMP_CORES_ALIKE);
}

TEST_F(LoopKind, GOMPLoopStartIsResolvedIfItSaysRuntime) {
  int resolved;
  for (const int kind : {STATIC, DYNAMIC, GUIDED}) {
    expect(decide_start(different, kind, 3, &resolved), kind, 3, untouched);
    EXPECT_FALSE(resolved);
  }
  // Upstream resolves its own by itself.
  expect(decide_start(with(different, GUIDED, 2), RUNTIME, 3, &resolved), RUNTIME, 3, untouched);
  EXPECT_FALSE(resolved);
  expect(decide_start(with(different, GFS_AID_HYBRID, 2), RUNTIME, 3, &resolved), GFS_AID_HYBRID, 2,
         GOMP_AMP_BY_ICV);
  EXPECT_TRUE(resolved);
  // AUTO stands for a routed loop.
  expect(decide_start(with(different, GUIDED, 2), AUTO, 3, &resolved), GUIDED, 2, GOMP_AMP_BY_ICV);
  EXPECT_TRUE(resolved);
  expect(decide_start(with(alike, GFS_AID_DYNAMIC, 0), RUNTIME, 3, &resolved), GFS_AMP_EVEN, 0,
         GOMP_AMP_BY_ICV | GOMP_AMP_CORES_ALIKE);
  expect(decide_start(different, AUTO, 3, &resolved), GFS_AID_HYBRID | GOMP_AMP_SCHEDULE_DEFAULT, 0,
         GOMP_AMP_BY_DEFAULT);
  EXPECT_TRUE(resolved);
}

TEST_F(LoopKind, OrderedLoopsKeepUpstreams) {
  expect(decide_ordered(with(different, GUIDED, 2)), GUIDED, 2, untouched);
  expect(decide_ordered(with(different, GFS_AID_STATIC, 2)), STATIC, 2, GOMP_AMP_ORDERED);
  expect(decide_ordered(with(different, GFS_AID_HYBRID, 0)), DYNAMIC, 1, GOMP_AMP_ORDERED);
  expect(decide_ordered(with(different, GFS_AID_DYNAMIC, 6)), DYNAMIC, 6, GOMP_AMP_ORDERED);
}
