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

  // Runs it: so many ms, with early wakes, if it is folded, and otherwise as many as the second
  // number says. Returns whether it was folded.
  bool run(unsigned folded_ms, unsigned unfolded_ms) {
    unsigned long long began = 0;
    const bool folded = gomp_fold_begin_run(fn_, &began);
    // The watching thread makes the record.
    if (folded)
      gomp_fold_note_early(fn_, 1);
    if (began != 0)
      folds_ = gomp_fold_end_run(fn_, gomp_amp_clock() - (folded ? folded_ms : unfolded_ms) * kMs,
                                 folded, folded);
    return folded;
  }

  // Runs it until it is not folded. Returns how often it was.
  int runs_until_trial(unsigned folded_ms, unsigned unfolded_ms) {
    int runs = 0;
    while (runs < 1000 && run(folded_ms, unfolded_ms))
      runs++;
    return runs;
  }

  bool unfolded() const { return gomp_fold_unfolded_p(fn_); }
  bool folds() const { return folds_; }

private:
  gomp_fold_region_fn fn_;
  bool folds_ = true;
};

} // namespace

TEST(FoldVerdict, RunsWithoutEarlyWakesAreNotEvenTimed) {
  unsigned long long began = 0;
  EXPECT_TRUE(gomp_fold_begin_run(region<0>, &began));
  EXPECT_EQ(began, 0u);
  Region(region<1>).run(400, 1);
  began = 1;
  EXPECT_TRUE(gomp_fold_begin_run(region<0>, &began));
  EXPECT_EQ(began, 0u);
}

TEST(FoldVerdict, ARegionThatIsFasterUnfoldedStaysSo) {
  Region slow;
  // The first one has no record when it begins. The one after them is the first of the trial.
  EXPECT_EQ(slow.runs_until_trial(400, 1), 1 + GOMP_FOLD_FIRST_TRIAL);
  for (int run = 1; run < GOMP_FOLD_TRIAL_RUNS; run++) {
    EXPECT_FALSE(slow.unfolded()) << run;
    EXPECT_FALSE(slow.run(400, 1)) << run;
  }
  EXPECT_TRUE(slow.unfolded());
  EXPECT_FALSE(slow.run(400, 400));
  EXPECT_TRUE(slow.folds());
}

TEST(FoldVerdict, ALongRegionStaysFolded) {
  Region lengthy;
  int wait = GOMP_FOLD_FIRST_TRIAL;
  EXPECT_EQ(lengthy.runs_until_trial(2000, 3000), 1 + wait);
  for (int trial = 0; trial < 3; trial++) {
    EXPECT_FALSE(lengthy.run(2000, 3000)) << trial;
    wait *= 4;
    EXPECT_EQ(lengthy.runs_until_trial(2000, 3000), wait);
  }
  EXPECT_FALSE(lengthy.unfolded());
}

// Some of its runs do little: then those that do much end the trial.
TEST(FoldVerdict, ARegionOfManySizesStaysFolded) {
  Region of_levels;
  EXPECT_EQ(of_levels.runs_until_trial(1000, 1), 1 + GOMP_FOLD_FIRST_TRIAL);
  for (int cycle = 0; cycle < 2; cycle++) {
    for (unsigned level = 0; level < 7; level++)
      EXPECT_FALSE(of_levels.run(1000, 1u << level));
    EXPECT_FALSE(of_levels.run(1000, 700));
  }
  EXPECT_TRUE(of_levels.run(1000, 700));
  EXPECT_FALSE(of_levels.unfolded());
}

// Something else on the machine makes a few of them longer.
TEST(FoldVerdict, AFewDisturbedRunsEndNoTrial) {
  Region slow;
  slow.runs_until_trial(400, 1);
  for (int run = 1; run < GOMP_FOLD_TRIAL_RUNS; run++)
    EXPECT_FALSE(slow.run(400, run % 20 == 19 ? 600 : 1)) << run;
  EXPECT_TRUE(slow.unfolded());
}

TEST(FoldVerdict, RunsWithoutEarlyWakesLeadToNoTrial) {
  Region once;
  once.run(400, 1);
  for (int run = 0; run < 100; run++) {
    unsigned long long began = 0;
    EXPECT_TRUE(gomp_fold_begin_run(region<0>, &began));
    gomp_fold_end_run(region<0>, began, true, false);
  }
}

TEST(FoldVerdict, AProgramWithManySuchRegionsIsNotFoldedAtAll) {
  const gomp_fold_region_fn regions[] = {region<0>, region<1>, region<2>, region<3>,
                                         region<4>, region<5>, region<6>, region<7>};
  static_assert(sizeof regions / sizeof regions[0] == GOMP_FOLD_MOST_UNFOLDED);
  for (const auto fn : regions) {
    Region slow(fn);
    slow.runs_until_trial(400, 1);
    for (int run = 1; run < GOMP_FOLD_TRIAL_RUNS; run++) {
      EXPECT_TRUE(slow.folds());
      slow.run(400, 1);
    }
    EXPECT_EQ(slow.folds(), fn != regions[GOMP_FOLD_MOST_UNFOLDED - 1]);
  }
}
