// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of working out caps and what has to be written for them.
#include "amp-emu/cpufreq.h"

#include <gtest/gtest.h>

namespace amp {

// 500 to 2400 MHz, of which MINIMUM to MAXIMUM are permitted.
static Policy policy(Kilohertz minimum = 500000, Kilohertz maximum = 2400000) {
  return {"/p", {4, 5}, 500000, 2400000, minimum, maximum};
}

static std::vector<std::string> writes(const Policy &of, double khz) {
  std::vector<std::string> lines;
  for (const Setting &setting : settings_of({cap_of(of, CapUnit::khz, khz)}))
    lines.push_back(setting.file + " " + setting.before + " " + setting.value);
  return lines;
}

TEST(Cap, IsWhatEachUnitSays) {
  EXPECT_EQ(cap_of(policy(), CapUnit::khz, 1234567).khz, 1234567);
  EXPECT_EQ(cap_of(policy(), CapUnit::percent, 75).khz, 1800000);
  EXPECT_EQ(cap_of(policy(), CapUnit::factor, 3).khz, 800000);
}

TEST(Cap, RefersToTheHardwareNotToWhatIsSet) {
  EXPECT_EQ(cap_of(policy(500000, 2000000), CapUnit::percent, 50).khz, 1200000);
}

TEST(Cap, StaysWithinWhatIsPossibleAndPermitted) {
  const Cap low = cap_of(policy(), CapUnit::factor, 100);
  EXPECT_EQ(low.asked, 24000);
  EXPECT_EQ(low.khz, 500000);
  const Cap high = cap_of(policy(500000, 900000), CapUnit::khz, 1000000);
  EXPECT_EQ(high.asked, 1000000);
  EXPECT_EQ(high.khz, 900000);
  // A cap below the hardware's lowest, which some kernels report, is not raised.
  EXPECT_EQ(cap_of(policy(500000, 400000), CapUnit::khz, 100000).khz, 400000);
}

TEST(Settings, LowerTheMaximum) {
  EXPECT_EQ(writes(policy(), 800000),
            (std::vector<std::string>{"/p/scaling_max_freq 2400000 800000"}));
}

TEST(Settings, LowerAMinimumThatIsAboveTheCapFirst) {
  EXPECT_EQ(writes(policy(1000000), 800000),
            (std::vector<std::string>{"/p/scaling_min_freq 1000000 800000",
                                      "/p/scaling_max_freq 2400000 800000"}));
  EXPECT_EQ(writes(policy(800000), 800000).size(), 1u);
}

TEST(Settings, AreNoneWhereNothingChanges) {
  EXPECT_TRUE(writes(policy(), 2400000).empty());
  EXPECT_TRUE(writes(policy(), 9000000).empty());
}

} // namespace amp
