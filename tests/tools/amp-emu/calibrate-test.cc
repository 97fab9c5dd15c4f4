// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the arithmetic of calibration, on a model of a CPU with theft.
#include "amp-emu/calibrate.h"

#include <cmath>
#include <gtest/gtest.h>

namespace amp {

// How many times slower than the others a CPU is under theft.
struct Model {
  double natural; // without theft
  double cost;    // of waking up, as a share of the period

  double factor(double duty) const { return natural / std::max(1 - duty - cost, 1e-4); }

  double duty_for(double asked) const {
    double duty = 0;
    for (int round = 0; round < 12; ++round)
      duty = next_duty(duty, round ? factor(duty) : natural, natural, asked, 0.99);
    return duty;
  }
};

TEST(NextDuty, ReachesTheFactorWhateverWakingCostsAndHowFastTheCpuIs) {
  for (const double natural : {0.6, 1.0, 1.3})
    for (const double cost : {0.0, 0.02, 0.14})
      for (const double asked : {2.0, 3.0, 10.0, 18.0}) {
        const Model cpu{natural, cost};
        EXPECT_NEAR(cpu.factor(cpu.duty_for(asked)) / asked, 1, 0.02)
            << natural << " " << cost << " " << asked;
      }
}

TEST(NextDuty, KeepsToItsBounds) {
  EXPECT_EQ(next_duty(0.1, 4, 3, 2, 0.9), 0);      // slower than asked by itself
  EXPECT_EQ(next_duty(0.9, 2, 1, 1000, 0.9), 0.9); // more than may be stolen
}

TEST(NextDuty, StealsNothingFromACpuAsSlowAsAsked) { EXPECT_EQ(next_duty(0, 2, 2, 2, 0.9), 0); }

TEST(IsNear, IsRelativeAndTwoSided) {
  EXPECT_TRUE(is_near({0, 4, 4.19}, 0.05));
  EXPECT_TRUE(is_near({0, 4, 3.81}, 0.05));
  EXPECT_FALSE(is_near({0, 4, 4.21}, 0.05));
  EXPECT_FALSE(is_near({0, 4, 3.79}, 0.05));
}

} // namespace amp
