// SPDX-License-Identifier: GPL-3.0-or-later
// How regions are run, and why (libgomp/amp/fold/fold-region.h). Functions of the test stand for
// regions.
extern "C" {
#include "fold/fold-module.h"
#include "fold/fold-region.h"
}

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace {

// Each test has regions of its own: they are never forgotten.
template <int> __attribute__((aligned(64))) void region(void *) {}

TEST(FoldRegion, RunsByWhatItsModuleImports) {
  gomp_fold_region *const one = gomp_fold_find_region(region<0>);
  ASSERT_NE(one, nullptr);
  EXPECT_NE(one, gomp_fold_find_region(region<1>));
  EXPECT_EQ(one, gomp_fold_find_region(region<0>));
  EXPECT_EQ(one->import, gomp_fold_kernel_import(region<0>));
  EXPECT_EQ(gomp_fold_mode_of(one), one->import ? GOMP_FOLD_APART : GOMP_FOLD_CARRIED);
}

TEST(FoldRegion, OfGeneratedCodeIsNotCarried) {
  void *const code =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  EXPECT_STREQ(gomp_fold_kernel_import(reinterpret_cast<gomp_fold_region_fn>(code)),
               "code in no module");
}

TEST(FoldRegion, IsUnfoldedWhateverTheReasonWas) {
  gomp_fold_region *const one = gomp_fold_find_region(region<4>);
  EXPECT_TRUE(gomp_fold_note_unfolded(one));
  EXPECT_EQ(gomp_fold_mode_of(one), GOMP_FOLD_FREE);
  EXPECT_EQ(gomp_fold_mode_of(gomp_fold_find_region(region<4>)), GOMP_FOLD_FREE);
  EXPECT_NE(gomp_fold_mode_of(gomp_fold_find_region(region<3>)), GOMP_FOLD_FREE);
}

TEST(FoldRegion, IsTheSameForTheWatchingThread) {
  gomp_fold_region *const one = gomp_fold_find_region(region<5>);
  EXPECT_EQ(gomp_fold_seen_region(region<5>), one);
}

template <int N> bool unfold_all() {
  if constexpr (N > 0) {
    EXPECT_TRUE(unfold_all<N - 1>()) << N;
  }
  return gomp_fold_note_unfolded(gomp_fold_find_region(region<100 + N>));
}

TEST(FoldRegion, OfManyThatAreUnfoldedNoneIsFolded) {
  EXPECT_TRUE(unfold_all<GOMP_FOLD_MOST_UNFOLDED - 2>());
  // Each counts once.
  EXPECT_TRUE(gomp_fold_note_unfolded(gomp_fold_find_region(region<100>)));
  EXPECT_FALSE(gomp_fold_note_unfolded(gomp_fold_find_region(region<99>)));
}

} // namespace
