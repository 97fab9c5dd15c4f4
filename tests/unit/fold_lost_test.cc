// SPDX-License-Identifier: GPL-3.0-or-later
// Which regions lose too much time because their ids wait (libgomp/amp/fold/fold-lost.h).
#include <gtest/gtest.h>

#include <random>

extern "C" {
#include "fold/fold-lost.h"
}

namespace {

// A region whose ids are held one after the other, looked at as the watching thread does.
class Region {
public:
  // For so many looks ids are not held.
  void go_on(unsigned looks) {
    while (looks-- != 0)
      look(true);
  }

  // An id computes for so many looks, of which it gets each second one from a rescue on.
  void compute(unsigned looks) { hold(looks, looks); }

  // The same, but what ends it is the clock.
  void look_at_clock(unsigned looks) { hold(looks, 0); }

  // An id spins until it is rescued, and so many looks after that.
  void spin(unsigned after) {
    after_ = after;
    hold(kForever, kForever);
  }

  // An id sleeps, and its worker has others at each second look.
  void sleep(unsigned looks) {
    for (unsigned look_at = 0; look_at < looks; look_at++) {
      look(false);
      lost_.slept += look_at % 2;
    }
  }

  bool loses() const { return gomp_fold_loses(&lost_); }
  bool waits() const { return lost_.waits; }
  unsigned rescues() const { return rescues_; }
  // For how long ids were held before a rescue.
  unsigned held() const { return held_; }

private:
  static constexpr unsigned kForever = 1000000;
  static constexpr unsigned long long kLook = GOMP_FOLD_LOOK_NS;

  void look(bool moved) {
    if (trial_.of)
      gomp_fold_look_at_trial(&trial_, now_ns_);
    gomp_fold_note_look(&lost_, moved);
  }

  // An id is held until it has used so many looks of CPU time, and so many have passed.
  void hold(unsigned looks, unsigned cpu) {
    unsigned half = 0, rescued_at = 0;
    const unsigned long long began = now_ns_;
    for (unsigned passed = 1; passed <= looks || now_ns_ < began + cpu * kLook; passed++) {
      ASSERT_LT(passed, kForever) << "it is never rescued";
      if (rescued_at == 0 || ++half % 2 == 0)
        now_ns_ += kLook;
      look(false);
      if (rescued_at != 0) {
        if (looks == kForever && passed - rescued_at >= after_)
          break;
        continue;
      }
      const gomp_fold_hold id = {&steps_, 0, began, passed, unsigned((now_ns_ - began) / kLook)};
      if (gomp_fold_held(&trial_, &lost_, &id, true)) {
        gomp_fold_note_rescue(&trial_, &lost_, &id, true);
        rescued_at = passed;
        rescues_++;
        held_ += passed;
      }
    }
    steps_ += 2;
    look(true);
  }

  gomp_fold_lost lost_ = {};
  gomp_fold_trial trial_ = {};
  unsigned long long now_ns_ = 1000000000;
  unsigned steps_ = 0, rescues_ = 0, held_ = 0, after_ = 0;
};

TEST(FoldLost, ARegionThatGoesOnLosesNothing) {
  Region region;
  region.go_on(10000);
  EXPECT_FALSE(region.loses());
}

// What decides takes some seconds at most, however long the ids run once they were rescued.
TEST(FoldLost, ARegionThatSpinsLoses) {
  for (const unsigned after : {0, 1, 5, 20, 100}) {
    Region region;
    unsigned runs = 0;
    for (; runs < 100 && !region.loses(); runs++)
      region.spin(after);
    EXPECT_TRUE(region.waits()) << after;
    EXPECT_LE(region.held(), 120 + 6 * after) << after;
    EXPECT_LE(runs, 30u) << after;
  }
}

// EP: one region of seconds, or some.
TEST(FoldLost, ARegionThatComputesIsRescuedOnce) {
  for (const bool clock : {false, true})
    for (const unsigned looks : {1, 4, 6, 12, 50, 500}) {
      Region region;
      for (int run = 0; run < 50; run++)
        clock ? region.look_at_clock(looks) : region.compute(looks);
      EXPECT_FALSE(region.waits()) << looks;
      EXPECT_FALSE(region.loses()) << looks;
      // Slowly it is forgotten.
      EXPECT_LE(region.rescues(), looks < 50 ? 1u : 1 + 50 * looks / 5000) << looks;
    }
}

// Whatever its runs are like, ids that compute are hardly ever taken for such that wait.
TEST(FoldLost, ARegionOfManySizesComputes) {
  std::mt19937 random;
  int waits = 0;
  for (int program = 0; program < 500; program++) {
    Region region;
    const unsigned period = 2 + random() % 9;
    for (unsigned run = 0; run < 200; run++)
      region.compute(run % period == 0 ? 5 + random() % 200 : 1 + random() % 5);
    waits += region.waits();
  }
  // The tests before this one change what is drawn: 5 to 12.
  EXPECT_LE(waits, 20);
}

// The first trial meets a light id, and the others heavy ones.
TEST(FoldLost, ARegionOfUnlikeIdsComputes) {
  int rescues = 0;
  for (int program = 0; program < 20; program++) {
    Region region;
    region.compute(12);
    for (int run = 0; run < 20; run++)
      region.compute(75);
    EXPECT_FALSE(region.waits());
    rescues += int(region.rescues());
  }
  EXPECT_LE(rescues, 20 * 4);
}

TEST(FoldLost, ARegionThatBeginsToWaitIsFound) {
  Region region;
  for (int run = 0; run < 50; run++)
    region.compute(2);
  for (int run = 0; run < 30 && !region.loses(); run++)
    region.spin(3);
  EXPECT_TRUE(region.loses());
  EXPECT_LE(region.held(), 150u);
}

// An id that waited for the one that was rescued in its place makes its step aided.
TEST(FoldLost, AnIdThatWasAidedShowsNothing) {
  gomp_fold_lost lost = {};
  gomp_fold_trial trial = {};
  const unsigned steps = 0;
  const gomp_fold_hold id = {&steps, 0, 0, 50, 50};
  EXPECT_TRUE(gomp_fold_held(&trial, &lost, &id, false));
  EXPECT_EQ(trial.of, nullptr);
}

TEST(FoldLost, ARescueThatWokeNobodyIsNoTrial) {
  gomp_fold_lost lost = {};
  gomp_fold_trial trial = {};
  const unsigned steps = 0;
  const gomp_fold_hold id = {&steps, 0, 0, 50, 50};
  EXPECT_TRUE(gomp_fold_held(&trial, &lost, &id, true));
  EXPECT_NE(trial.of, nullptr);
  gomp_fold_note_rescue(&trial, &lost, &id, false);
  EXPECT_EQ(trial.of, nullptr);
  EXPECT_EQ(lost.held, 0u);
  // Once some were woken there may be no others.
  EXPECT_TRUE(gomp_fold_held(&trial, &lost, &id, true));
  gomp_fold_note_rescue(&trial, &lost, &id, true);
  EXPECT_TRUE(gomp_fold_held(&trial, &lost, &id, true));
  gomp_fold_note_rescue(&trial, &lost, &id, false);
  EXPECT_NE(trial.of, nullptr);
}

// An id that yields the core all the time gets little of it, where others compute.
TEST(FoldLost, AnIdWithoutCpuTimeIsRescuedAtLast) {
  for (const bool longer : {false, true}) {
    gomp_fold_lost lost = {};
    gomp_fold_trial trial = {};
    const unsigned steps = 0;
    lost.short_looks = longer ? 10 : 0;
    unsigned looks = 0;
    for (gomp_fold_hold id = {&steps, 0, 0, 0, 0}; looks < 1000; looks++, id.looks++)
      if (gomp_fold_held(&trial, &lost, &id, true))
        break;
    EXPECT_LT(looks, 200u);
  }
}

TEST(FoldLost, ARegionThatSleepsLosesAtOnce) {
  Region region;
  region.sleep(12);
  EXPECT_TRUE(region.loses());
}

// A tenth of its last 10 s counts, not of all its time.
TEST(FoldLost, LossesOfLongAgoAreForgotten) {
  Region region;
  region.go_on(100000);
  region.sleep(160);
  EXPECT_TRUE(region.loses());
  Region rare;
  for (int i = 0; i < 1000; i++) {
    rare.go_on(200);
    rare.sleep(20);
    EXPECT_FALSE(rare.loses()) << i;
  }
}

} // namespace
