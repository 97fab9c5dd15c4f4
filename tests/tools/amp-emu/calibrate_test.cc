// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the arithmetic of calibration, on a model of a CPU with theft.
#include "amp-emu/calibrate.h"

#include <cmath>
#include <gtest/gtest.h>

namespace amp {

constexpr Nanoseconds us = 1000;
constexpr Cycle none{0, 150 * us};

// How many times slower than the others a CPU is under theft.
struct Model {
  double natural;     // without theft
  Nanoseconds waking; // what that takes, once a period

  double factor(Cycle cycle) const {
    if (cycle.duty <= 0)
      return natural;
    const double cost = static_cast<double>(waking) / static_cast<double>(cycle.period);
    return natural / std::max(1 - cycle.duty - cost, 1e-4);
  }

  Cycle cycle_for(double asked) const {
    Cycle cycle = none;
    for (int round = 0; round < 12; ++round)
      cycle = next_cycle(cycle, factor(cycle), natural, asked, 0.99);
    return cycle;
  }
};

TEST(NextCycle, ReachesTheFactorWhateverWakingCostsAndHowFastTheCpuIs) {
  for (const double natural : {0.6, 1.0, 1.3})
    for (const Nanoseconds waking : {0 * us, 3 * us, 22 * us})
      for (const double asked : {1.05, 1.1, 1.25, 2.0, 3.0, 10.0, 18.0}) {
        const Model cpu{natural, waking};
        // What is slower by itself than asked cannot be helped.
        EXPECT_NEAR(cpu.factor(cpu.cycle_for(asked)) / std::max(asked, natural), 1, 0.02)
            << natural << " " << waking << " " << asked;
      }
}

TEST(NextCycle, KeepsThePeriodUnlessWakingIsMostOfTheTheft) {
  const Model cpu{1, 22 * us};
  EXPECT_EQ(cpu.cycle_for(2).period, none.period);
  const Cycle longer = cpu.cycle_for(1.1); // 9 % are to be stolen, and waking would take 15 %
  EXPECT_NEAR(static_cast<double>(longer.period), 22e3 / (0.5 * (1 - 1 / 1.1)), 1e3);
  EXPECT_EQ(cpu.cycle_for(1.001).period, longest_period);
}

TEST(NextCycle, NeedsOneStepWhereTheMeasurementIsExact) {
  const Model cpu{1, 22 * us};
  for (const double asked : {1.05, 1.1, 1.5, 4.0}) {
    const Cycle first{0.1, 150 * us};
    const Cycle next = next_cycle(first, cpu.factor(first), 1, asked, 0.99);
    EXPECT_NEAR(cpu.factor(next), asked, 1e-3);
  }
}

TEST(NextCycle, KeepsToItsBounds) {
  EXPECT_EQ(next_cycle({0.1, 150 * us}, 4, 3, 2, 0.9).duty, 0);      // slower than asked by itself
  EXPECT_EQ(next_cycle({0.9, 150 * us}, 4, 1, 1000, 0.9).duty, 0.9); // more than may be stolen
}

TEST(NextCycle, NeverStopsWakingWhileThereIsSomethingToSteal) {
  EXPECT_GT(next_cycle({0.01, longest_period}, 1.2, 1, 1.01, 0.9).duty, 0);
}

TEST(NextCycle, StealsNothingFromACpuAsSlowAsAsked) {
  EXPECT_EQ(next_cycle(none, 2, 2, 2, 0.9).duty, 0);
}

TEST(IsNear, IsRelativeAndTwoSided) {
  EXPECT_TRUE(is_near({0, 4, 4.19}, 0.05));
  EXPECT_TRUE(is_near({0, 4, 3.81}, 0.05));
  EXPECT_FALSE(is_near({0, 4, 4.21}, 0.05));
  EXPECT_FALSE(is_near({0, 4, 3.79}, 0.05));
}

} // namespace amp
