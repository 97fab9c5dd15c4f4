// SPDX-License-Identifier: GPL-3.0-or-later
// Which workers have no ids since they get no CPU (libgomp/amp/fold/fold-starve.h).
#include <gtest/gtest.h>

extern "C" {
#include "fold/fold-starve.h"
}

namespace {

constexpr unsigned first = GOMP_FOLD_FIRST_REST, longest = GOMP_FOLD_LONGEST_REST;

class Worker {
public:
  // So many looks at which it makes progress, or not, beside others that do.
  void look(unsigned looks, bool progress) {
    while (looks-- != 0) {
      seen_.progress = progress;
      seen_.noted = true;
      changes_ += gomp_fold_look_at_seen(&seen_, seen_.left == 0, others_);
    }
  }

  // Without progress until it starves. Returns for how many looks it then rests.
  unsigned starve() {
    look(GOMP_FOLD_STARVED_LOOKS, false);
    unsigned rest = 0;
    for (; seen_.left != 0; rest++)
      look(1, true);
    return rest;
  }

  // A look at which nothing was noted.
  void look_at_nothing() { changes_ += gomp_fold_look_at_seen(&seen_, seen_.left == 0, others_); }

  void alone() { others_ = false; }
  void beside_others() { others_ = true; }
  unsigned changes() const { return changes_; }

private:
  gomp_fold_seen seen_ = {};
  bool others_ = true;
  unsigned changes_ = 0;
};

TEST(FoldStarve, BeginsAndEnds) {
  Worker worker;
  worker.look(GOMP_FOLD_STARVED_LOOKS - 1, false);
  worker.look(1, true);
  EXPECT_EQ(worker.changes(), 0U);
  EXPECT_EQ(worker.starve(), first);
  EXPECT_EQ(worker.changes(), 2U);
}

TEST(FoldStarve, OnlyBesideOthers) {
  Worker worker;
  worker.alone();
  EXPECT_EQ(worker.starve(), 0U);
}

TEST(FoldStarve, LooksWithoutOthersDoNotCount) {
  Worker worker;
  worker.look(GOMP_FOLD_STARVED_LOOKS - 1, false);
  worker.alone();
  worker.look(GOMP_FOLD_STARVED_LOOKS, false);
  EXPECT_EQ(worker.changes(), 0U);
  worker.beside_others();
  worker.look_at_nothing();
  EXPECT_EQ(worker.changes(), 0U);
  worker.look(1, false);
  EXPECT_EQ(worker.changes(), 1U);
}

TEST(FoldStarve, RestsForTwiceAsLong) {
  Worker worker;
  for (unsigned rest = first; rest < longest; rest *= 2)
    EXPECT_EQ(worker.starve(), rest);
  EXPECT_EQ(worker.starve(), longest);
  EXPECT_EQ(worker.starve(), longest);
}

TEST(FoldStarve, ForgetsWhileItGoesOn) {
  Worker worker;
  for (int n = 0; n < 8; n++)
    worker.starve();
  worker.look(longest / 2, true);
  EXPECT_EQ(worker.starve(), longest / 2);
  worker.look(longest, true);
  EXPECT_EQ(worker.starve(), first);
}

} // namespace
