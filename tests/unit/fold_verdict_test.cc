// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of verdicts on regions: which runs lead to a trial, and which trials to a verdict.
#include <gtest/gtest.h>

extern "C" {
#include "base/clock.h"
#include "fold/fold-verdict.h"
}

namespace {

constexpr unsigned long long kMs = 1000000;

template <int Number> void region(void *data) { *static_cast<int *>(data) = Number; }

// A region whose runs take what a test says: they are told to have begun that long ago.
class Region {
public:
  explicit Region(gomp_fold_region_fn fn = region<0>) : fn_(fn) {}

  // Runs it in POOL: so many ms, with early wakes or not, if it is folded, and otherwise as many as
  // the other number says. Returns whether it was folded.
  bool run(unsigned folded_ms, unsigned other_ms, bool wakes = true, const void *pool = nullptr) {
    unsigned long long began = 0;
    const bool folded = gomp_fold_begin_run(fn_, pool, &began);
    // The watching thread makes the record.
    if (folded && wakes)
      gomp_fold_note_early(fn_, 1);
    if (began != 0)
      folds_ =
          gomp_fold_end_run(fn_, pool, gomp_amp_clock() - (folded ? folded_ms : other_ms) * kMs,
                            folded, folded && wakes);
    (folded ? folded_ : others_)++;
    return folded;
  }

  bool unfolded() const { return gomp_fold_unfolded_p(fn_); }
  bool folds() const { return folds_; }
  int folded_runs() const { return folded_; }
  int other_runs() const { return others_; }

private:
  gomp_fold_region_fn fn_;
  bool folds_ = true;
  int folded_ = 0, others_ = 0;
};

} // namespace

TEST(FoldVerdict, RunsWithoutEarlyWakesAreNotEvenTimed) {
  unsigned long long began = 0;
  EXPECT_TRUE(gomp_fold_begin_run(region<0>, nullptr, &began));
  EXPECT_EQ(began, 0u);
  Region(region<1>).run(400, 1);
  began = 1;
  EXPECT_TRUE(gomp_fold_begin_run(region<0>, nullptr, &began));
  EXPECT_EQ(began, 0u);
}

TEST(FoldVerdict, ARegionThatIsFasterUnfoldedStaysSo) {
  Region slow;
  // The first one has no record when it begins.
  for (int run = 0; run < 1 + GOMP_FOLD_FIRST_TRIAL; run++)
    EXPECT_TRUE(slow.run(400, 1)) << run;
  while (!slow.unfolded() && slow.other_runs() < 100)
    slow.run(400, 1);
  EXPECT_TRUE(slow.unfolded());
  EXPECT_TRUE(slow.folds());
  EXPECT_GE(slow.folded_runs(), 1 + GOMP_FOLD_FIRST_TRIAL + GOMP_FOLD_TRIAL_RUNS);
  EXPECT_GE(slow.other_runs(), GOMP_FOLD_TRIAL_RUNS);
  EXPECT_FALSE(slow.run(400, 400));
}

TEST(FoldVerdict, ALongRegionStaysFolded) {
  Region lengthy;
  for (int run = 0; run < 3000; run++)
    lengthy.run(2000, 3000);
  EXPECT_FALSE(lengthy.unfolded());
  // A trial ends with its first run that is not folded, and they become rare.
  EXPECT_GE(lengthy.other_runs(), 1);
  EXPECT_LE(lengthy.other_runs(), 8);
}

// However its runs differ, whether folded or not.
TEST(FoldVerdict, ARegionOfManySizesStaysFolded) {
  for (unsigned period = 2; period < 10; period++) {
    Region varied(region<0>);
    for (unsigned run = 0; run < 2000; run++) {
      const unsigned ms = run % period == 0 ? 1000 : 1;
      varied.run(ms, ms, ms == 1000);
    }
    EXPECT_FALSE(varied.unfolded()) << period;
  }
}

TEST(FoldVerdict, ARegionThatDoesLessFromSomeTimeOnStaysFolded) {
  Region varied;
  for (int run = 0; run < 300; run++)
    varied.run(run < 3 ? 1000 : 1, run < 3 ? 1000 : 1, run < 3);
  EXPECT_FALSE(varied.unfolded());
}

// A pool with long runs and one with short ones.
TEST(FoldVerdict, RunsOfOnePoolAreCompared) {
  Region shared;
  const char pools[2] = {};
  for (int run = 0; run < 1000; run++) {
    shared.run(1000, 1300, true, &pools[0]);
    EXPECT_TRUE(shared.run(1, 1, false, &pools[1]));
  }
  EXPECT_FALSE(shared.unfolded());
}

TEST(FoldVerdict, TwoPoolsThatBothWait) {
  Region shared;
  const char pools[2] = {};
  for (int run = 0; run < 60; run++)
    shared.run(400, 1, true, &pools[run % 2]);
  EXPECT_TRUE(shared.unfolded());
}

TEST(FoldVerdict, APoolThatEndsInATrialLeavesItToAnother) {
  Region shared;
  const char pools[2] = {};
  while (shared.other_runs() == 0)
    shared.run(400, 1, true, &pools[0]);
  for (int run = 0; run < GOMP_FOLD_OTHER_POOL + 60; run++)
    shared.run(400, 1, true, &pools[1]);
  EXPECT_TRUE(shared.unfolded());
}

TEST(FoldVerdict, AProgramWithManySuchRegionsIsNotFoldedAtAll) {
  const gomp_fold_region_fn regions[] = {region<0>, region<1>, region<2>, region<3>,
                                         region<4>, region<5>, region<6>, region<7>};
  static_assert(sizeof regions / sizeof regions[0] == GOMP_FOLD_MOST_UNFOLDED);
  for (const auto fn : regions) {
    Region slow(fn);
    while (!slow.unfolded() && slow.other_runs() < 100) {
      EXPECT_TRUE(slow.folds());
      slow.run(400, 1);
    }
    EXPECT_EQ(slow.folds(), fn != regions[GOMP_FOLD_MOST_UNFOLDED - 1]);
  }
}
