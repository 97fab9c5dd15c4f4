// SPDX-License-Identifier: GPL-3.0-or-later
// How loops are shared out that earlier runs have timed (libgomp/amp/loops/loop-shares.h): against
// simulated threads whose speeds and delays are known.

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

extern "C" {
#include "base/width.h"
#include "loops/loop-shares.h"
}

namespace {

// The threads of one class: how many, the nanoseconds of an iteration, and when they begin.
struct Class {
  unsigned threads;
  double time, lag;
};

class Loop {
public:
  explicit Loop(std::vector<Class> classes) : classes_(std::move(classes)) {
    for (size_t c = 0; c < classes_.size(); c++) {
      threads_.at(c) = classes_[c].threads;
      of_.at(c) = {1e-3, 1e3, 0, false};
    }
  }

  // Shares out NI iterations; returns how long the loop takes.
  double run(unsigned long long ni, bool fast = false) {
    predicted_ = gomp_loop_share(size(), threads_.data(), of_.data(), fast, ni, &shares_);
    double end = 0;
    unsigned long long all = 0;
    for (unsigned c = 0; c < size(); c++) {
      const Class &one = classes_[c];
      const bool more = c == shares_.fastest && shares_.extra != 0;
      times_.at(c) = {static_cast<unsigned long long>(one.lag), 0, 0};
      for (unsigned t = 0; t < one.threads; t++) {
        const unsigned long long share =
            shares_.share[c] + (c == shares_.fastest && t < shares_.extra);
        times_.at(c).work += static_cast<unsigned long long>(double(share) * one.time);
        times_.at(c).iterations += share;
        all += share;
      }
      if (shares_.share[c] + more != 0)
        end = std::max(end, one.lag + double(shares_.share[c] + more) * one.time);
    }
    EXPECT_EQ(all, ni);
    return end;
  }

  void learn(bool first = true) {
    gomp_loop_learn(size(), threads_.data(), times_.data(), first, of_.data());
  }

  unsigned long long share(unsigned cls) const { return shares_.share[cls]; }
  double predicted() const { return predicted_; }
  void slow_down(double factor) {
    for (Class &one : classes_)
      one.time *= factor;
  }
  void slow_down(unsigned cls, double factor) { classes_.at(cls).time *= factor; }
  // Threads of CLS take TIME longer in the run that is learned next.
  void disturb(unsigned cls, unsigned long long time) { times_.at(cls).work += time; }
  void delay(unsigned cls, unsigned long long time) { times_.at(cls).lag += time; }
  double length() const { return gomp_loop_length(size(), threads_.data(), of_.data(), &shares_); }
  // The least time that whole iterations allow.
  double best(unsigned long long ni) const {
    double least = 0, most = 1e12;
    while (most - least > 1e-6 * most) {
      const double end = (least + most) / 2;
      double done = 0;
      for (const Class &one : classes_)
        done += one.threads * std::max(0., std::floor((end - one.lag) / one.time * (1 + 1e-9)));
      (done < double(ni) ? least : most) = end;
    }
    return most;
  }

private:
  unsigned size() const { return classes_.size(); }

  std::vector<Class> classes_;
  std::array<unsigned, GOMP_LOOP_CLASSES> threads_{};
  std::array<gomp_loop_speed, GOMP_LOOP_CLASSES> of_{};
  std::array<gomp_loop_times, GOMP_LOOP_CLASSES> times_{};
  gomp_loop_shares shares_{};
  double predicted_ = 0;
};

TEST(LoopShares, AllEndTogetherInTheThirdRun) {
  Loop loop({{4, 30, 900}, {4, 10, 300}});
  loop.run(10000);
  loop.learn();
  loop.run(10000);
  loop.learn();
  EXPECT_LE(loop.run(10000), 1.005 * loop.best(10000));
  EXPECT_NEAR(loop.predicted(), loop.best(10000), .005 * loop.best(10000));
}

TEST(LoopShares, OtherTripCountsNeedNothingNew) {
  Loop loop({{4, 30, 900}, {4, 10, 300}});
  loop.run(10000);
  loop.learn();
  for (const unsigned long long ni : {100, 1000, 3000, 1000000})
    EXPECT_LE(loop.run(ni), 1.02 * loop.best(ni) + 250) << ni;
}

TEST(LoopShares, AClassThatBeginsTooLateGetsNothing) {
  Loop loop({{4, 30, 2500}, {4, 10, 300}});
  loop.run(1000);
  loop.learn();
  EXPECT_EQ(loop.run(500), 300 + 1250);
  EXPECT_EQ(loop.share(0), 0U);
  // It is still known how fast it is.
  loop.learn(false);
  EXPECT_LE(loop.run(10000), 1.01 * loop.best(10000));
  EXPECT_GT(loop.share(0), 0U);
}

TEST(LoopShares, OneClassOnly) {
  Loop loop({{4, 30, 0}, {4, 10, 0}});
  EXPECT_EQ(loop.run(4000, true), 10000);
  EXPECT_EQ(loop.share(0), 0U);
  Loop slow({{4, 30, 0}, {0, 10, 0}});
  EXPECT_EQ(slow.run(4001), 1001 * 30);
}

TEST(LoopShares, FewIterations) {
  Loop loop({{4, 3e6, 0}, {4, 1e6, 0}});
  loop.run(1000);
  loop.learn();
  // At most one iteration later.
  for (unsigned long long ni = 1; ni < 200; ni++)
    EXPECT_LE(loop.run(ni), loop.best(ni) + 1e6 + 1e3) << ni;
  EXPECT_EQ(loop.run(5), 2e6);
  EXPECT_EQ(loop.run(22), 5e6);
  EXPECT_EQ(loop.run(30), 6e6);
}

TEST(LoopShares, ThreeClasses) {
  Loop loop({{4, 40, 100}, {3, 20, 100}, {1, 10, 100}});
  loop.run(1000);
  loop.learn();
  loop.run(1000);
  loop.learn();
  EXPECT_LE(loop.run(10000), 1.01 * loop.best(10000));
}

TEST(LoopShares, ACostThatChangesIsFollowed) {
  Loop loop({{4, 30, 0}, {4, 10, 0}});
  loop.run(1000);
  loop.learn();
  loop.slow_down(10);
  for (int i = 0; i < 8; i++) {
    EXPECT_LE(loop.run(1000), 1.05 * loop.best(1000));
    loop.learn(false);
  }
  loop.run(1000);
  EXPECT_NEAR(loop.predicted(), loop.best(1000), .05 * loop.best(1000));
}

// The widths of a loop, that is, which kinds of runs are compared and how often.
class Widths {
public:
  double run(const std::array<double, GOMP_WIDTHS> &times) {
    bool timed = false;
    unsigned long long most = 0;
    const gomp_width width =
        gomp_width_choose(&gomp_width_of_loops, &widths_, may_.data(), 8, &timed, &most);
    if (timed)
      gomp_width_note(&gomp_width_of_loops, &widths_, may_.data(), width,
                      static_cast<unsigned long long>(times.at(width)), 8);
    return times.at(width);
  }
  int width() const { return widths_.width; }
  void begin(gomp_width width) { widths_.width = widths_.tried = width; }
  void forbid(gomp_width width) { may_.at(width) = false; }

private:
  gomp_widths widths_{};
  std::array<bool, GOMP_WIDTHS> may_{true, true, true};
};

TEST(LoopWidths, TrialsCostOnePercentFromTheStart) {
  for (const double fast : {1.05, 1.33, 3.}) {
    Widths widths;
    widths.begin(GOMP_WIDTH_SHARES);
    double sum = 0;
    widths.forbid(GOMP_WIDTH_ALL);
    for (int i = 1; i <= 20000; i++) {
      sum += widths.run({2000, 1000 * fast, 1000});
      if (i >= 200 && i % 100 == 0) {
        EXPECT_LE(sum, 1000. * i * 1.01 + 2000 * fast) << i;
      }
    }
    EXPECT_EQ(widths.width(), GOMP_WIDTH_SHARES);
  }
}

TEST(LoopWidths, TheFastClassAloneIsFound) {
  Widths widths;
  widths.begin(GOMP_WIDTH_SHARES);
  for (int i = 0; i < 300; i++)
    widths.run({2000, 800, 1000});
  EXPECT_EQ(widths.width(), GOMP_WIDTH_FAST);
}

TEST(LoopShares, OneDisturbedRunDoesNotCount) {
  Loop loop({{1, 30, 900}, {1, 10, 300}});
  for (const bool first : {true, false}) {
    loop.run(1000);
    loop.learn(first);
  }
  const double undisturbed = loop.run(1000);
  for (unsigned cls = 0; cls < 2; cls++) {
    loop.disturb(cls, 3000000);
    loop.learn(false);
    EXPECT_EQ(loop.run(1000), undisturbed);
    loop.learn(false);
    loop.delay(cls, 3000000);
    loop.learn(false);
    EXPECT_EQ(loop.run(1000), undisturbed);
    loop.learn(false);
  }
}

TEST(LoopShares, TheFirstRunMayBeTheDisturbedOne) {
  Loop loop({{1, 30, 900}, {1, 10, 300}});
  loop.run(1000);
  loop.disturb(0, 3000000);
  loop.learn();
  for (int i = 0; i < 3; i++) {
    loop.run(1000);
    loop.learn(false);
  }
  EXPECT_LE(loop.run(1000), 1.05 * loop.best(1000));
  Loop late({{1, 30, 900}, {1, 10, 300}});
  late.run(1000);
  late.delay(0, 3000000);
  late.learn();
  late.run(1000);
  late.learn(false);
  EXPECT_LE(late.run(1000), 1.05 * late.best(1000));
}

TEST(LoopShares, WhatIsSoTwiceCounts) {
  Loop loop({{1, 30, 900}, {1, 10, 300}});
  for (const bool first : {true, false, false}) {
    loop.run(1000);
    loop.learn(first);
  }
  loop.slow_down(0, 10);
  for (int i = 0; i < 2; i++) {
    loop.run(1000);
    loop.learn(false);
  }
  EXPECT_LE(loop.run(1000), 1.05 * loop.best(1000));
}

// As between the levels of a multigrid. The slow class runs nothing on the small one, and so does
// not show there that iterations are longer.
TEST(LoopShares, IterationsMayChangeForAllClasses) {
  Loop loop({{4, 3000, 400}, {4, 1000, 350}});
  loop.run(640);
  loop.learn();
  loop.slow_down(100);
  loop.run(4);
  EXPECT_EQ(loop.share(0), 0U);
  loop.learn(false);
  for (int run = 0; run < 3; run++) {
    loop.run(640);
    loop.learn(false);
    EXPECT_LE(loop.run(640), 1.05 * loop.best(640)) << run;
  }
}

TEST(LoopShares, TheLengthIsThatOfTheLastThread) {
  Loop loop({{4, 30, 900}, {4, 10, 300}});
  loop.run(10000);
  loop.learn();
  for (const unsigned long long ni : {1, 5, 100, 10001}) {
    const double run = loop.run(ni);
    EXPECT_NEAR(loop.length(), run, 1e-6 * run) << ni;
  }
}

} // namespace
