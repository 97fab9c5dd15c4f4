// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of which way is taken, and of the table of ways.
#include "amp-run/tune/rounds.h"
#include "amp-run/tune/tune.h"

#include <gtest/gtest.h>

namespace amp {

// The best way of runs with these seconds, plain first.
std::string best(const std::vector<std::vector<double>> &seconds, std::size_t complete = 3,
                 std::size_t left_out = way_count) {
  Rounds rounds;
  rounds.complete = complete;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    rounds.trials.push_back({&ways[i], seconds[i], "", {}, 0, 0});
    if (i == left_out)
      rounds.trials.back().left_out = "it printed something else";
  }
  sum_up(rounds);
  const Trial *const trial = best_of(rounds);
  return trial ? trial->way->name : "none";
}

TEST(Rounds, TheWayThatGainsMostIsTaken) {
  EXPECT_EQ(best({{1, 1, 1}, {.9, .9, .9}, {.8, .8, .8}}), "fast");
  EXPECT_EQ(best({{1, 1, 1}, {.8, .8, .8}, {.9, .9, .9}}), "bound");
  EXPECT_EQ(best({{1, 1, 1}, {.8, .8, .8}}, 3, 1), "plain");
}

TEST(Rounds, OfTwoThatAreNearlyAsGoodTheEarlier) {
  EXPECT_EQ(best({{1, 1, 1}, {.80, .80, .80}, {.78, .78, .78}}), "bound");
  EXPECT_EQ(best({{1, 1, 1}, {.80, .80, .80}, {.79, .79, .79}, {.77, .77, .77}}), "turns");
}

TEST(Rounds, ThreePercentInTheMedianAndInTwoOfThreeRounds) {
  EXPECT_EQ(best({{1, 1, 1}, {.98, .98, .98}}), "plain");
  EXPECT_EQ(best({{1, 1, 1}, {.96, .96, 1.2}}), "bound");
  EXPECT_EQ(best({{1, 1, 1}, {.5, 1, 1}}), "plain");
  EXPECT_EQ(best({{1, 1}, {.9, .9}}, 2), "bound");
  EXPECT_EQ(best({{1, 1}, {.5, 1}}, 2), "plain");
  EXPECT_EQ(best({{1, 1, 1, 1, 1}, {.9, .9, .9, 1, 1}}, 5), "plain");
}

TEST(Rounds, OneRoundIsNone) { EXPECT_EQ(best({{1}, {.5}}, 1), "none"); }

TEST(Rounds, ARunMayTakeHalfAsLongAgainAsTheBest) {
  EXPECT_DOUBLE_EQ(limit_for(2), 3);
  EXPECT_DOUBLE_EQ(limit_for(0.01), 1.01);
}

TEST(Ways, WhatAppliesToAProgram) {
  Machine equal, uneven;
  equal.classes = {{{0, 1}, 1024}};
  uneven.classes = {{{0}, 1024}, {{1}, 512}};
  uneven.ids = 3;
  Traits traits;
  EXPECT_EQ(names_of_ways(traits, equal), "plain");
  EXPECT_EQ(names_of_ways(traits, uneven), "plain, bound, fast");
  traits.parallel = traits.stateful = true;
  EXPECT_EQ(names_of_ways(traits, uneven), "plain, bound, fast, turns, calls");
  traits.callable = true;
  traits.reachable = true;
  EXPECT_EQ(names_of_ways(traits, uneven), way_names());
  traits = {};
  traits.unseen = true;
  EXPECT_EQ(names_of_ways(traits, uneven), way_names());
  EXPECT_EQ(names_of_ways(traits, equal), "plain");
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
