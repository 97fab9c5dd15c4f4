// SPDX-License-Identifier: GPL-3.0-or-later
// Which regions are called (libgomp/amp/fold/fold-region.h). Functions of the test stand for
// regions.
extern "C" {
#include "fold/fold-region.h"
#include "options/options.h"
}

#include <gtest/gtest.h>

namespace {

// Each test has regions of its own: they are never forgotten.
template <int> void region(void *) {}

struct FoldRegion : testing::Test {
  void TearDown() override { gomp_amp_options.fold_calls = GOMP_AMP_CALLS_AUTO; }
  static gomp_fold_region *find(gomp_fold_region_fn fn) {
    gomp_amp_options.fold_calls = GOMP_AMP_CALLS_ALL;
    return gomp_fold_find_region(fn);
  }
};

thread_local int variable = 1;

TEST_F(FoldRegion, IsCalledAtFirst) {
  gomp_fold_region *const one = find(region<0>), *const other = find(region<1>);
  ASSERT_NE(one, nullptr);
  EXPECT_NE(one, other);
  EXPECT_EQ(one, find(region<0>));
  EXPECT_EQ(one->why, unsigned(GOMP_FOLD_LEAF));
}

TEST_F(FoldRegion, OfAModuleWithThreadLocalVariablesIsNot) {
  EXPECT_EQ(variable, 1);
  EXPECT_EQ(gomp_fold_find_region(region<2>)->why, unsigned(GOMP_FOLD_HAS_TLS));
}

TEST_F(FoldRegion, KeepsTheFirstReason) {
  gomp_fold_region *const one = find(region<3>);
  gomp_fold_note_turns(one, GOMP_FOLD_HAS_TASKS);
  gomp_fold_note_turns(one, GOMP_FOLD_MEETS);
  EXPECT_EQ(find(region<3>)->why, unsigned(GOMP_FOLD_HAS_TASKS));
}

// Three rescues that helped, of four.
TEST_F(FoldRegion, IsRunByTurnsAfterRescuesThatHelped) {
  gomp_fold_region *const one = find(region<4>);
  gomp_fold_note_rescue(one, true);
  gomp_fold_note_rescue(one, false);
  gomp_fold_note_rescue(one, true);
  EXPECT_EQ(one->why, unsigned(GOMP_FOLD_LEAF));
  gomp_fold_note_rescue(one, true);
  EXPECT_EQ(one->why, unsigned(GOMP_FOLD_MEETS_OUTSIDE));
}

// Ids that take long need no late threads: those go on soon by chance only.
TEST_F(FoldRegion, StaysCalledAfterRescuesThatDidNotHelp) {
  gomp_fold_region *const one = find(region<5>);
  for (int i = 0; i < 99; i++)
    gomp_fold_note_rescue(one, i % 3 == 0);
  EXPECT_EQ(one->why, unsigned(GOMP_FOLD_LEAF));
}

} // namespace
