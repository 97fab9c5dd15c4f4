// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator against what can be worked out by hand.
#include "sim/engine.h"

#include <gtest/gtest.h>

namespace coord {
namespace {

Program single(double work, double factor, double working_set = 0) {
  Program program;
  program.name = "single";
  program.phases = {{work, {1, factor}, 0}};
  program.working_set = working_set;
  return program;
}

Program amdahl(double work, int threads, double factor, double serial) {
  Program program = single(work, factor);
  program.threads = threads;
  program.malleable = true;
  program.throughput = std::make_shared<AmdahlThroughput>(std::vector{1, factor}, serial);
  return program;
}

TEST(Engine, OneThreadTakesItsWork) {
  const Program program = single(3, 2);
  Scenario scenario{.machine = parse_machine("1x1"), .arrivals = {{&program, kSecond, 2}}};
  const Result result = simulate(scenario);
  ASSERT_EQ(result.runs.size(), 2u);
  EXPECT_NEAR(result.runs[0].wall_s(), 3, 1e-6);
  EXPECT_NEAR(seconds(result.end), 7, 1e-6);
  EXPECT_NEAR(result.runs[1].cpu_s[0], 3, 1e-6);
}

TEST(Engine, ThreadsOfACoreShareIt) {
  const Program first = single(1, 2), second = single(3, 2);
  Scenario scenario{.machine = parse_machine("1x1"), .arrivals = {{&first, 0, 1}, {&second, 0, 1}}};
  const Result result = simulate(scenario);
  EXPECT_NEAR(seconds(result.runs[0].end), 2, 1e-6);
  EXPECT_NEAR(seconds(result.runs[1].end), 4, 1e-6);
  scenario.switch_share = 0.1;
  EXPECT_NEAR(seconds(simulate(scenario).end), 2 / 0.9 + 2, 1e-6);
}

TEST(Engine, AnIdleCorePullsAThread) {
  // Four threads on two cores; two end at 2 s, on whichever cores they were, and then each core has
  // one.
  const Program brief = single(1, 1), rest = single(3, 1);
  for (std::uint64_t seed = 1; seed < 6; seed++) {
    Scenario scenario{.machine = parse_machine("2x1"),
                      .arrivals = {{&brief, 0, 1}, {&brief, 0, 1}, {&rest, 0, 1}, {&rest, 0, 1}},
                      .seed = seed};
    EXPECT_NEAR(seconds(simulate(scenario).end), 4, 1e-6);
  }
}

TEST(Engine, AWholeMachineRunsAtAmdahlsRate) {
  const Program program = amdahl(10, 4, 3, 0.1);
  Scenario scenario{.machine = parse_machine("2x3+2x1"), .arrivals = {{&program, 0, 1}}};
  EXPECT_NEAR(seconds(simulate(scenario).end), 10 * (0.1 / 3 + 0.9 / 8), 1e-6);
}

TEST(Engine, TwoTeamsOnAllCoresHaveHalfEach) {
  const Program program = amdahl(10, 4, 3, 0.1);
  Scenario scenario{.machine = parse_machine("2x3+2x1"),
                    .arrivals = {{&program, 0, 1}, {&program, 0, 1}}};
  EXPECT_NEAR(seconds(simulate(scenario).end), 2 * 10 * (0.1 / 3 + 0.9 / 8), 1e-6);
}

TEST(Engine, PhasesFollowEachOther) {
  Program program = single(2, 1);
  program.phases.push_back({4, {1}, 0});
  program.phases[0].factors = {1};
  Scenario scenario{.machine = parse_machine("1x2"), .arrivals = {{&program, 0, 1}}};
  EXPECT_NEAR(seconds(simulate(scenario).end), 6, 1e-6);
}

// Twice as slow whenever another thread runs.
struct Doubled final : Dilation {
  void compute(const Machine &, std::span<const Running> running,
               std::span<double> factors) const override {
    for (double &factor : factors)
      factor = running.size() > 1 ? 2 : 1;
  }
};

TEST(Engine, ContentionSlowsWhileOthersRun) {
  const Program brief = single(1, 1), rest = single(3, 1);
  const Doubled doubled;
  Scenario scenario{.machine = parse_machine("2x1"), .arrivals = {{&brief, 0, 1}, {&rest, 0, 1}}};
  scenario.dilation = &doubled;
  const Result result = simulate(scenario);
  EXPECT_NEAR(seconds(result.runs[0].end), 2, 1e-6);
  EXPECT_NEAR(seconds(result.runs[1].end), 4, 1e-6);
}

TEST(Engine, RecordsWhoHadWhichCore) {
  const Program program = amdahl(10, 4, 3, 0.1);
  Scenario scenario{.machine = parse_machine("2x3+2x1"),
                    .arrivals = {{&program, 0, 1}, {&program, kSecond, 1}}};
  scenario.record = true;
  const Result result = simulate(scenario);
  std::vector<double> busy(4);
  for (const Result::Segment &segment : result.segments)
    busy[segment.core] += segment.share * seconds(segment.to - segment.from);
  for (const double core : busy)
    EXPECT_NEAR(core, seconds(result.end), 1e-6);
}

TEST(Engine, StopsWhenItIsTold) {
  const Program program = single(3, 1);
  Scenario scenario{.machine = parse_machine("1x1"), .arrivals = {{&program, 0, 0}}};
  scenario.until = 10 * kSecond;
  EXPECT_EQ(simulate(scenario).runs.size(), 3u);
  scenario.until = 0;
  scenario.least_runs = 2;
  EXPECT_EQ(simulate(scenario).runs.size(), 2u);
}

} // namespace
} // namespace coord
