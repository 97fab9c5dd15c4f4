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

TEST_F(FoldRegion, IsUnfoldedWhateverTheReasonWas) {
  gomp_fold_region *const one = find(region<4>);
  gomp_fold_note_turns(one, GOMP_FOLD_MEETS_OUTSIDE);
  EXPECT_FALSE(gomp_fold_unfolded_p(region<4>));
  EXPECT_TRUE(gomp_fold_note_unfolded(one));
  EXPECT_TRUE(gomp_fold_unfolded_p(region<4>));
  EXPECT_FALSE(gomp_fold_unfolded_p(region<3>));
  gomp_fold_note_turns(one, GOMP_FOLD_MEETS);
  EXPECT_TRUE(gomp_fold_unfolded_p(region<4>));
}

TEST_F(FoldRegion, IsTheSameForTheWatchingThread) {
  gomp_fold_region *const one = find(region<5>);
  EXPECT_EQ(gomp_fold_seen_region(region<5>), one);
  EXPECT_NE(gomp_fold_seen_region(region<6>), nullptr);
}

template <int N> bool unfold_all() {
  if constexpr (N > 0) {
    EXPECT_TRUE(unfold_all<N - 1>()) << N;
  }
  return gomp_fold_note_unfolded(gomp_fold_find_region(region<100 + N>));
}

TEST_F(FoldRegion, OfManyThatAreUnfoldedNoneIsFolded) {
  const unsigned before = gomp_fold_unfolded;
  gomp_fold_unfolded = 0;
  EXPECT_FALSE(unfold_all<GOMP_FOLD_MOST_UNFOLDED - 1>());
  // Each counts once.
  EXPECT_FALSE(gomp_fold_note_unfolded(find(region<100>)));
  EXPECT_EQ(gomp_fold_unfolded, GOMP_FOLD_MOST_UNFOLDED);
  gomp_fold_unfolded += before;
}

} // namespace
