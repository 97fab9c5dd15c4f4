// SPDX-License-Identifier: GPL-3.0-or-later
// The model of a chip's power, against values worked out by hand.
#include "amp-emu/power.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace amp {

static std::string reason(const std::string &text) {
  try {
    parse_chip("a.chip", text);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "";
}

TEST(Power, ChipsAreKnown) {
  EXPECT_EQ(find_chip(default_chip()).name, "exynos5422");
  // The paper's bounds: four little cores, or four big ones, that compute.
  const ChipPower chip = find_chip("exynos5422");
  EXPECT_NEAR(chip.slowest.idle + 4 * chip.slowest.active, 0.75, 0.01);
  EXPECT_NEAR(chip.fastest.idle + 4 * chip.fastest.active, 3.5, 0.01);
  EXPECT_THROW(find_chip("exynos"), std::invalid_argument);
}

TEST(Power, ReadsAFile) {
  const ChipPower chip = parse_chip(
      "a.chip", "# a chip\nfastest idle=0.5 active=4 # big\n\n slowest active=1 spin=0.25 "
                "sleep=0.1 scale=0.5\n");
  EXPECT_EQ(chip.name, "a.chip");
  EXPECT_EQ(chip.fastest.idle, 0.5);
  EXPECT_EQ(chip.fastest.active, 4);
  EXPECT_EQ(chip.fastest.spin, 1);
  EXPECT_EQ(chip.fastest.sleep, 0);
  EXPECT_EQ(chip.slowest.idle, 0);
  EXPECT_EQ(chip.slowest.spin, 0.25);
  EXPECT_EQ(chip.slowest.sleep, 0.1);
  EXPECT_EQ(chip.slowest.scale, 0.5);
}

TEST(Power, BadFiles) {
  const std::string fast = "fastest active=1\n";
  EXPECT_EQ(reason(fast).find("a.chip: no line 'slowest'"), 0u);
  EXPECT_EQ(reason("big active=1\n").find("a.chip:1: 'big' is neither"), 0u);
  EXPECT_EQ(reason(fast + fast).find("a.chip:2: 'fastest' has a line already"), 0u);
  for (const char *word : {"busy=1", "active", "active=", "active=x", "active=-1", "active=10001",
                           "spin=1.1", "scale=0", "scale=2"})
    EXPECT_EQ(reason(fast + "slowest " + word).find(std::string("a.chip:2: '") + word + "'"), 0u)
        << word << ": " << reason(fast + "slowest " + word);
}

static nlohmann::ordered_json core_class(double speed, int used, double busy, double spin) {
  return {{"speed", speed},        {"used", used},          {"busy_ns", busy * 1e9},
          {"spin_ns", spin * 1e9}, {"parallel_busy_ns", 0}, {"parallel_spin_ns", 0}};
}

TEST(Power, AddsUpAllStates) {
  // Ten seconds. Four fast cores compute for 20 s and spin for 8 in sum: they sleep for 12.
  // Of the slow ones only one is used, for 5 s; it sleeps for 5.
  nlohmann::ordered_json process = {{"makespan_ns", 10e9},
                                    {"parallel", {{"makespan_ns", 2e9}}},
                                    {"classes", {core_class(3, 4, 20, 8), core_class(1, 1, 5, 0)}}};
  add_energy(process, {"x", {0.5, 2, 0.5, 0.25, 1}, {0.1, 1, 1, 0, 1}});
  const double fast = 0.5 * 10 + 2 * (20 + 4) + 0.25 * 12, slow = 0.1 * 10 + 5;
  EXPECT_DOUBLE_EQ(process["energy"]["joules"], fast + slow);
  EXPECT_DOUBLE_EQ(process["energy"]["watts"], 6.2);
  EXPECT_DOUBLE_EQ(process["energy"]["edp_js"], 620);
  // In the two seconds of its parallel part nothing runs, of these cores five sleep.
  EXPECT_DOUBLE_EQ(process["parallel"]["energy"]["joules"], 2 * (0.5 + 0.1) + 4 * 2 * 0.25);
}

TEST(Power, AClusterWithoutThreadsIsOff) {
  nlohmann::ordered_json process = {{"makespan_ns", 1e9},
                                    {"parallel", {{"makespan_ns", 1e9}}},
                                    {"classes", {core_class(3, 0, 0, 0), core_class(1, 1, 1, 0)}}};
  add_energy(process, {"x", {100, 2, 1, 0, 1}, {0.5, 1, 1, 0, 1}});
  EXPECT_DOUBLE_EQ(process["energy"]["joules"], 1.5);
}

TEST(Power, BusyClustersAreThrottled) {
  // Four cores at 4^-0.5: each uses half.
  nlohmann::ordered_json process = {{"makespan_ns", 1e9},
                                    {"parallel", {{"makespan_ns", 2e9}}},
                                    {"classes", {core_class(1, 4, 4, 0)}}};
  add_energy(process, {"x", {0, 2, 1, 0, 0.5}, {}});
  EXPECT_DOUBLE_EQ(process["energy"]["joules"], 4);
}

TEST(Power, ClassesBetweenAreBetween) {
  // The middle one of 4, 2 and 1 is half way by its speed: sqrt (8 * 2) W.
  nlohmann::ordered_json process = {
      {"makespan_ns", 1e9},
      {"parallel", {{"makespan_ns", 2e9}}},
      {"classes", {core_class(4, 0, 0, 0), core_class(2, 1, 1, 0), core_class(1, 0, 0, 0)}}};
  add_energy(process, {"x", {0, 8, 1, 0, 1}, {0, 2, 1, 0, 1}});
  EXPECT_DOUBLE_EQ(process["energy"]["joules"], 4);
  // It spins for a second besides, with sqrt (1 * 0.25) of that.
  process["classes"][1]["spin_ns"] = 1e9;
  add_energy(process, {"x", {0, 8, 1, 0, 1}, {0, 2, 0.25, 0, 1}});
  EXPECT_DOUBLE_EQ(process["energy"]["joules"], 6);
}

// Sums that were rounded leave no negative time to sleep.
TEST(Power, NothingSleepsForLessThanNoTime) {
  nlohmann::ordered_json process = {{"makespan_ns", 1e9},
                                    {"parallel", {{"makespan_ns", 1e9}}},
                                    {"classes", {core_class(1, 1, 1.5, 0)}}};
  add_energy(process, {"x", {0, 2, 1, 100, 1}, {}});
  EXPECT_DOUBLE_EQ(process["energy"]["joules"], 3);
}

TEST(Power, WhatIdlesCountsOnceForSeveral) {
  // Ten seconds, two fast cores and one slow one. Two programs, each on both fast cores at another
  // time; one of them on the slow core too.
  auto fast = core_class(3, 2, 6, 0), slow = core_class(1, 1, 5, 0), off = core_class(1, 0, 0, 0);
  fast["cpus"] = "0-1";
  slow["cpus"] = off["cpus"] = "2";
  const nlohmann::ordered_json processes = {{{"classes", {fast, off}}},
                                            {{"classes", {fast, slow}}}};
  const auto energy = energy_of_all(processes, 10, {"x", {0.5, 2, 1, 0.25, 1}, {0.1, 1, 1, 0, 1}});
  EXPECT_DOUBLE_EQ(energy["joules"], 0.5 * 10 + 2 * 12 + 0.25 * (20 - 12) + 0.1 * 10 + 5);
}

} // namespace amp
