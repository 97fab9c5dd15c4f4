// SPDX-License-Identifier: GPL-3.0-or-later
// The state machine of a loop under every interleaving of its threads' atomic operations: each
// iteration runs once, all threads end, no two accesses race.
#include <gtest/gtest.h>

#include <iostream>

#include "explorer.h"

namespace {

using model::Case;
using model::Setting;

struct Kind {
  int kind;
  const char *name;
};

// A thread's sample is one chunk where sample_ns is 0. Where it is 10 an iteration is so long
// beside it that the sample is taken again, if the loop is long enough.
struct Shape {
  const char *name;
  gomp_aid_count ni, chunk;
  unsigned long sample_ns;
  std::vector<unsigned> classes, cost;
  bool roomy = true;
  std::vector<double> offline = {};
  std::vector<model::Move> moves = {};
};

const Kind kKinds[] = {
    {GFS_AID_STATIC, "static"}, {GFS_AID_HYBRID, "hybrid"}, {GFS_AID_DYNAMIC, "dynamic"}};

const Shape kShapes[] = {
    {"one_by_one", 7, 1, 0, {0, 1, 1}, {300, 100, 100}},
    {"chunks", 12, 2, 0, {0, 0, 1}, {200, 200, 100}},
    {"timed", 7, 0, 0, {0, 1, 1}, {300, 100, 100}},
    {"sampled_again", 20, 1, 10, {0, 1}, {300, 100}},
    {"timed_and_sampled_again", 16, 0, 10, {0, 1}, {300, 100}},
    {"near_the_end_of_numbers", 8, 1, 0, {0, 1}, {300, 100}, false},
    {"more_than_is_believed", 9, 2, 0, {0, 1, 1}, {100000, 1, 1}},
    {"no_time", 9, 2, 0, {0, 1, 1}, {0, 0, 0}},
    {"four_threads", 4, 0, 0, {0, 0, 1, 1}, {200, 200, 100, 100}},
    {"factors_given", 7, 1, 0, {0, 1, 1}, {300, 100, 100}, true, {1, 3}},
    // Two threads change places, or one leaves its class, before the sample ends, or after it.
    {"changed_places", 9, 1, 0, {0, 1}, {300, 100}, true, {}, {{0, 1, 1}, {1, 1, 0}}},
    {"became_fast", 8, 1, 0, {0, 0, 1}, {300, 300, 100}, true, {}, {{0, 2, 1}}},
    {"became_slow_before_its_allotment",
     8,
     1,
     0,
     {0, 1, 1},
     {300, 100, 100},
     true,
     {1, 3},
     {{2, 1, 0}}},
    {"became_fast_before_its_allotment",
     8,
     1,
     0,
     {0, 0, 1},
     {300, 300, 100},
     true,
     {1, 3},
     {{0, 1, 1}}},
    {"nothing_to_do", 0, 1, 0, {0, 1, 1}, {1, 1, 1}},
    {"fewer_iterations_than_threads", 2, 1, 0, {0, 1, 1}, {300, 100, 100}},
};

class Interleavings : public testing::TestWithParam<std::tuple<Kind, Shape>> {};

TEST_P(Interleavings, OnceAndWithoutRaces) {
  const auto &[kind, shape] = GetParam();
  Case what;
  what.setting.kind = kind.kind;
  what.setting.ni = shape.ni;
  what.setting.chunk = shape.chunk;
  what.setting.sample_ns = shape.sample_ns;
  what.setting.classes = shape.classes;
  what.setting.offline = shape.offline;
  what.cost = shape.cost;
  what.roomy = shape.roomy;
  what.moves = shape.moves;
  const model::Findings findings = explore(what);
  std::cout << "aid_" << kind.name << ", " << shape.name << ": " << findings.states << " states, "
            << findings.steps << " steps, " << findings.ends << " ends\n";
  EXPECT_EQ(findings.error, "");
  EXPECT_GT(findings.ends, 0u);
}

INSTANTIATE_TEST_SUITE_P(Aid, Interleavings,
                         testing::Combine(testing::ValuesIn(kKinds), testing::ValuesIn(kShapes)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param).name;
                         });

} // namespace
