// SPDX-License-Identifier: GPL-3.0-or-later
// On how many workers regions are run (libgomp/amp/base/width.h): simulated regions whose time
// by each width is known.

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

extern "C" {
#include "base/width.h"
}

namespace {

using Times = std::array<double, GOMP_WIDTHS>;

constexpr unsigned kWorkers = 8;

// A region whose runs take TIMES nanoseconds, and up to NOISE of that more.
class Region {
public:
  explicit Region(double noise) : noise_(0, noise) {}

  // Runs it once; returns what that took.
  double run(const Times &times) {
    bool timed = false;
    unsigned long long most = 0;
    const gomp_width width =
        gomp_width_choose(&gomp_width_of_regions, &widths_, may_.data(), kWorkers, &timed, &most);
    const double ns = times.at(width) * (1 + noise_(random_));
    failed_ += most != 0 && ns > double(most);
    if (timed)
      gomp_width_note(&gomp_width_of_regions, &widths_, may_.data(), width,
                      static_cast<unsigned long long>(ns), kWorkers);
    last_ = width;
    return ns;
  }

  double run(const Times &times, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
      sum += run(times);
    return sum;
  }

  void forbid(gomp_width width) { may_.at(width) = false; }
  gomp_width last() const { return last_; }
  int best() const { return widths_.width; }
  // How many runs of trials took longer than any should.
  int failed() const { return failed_; }

private:
  gomp_widths widths_{};
  std::array<bool, GOMP_WIDTHS> may_{true, true, true};
  std::mt19937 random_{1};
  std::uniform_real_distribution<double> noise_;
  gomp_width last_ = GOMP_WIDTH_ALL;
  int failed_ = 0;
};

TEST(Width, TheBestOneIsFound) {
  for (int best = 0; best < GOMP_WIDTHS; best++)
    for (const double ns : {500., 5000., 50000.}) {
      Times times{ns * 1.3, ns * 1.3, ns * 1.3};
      times.at(best) = ns;
      Region region(.05);
      region.run(times, 3000);
      EXPECT_EQ(region.best(), best) << ns;
    }
}

TEST(Width, TrialsCostOnePercent) {
  const Times times{1000, 2000, 8000};
  Region region(.05);
  region.run(times, 1000);
  const int runs = 200000;
  EXPECT_LE(region.run(times, runs), 1.01 * 1.05 * times[GOMP_WIDTH_ALL] * runs);
}

// As where ids wait for each other outside of libgomp.
TEST(Width, ATrialThatFailsEndsAtOnce) {
  const Times times{1000, 1000, 1e7};
  Region region(.05);
  region.run(times, 100000);
  EXPECT_EQ(region.failed(), 1);
}

TEST(Width, LongRegionsAreNotRunByOneThread) {
  const double ns = 1e6;
  const Times times{ns, 1.5 * ns, 8 * ns};
  Region region(0);
  for (int i = 0; i < 5000; i++) {
    region.run(times);
    EXPECT_NE(region.last(), GOMP_WIDTH_FIRST);
  }
}

TEST(Width, AChangeIsSeen) {
  Region region(.05);
  region.run({1000, 2000, 500}, 3000);
  EXPECT_EQ(region.best(), GOMP_WIDTH_FIRST);
  region.run({10000, 20000, 60000}, 3000);
  EXPECT_EQ(region.best(), GOMP_WIDTH_ALL);
}

TEST(Width, TheOnlyOtherOneIsTriedAgain) {
  for (const gomp_width other : {GOMP_WIDTH_FAST, GOMP_WIDTH_FIRST}) {
    Region region(.05);
    region.forbid(other == GOMP_WIDTH_FAST ? GOMP_WIDTH_FIRST : GOMP_WIDTH_FAST);
    Times times{1000, 3000, 3000};
    region.run(times, 1000);
    EXPECT_EQ(region.best(), GOMP_WIDTH_ALL);
    times.at(other) = 500;
    region.run(times, 10000);
    EXPECT_EQ(region.best(), other);
  }
}

TEST(Width, AWidthThatThereIsNotIsNotChosen) {
  Region region(.05);
  region.forbid(GOMP_WIDTH_FAST);
  for (int i = 0; i < 5000; i++) {
    region.run({1000, 1, 2000});
    EXPECT_NE(region.last(), GOMP_WIDTH_FAST);
  }
  region.forbid(GOMP_WIDTH_FIRST);
  region.run({1000, 1, 1}, 100);
  EXPECT_EQ(region.best(), GOMP_WIDTH_ALL);
}

} // namespace
