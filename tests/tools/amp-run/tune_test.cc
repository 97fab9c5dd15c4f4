// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of which way is taken, and of the table of ways.
#include "amp-run/tune/tune.h"

#include <gtest/gtest.h>
#include <random>

namespace amp {

// The best way of runs with these seconds, plain first.
std::string best(const std::vector<std::vector<double>> &seconds,
                 std::size_t left_out = way_count) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    trials.push_back({&ways[i],
                      seconds[i],
                      i == left_out ? "it printed something else" : "",
                      {},
                      median_gain(seconds[0], seconds[i])});
  return trials[best_of(trials)].way->name;
}

TEST(Rounds, TheWayThatGainsMostIsTaken) {
  EXPECT_EQ(best({{1, 1, 1.01}, {.9, .9, .9}, {.8, .8, .8}}), "fast");
  EXPECT_EQ(best({{1, 1, 1.01}, {.8, .8, .8}, {.9, .9, .9}}), "bound");
  EXPECT_EQ(best({{1, 1, 1.01}, {.8, .8, .8}}, 1), "plain");
}

TEST(Rounds, OfTwoThatAreNearlyAsGoodTheEarlier) {
  EXPECT_EQ(best({{1, 1, 1}, {.80, .80, .80}, {.78, .78, .78}}), "bound");
  EXPECT_EQ(best({{1, 1, 1}, {.80, .80, .80}, {.79, .79, .79}, {.77, .77, .77}}), "fast2");
}

TEST(Gain, IsMoreThanPlainRunsDifferByAmongThemselves) {
  EXPECT_EQ(judge({1, 1, 1}, {.98, .98, .98}), Verdict::no);
  EXPECT_EQ(judge({1, 1, 1}, {.96, .96, .96}), Verdict::gains);
  EXPECT_EQ(judge({1, 1, 1}, {.5, 1, 1}), Verdict::no);
  EXPECT_EQ(judge({1, 1.2, 1.5}, {.8, .8, .8}), Verdict::undecided);
  EXPECT_EQ(judge({1, 1.2, 1.5}, {.2, .2, .2}), Verdict::gains);
  EXPECT_EQ(judge({1, 1.1, 1.1, 1.2, 1.1}, {.7, .8, .7, .8, .7}), Verdict::gains);
  EXPECT_EQ(judge({1, 1.1, 1.1}, {.8, .9, .8}), Verdict::undecided);
  EXPECT_EQ(judge({1, 1.01}, {.9, .9}), Verdict::undecided);
  EXPECT_EQ(judge({1}, {.5}), Verdict::undecided);
  EXPECT_EQ(judge({}, {}), Verdict::no);
}

// Times as beside other work: one in three runs takes up to three times as long.
TEST(Gain, IsNotFoundInNoise) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> unit;
  const auto seconds = [&] {
    return unit(random) < .33 ? 1 + 2 * unit(random) : 1 + unit(random) / 9;
  };
  int found = 0;
  for (int i = 0; i < 10000; ++i) {
    std::vector<double> plain, way;
    for (int round = 1; round <= 12; ++round) {
      plain.push_back(seconds());
      way.push_back(seconds());
      if (round >= 3 && judge(plain, way) != Verdict::undecided)
        break;
    }
    found += judge(plain, way) == Verdict::gains;
  }
  EXPECT_LT(found, 50);
}

TEST(Rounds, ARunMayTakeHalfAsLongAgainAsTheBest) {
  EXPECT_DOUBLE_EQ(limit_for(2), 3);
  EXPECT_DOUBLE_EQ(limit_for(0.01), 1.01);
}

TEST(Ways, WhatAppliesToAProgram) {
  Machine equal, uneven;
  equal.classes = {{0, 1}};
  uneven.classes = {{0}, {1}};
  uneven.ids = 3;
  Traits traits;
  EXPECT_EQ(names_of_ways(traits, equal), "plain");
  EXPECT_EQ(names_of_ways(traits, uneven), "plain, bound, fast");
  traits.parallel = true;
  EXPECT_EQ(names_of_ways(traits, uneven), "plain, bound, fast, folded");
  traits.reachable = true;
  EXPECT_EQ(names_of_ways(traits, uneven), "plain, bound, fast, folded, routed");
  traits = {};
  traits.unseen = true;
  EXPECT_EQ(names_of_ways(traits, uneven), "plain, bound, fast, folded, routed");
  EXPECT_EQ(names_of_ways(traits, equal), "plain");
}

TEST(Ways, OfThreeClassesTheTwoFastestAreOneToo) {
  Machine machine;
  machine.classes = {{4, 5}, {0, 1, 2}, {3}};
  machine.threads = 6;
  EXPECT_EQ(names_of_ways({}, machine), "plain, bound, fast, fast2");
  EXPECT_EQ(cpus_of(ways[way_fast2], machine), (CpuList{4, 5, 0, 1, 2}));
  EXPECT_EQ(threads_of(ways[way_fast2], machine), 5);
  EXPECT_EQ(threads_of(ways[way_fast], machine), 2);
  EXPECT_EQ(threads_of(ways[way_bound], machine), 6);
}

TEST(Ways, EachIsMadeOfVariablesByWhichAUserDecides) {
  for (const Way &way : ways) {
    EXPECT_EQ(find_way(way.name), &way);
    for (const Variable &variable : way.variables)
      if (variable.name) {
        const auto &names = deciding_variables();
        EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const char *name) {
          return std::string(name) == variable.name;
        })) << variable.name;
      }
  }
  EXPECT_EQ(find_way("none"), nullptr);
  EXPECT_EQ(find_way("turns"), nullptr);
  EXPECT_EQ(find_remembered_way("turns"), &ways[way_folded]);
}

TEST(Budget, IsATime) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("1.5s"), 1.5);
  EXPECT_EQ(parse_duration("10m"), 600);
  EXPECT_EQ(parse_duration("2h"), 7200);
  for (const char *const text : {"", "m", "-1", "0", "1d", "1 m", "nan", "inf", "1e9"})
    EXPECT_THROW(parse_duration(text), Failure) << text;
}

} // namespace amp
