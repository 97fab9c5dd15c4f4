// SPDX-License-Identifier: GPL-3.0-or-later
// The contention-aware policy: paper 002's printed numbers, what can be worked out by hand, and
// what holds whatever the input.
#include "core/coordinator.h"
#include "core/registry.h"
#include "model/contention.h"
#include "sim/engine.h"
#include "sim/memory.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <random>

namespace coord {
namespace {

// Two fast cores, 0 and 1, and three slow ones, 2 to 4; each class shares an LLC.
Machine board() { return parse_machine("2x1.2+3x1.0"); }

// 002's 175.vpr: on slow and on fast cores.
constexpr SlowdownWeights kVprSlow = {0.4814, 0.9847, 0.0542, 0.6163, 0.0105, -56.2996};
constexpr SlowdownWeights kVprFast = {0.1358, 1.5498, 0.0091, 0.4163, 0.0357, -14.4522};

// A program that is always slowed down by PERCENT.
std::shared_ptr<ContentionProfile> constant(double percent, Pressure slow = {},
                                            Pressure fast = {}) {
  const SlowdownWeights weights = {0, 0, 0, 0, 0, percent};
  return std::make_shared<ContentionProfile>(ContentionProfile{{slow, fast}, {weights, weights}});
}

Application program(AppId id, double factor,
                    std::shared_ptr<const ContentionProfile> contention = {}) {
  Application app{id, "p" + std::to_string(id), 1, false, 1, {}};
  app.profile.factors = {1, factor};
  app.profile.contention = std::move(contention);
  return app;
}

// Where each program runs; -1: it waits.
std::vector<int> cores_of(const Coordinator &coordinator) {
  std::vector<int> cores;
  for (const ApplicationState &app : coordinator.state().apps) {
    const Place place = app.threads[0].place;
    cores.push_back(place.kind == Place::OnCore ? place.index : -1);
    EXPECT_TRUE(place.kind == Place::OnCore || place.kind == Place::Hold);
  }
  return cores;
}

TEST(ContentionModel, GivesThePapersExamples) {
  EXPECT_NEAR(weighted_slowdown(kVprFast, {23.58, 19.26, 11.27}, {50.27, 73.91, 34.06}), 50.69,
              0.01);
  EXPECT_NEAR(weighted_slowdown(kVprFast, {46.20, 100.82, 95.06}, {0, 49.79, 93.55}), 173.0, 0.01);
}

TEST(ContentionModel, SumsByCacheAndClass) {
  const Machine machine = parse_machine("1x2+4x1", 2); // cores 1, 2 and 3, 4 share a cache
  const auto profile = std::make_shared<ContentionProfile>(ContentionProfile{
      {{1, 10, 100}, {2, 20, 200}}, {{1, 1, 1, 0.5, 0.5, 3}, {0, 0, 0, 1, 0, -1000}}});
  const Application app = program(1, 2, profile);
  const std::vector<Resident> residents = {{&app, 0}, {&app, 1}, {&app, 2}, {&app, 3}};
  std::vector<double> percent(4);
  PressureModel().predict(machine, residents, percent);
  EXPECT_EQ(percent[0], 0); // 30 - 1000: no program is sped up
  EXPECT_DOUBLE_EQ(percent[1], 2 * 111 + 0.5 * (20 + 200 + 10 + 100) + 3);
  EXPECT_DOUBLE_EQ(percent[2], percent[1]);
  EXPECT_DOUBLE_EQ(percent[3], 111 + 0.5 * (20 + 200 + 20 + 200) + 3);
}

TEST(ContentionModel, FitFindsWeightsAndIgnoresNonsense) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> rate(0, 100);
  std::vector<Corun> runs;
  for (int i = 0; i < 40; i++) {
    Corun run{{rate(random), rate(random), rate(random)}, {0, rate(random), rate(random)}, 0};
    run.slowdown = weighted_slowdown(kVprSlow, run.own, run.others);
    runs.push_back(run);
  }
  runs[7].slowdown = NAN;
  runs[8].own.bus = INFINITY;
  const SlowdownWeights found = fit_slowdown(runs);
  for (std::size_t i = 0; i < found.size(); i++)
    EXPECT_NEAR(found[i], kVprSlow[i], 1e-9);
}

TEST(ContentionModel, FitOfTooFewRunsIsTheSmallest) {
  EXPECT_EQ(fit_slowdown({}), SlowdownWeights{});
  const Corun one{{3, 0, 0}, {}, 10};
  const SlowdownWeights found = fit_slowdown(std::vector{one, one});
  EXPECT_NEAR(found[0], 3, 1e-9); // least norm: in proportion to (3, 1)
  EXPECT_NEAR(found[5], 1, 1e-9);
}

// The example of 002: vpr comes to a fast core beside programs that it slows by 2.83 to 36.68 %.
std::vector<int> vpr_beside_four(double threshold) {
  const Machine machine = board();
  const ManualClock clock;
  Coordinator coordinator(machine, clock,
                          make_policy("contention", machine, {{"threshold", threshold}}));
  const Pressure vpr{3.58, 9.26, 1.27};
  std::deque<Application> apps;
  // The highest factors go to the fast cores. The second one leaves.
  apps.push_back(program(0, 9, constant(2.83, {}, {20, 10, 10})));
  apps.push_back(program(1, 8));
  apps.push_back(program(2, 1, constant(35.16, {50, 73, 34}, {})));
  apps.push_back(program(3, 1.1, constant(30.95, {0.27, 0.91, 0.06}, {})));
  apps.push_back(program(4, 1.2, constant(36.68)));
  for (const Application &app : apps)
    coordinator.arrive(app);
  coordinator.decide();
  EXPECT_EQ(cores_of(coordinator), (std::vector{0, 1, 2, 3, 4}));
  coordinator.leave(1);
  apps.push_back(program(
      5, 2,
      std::make_shared<ContentionProfile>(ContentionProfile{{vpr, vpr}, {kVprSlow, kVprFast}})));
  // Less eager for a fast core, and harmless.
  apps.push_back(program(6, 1.5, constant(1)));
  coordinator.arrive(apps[5]);
  coordinator.arrive(apps[6]);
  coordinator.decide();
  const std::vector<int> cores = cores_of(coordinator);
  return {cores[4], cores[5]};
}

TEST(ContentionPolicy, AcceptsAtThePapersThreshold) {
  EXPECT_EQ(vpr_beside_four(60), (std::vector{1, -1}));
  EXPECT_EQ(vpr_beside_four(50.69), (std::vector{1, -1}));
  EXPECT_EQ(vpr_beside_four(50.68), (std::vector{-1, 1}));
  EXPECT_EQ(vpr_beside_four(50), (std::vector{-1, 1}));
}

TEST(ContentionPolicy, TakesTheLeastSumWhereNonePasses) {
  const Machine machine = parse_machine("1x2+1x1");
  const ManualClock clock;
  Coordinator coordinator(machine, clock, make_policy("contention", machine, {{"threshold", 1}}));
  // Sums on the fast core: 30, 20, 40.
  const Application apps[] = {program(1, 4, constant(30)), program(2, 3, constant(20)),
                              program(3, 2, constant(40))};
  for (const Application &app : apps)
    coordinator.arrive(app);
  coordinator.decide();
  EXPECT_EQ(cores_of(coordinator), (std::vector{1, 0, -1}));
}

TEST(ContentionPolicy, SfDrivenGivesFastCoresTheHighestFactors) {
  const Machine machine = board();
  const ManualClock clock;
  Coordinator coordinator(machine, clock, make_policy("sf-driven", machine));
  const Application apps[] = {program(1, 1.1), program(2, 1.9), program(3, 1.5), program(4, 1.8)};
  for (const Application &app : apps)
    coordinator.arrive(app);
  coordinator.decide();
  EXPECT_EQ(cores_of(coordinator), (std::vector{2, 0, 3, 1}));
}

TEST(ContentionPolicy, IdleFastCoresPullWhereTheyMay) {
  const Machine machine = board();
  const ManualClock clock;
  for (const char *const policy : {"random-order", "sf-driven", "contention"})
    for (const double pull : {0, 1}) {
      Coordinator coordinator(machine, clock, make_policy(policy, machine, {{"pull", pull}}));
      const Application apps[] = {program(0, 3), program(1, 2), program(2, 1.5), program(3, 1)};
      for (const Application &app : apps)
        coordinator.arrive(app);
      coordinator.decide();
      std::vector<int> before = cores_of(coordinator);
      for (const int fast : {0, 1})
        coordinator.leave(static_cast<int>(std::ranges::find(before, fast) - before.begin()));
      std::erase_if(before, [](int core) { return core < 2; });
      coordinator.decide();
      std::vector<int> after = cores_of(coordinator);
      if (pull == 0) {
        EXPECT_EQ(after, before) << policy;
      }
      std::ranges::sort(after);
      EXPECT_EQ(after, pull ? (std::vector{0, 1}) : (std::vector{2, 3})) << policy;
    }
}

double nonsense(std::mt19937_64 &random) {
  constexpr double kValues[] = {0,   -1,  1e-300, 1e300, -1e300, INFINITY, -INFINITY,
                                NAN, 0.5, 1.0,    3.0,   50.0,   1e6,      -0.0};
  return kValues[random() % std::size(kValues)];
}

Application nonsense_program(AppId id, std::mt19937_64 &random) {
  Application app{
      id, "p" + std::to_string(random() % 9), 1 + static_cast<int>(random() % 3), false, 1, {}};
  for (std::size_t c = random() % 4; c > 0; c--)
    app.profile.factors.push_back(nonsense(random));
  if (random() % 4 != 0) {
    auto profile = std::make_shared<ContentionProfile>();
    for (std::size_t c = random() % 4; c > 0; c--)
      profile->pressure.push_back({nonsense(random), nonsense(random), nonsense(random)});
    for (std::size_t c = random() % 4; c > 0; c--) {
      SlowdownWeights &weights = profile->coefficients.emplace_back();
      std::ranges::generate(weights, [&] { return nonsense(random); });
    }
    app.profile.contention = profile;
  }
  return app;
}

TEST(ContentionProperties, PredictionsAreFiniteWhateverIsKnown) {
  const Machine machine = board();
  std::mt19937_64 random(5);
  std::vector<double> percent(5);
  std::vector<Resident> residents(5);
  for (int round = 0; round < 1500; round++) {
    std::deque<Application> apps;
    for (int i = 0; i < 5; i++) {
      apps.push_back(nonsense_program(i, random));
      residents[i] = {&apps[i], static_cast<int>(random() % 5)};
    }
    std::ranges::fill(percent, NAN);
    PressureModel().predict(machine, residents, percent);
    for (const double value : percent) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, kMostSlowdown);
    }
  }
}

MemoryUse streaming() {
  MemoryUse use;
  use.misses.fill(100);
  use.compute_ns = {6000, 5000};
  return use;
}

TEST(Memory, LinesNeverExceedTheBandwidth) {
  Machine machine = board();
  machine.memory_gbps = 2;
  machine.interconnect_gbps = 1000;
  MemoryUse use = streaming();
  use.misses.fill(400);
  std::vector<MemoryUser> users;
  double before = 0;
  for (int core = 0; core < 5; core++) {
    users.push_back({&use, core});
    const auto speeds = MemorySystem(machine, 0.01).together(users);
    double bytes = 0;
    for (const auto &speed : speeds)
      bytes += 64 * speed.misses / speed.ns;
    EXPECT_LT(bytes, 2);
    EXPECT_GT(bytes, before); // more programs ask for more
    before = bytes;
  }
  // Short queues: five such programs get nearly all of it.
  EXPECT_GT(before, 1.9);
}

TEST(Memory, LatencyOfOneProgramIsTheQueuesFixedPoint) {
  Machine machine = board();
  machine.memory_gbps = 4;
  machine.interconnect_gbps = 8;
  const MemoryUse use = streaming();
  const MemoryUser user{&use, 0};
  const double ns = MemorySystem(machine, 0.5).together({&user, 1})[0].ns;
  const double latency = (ns - 5000) / 100, bytes = 6400 / ns;
  const double bus = bytes / 8, memory = bytes / 4;
  EXPECT_NEAR(latency, 100 * (1 + 0.5 * (bus / (1 - bus) + memory / (1 - memory))), 0.01);
}

TEST(Memory, EqualProgramsHaveEqualPartsOfACache) {
  const Machine machine = board();
  MemoryUse use = streaming();
  for (std::size_t i = 0; i < use.misses.size(); i++)
    use.misses[i] = 110.0 - 10.0 * static_cast<double>(i);
  EXPECT_EQ(use.misses_in(1), 110);
  EXPECT_EQ(use.misses_in(std::exp2(14.5)), 105);
  EXPECT_EQ(use.misses_in(1e12), 10);
  const MemoryUser users[] = {{&use, 2}, {&use, 3}, {&use, 4}, {&use, 0}};
  const auto speeds = MemorySystem(machine).together(users);
  EXPECT_NEAR(speeds[0].misses, use.misses_in((2 << 20) / 3.0), 0.01);
  EXPECT_NEAR(speeds[2].misses, speeds[0].misses, 1e-9);
  EXPECT_NEAR(speeds[3].misses, use.misses_in(2 << 20), 0.01);
}

TEST(Memory, ProgramsThatTakeTurnsLeaveEachOtherTheCache) {
  const Machine machine = board();
  MemoryUse use = streaming();
  for (std::size_t i = 0; i < use.misses.size(); i++)
    use.misses[i] = 110.0 - 10.0 * static_cast<double>(i);
  MemoryUse quiet = use;
  for (double &misses : quiet.misses)
    misses /= 10;
  const MemoryUser turns[] = {{&use, 2, 0.5}, {&quiet, 2, 0.5}};
  const auto speeds = MemorySystem(machine).together(turns);
  EXPECT_NEAR(speeds[0].misses, use.misses_in(2 << 20), 0.01);
  EXPECT_NEAR(speeds[1].misses, quiet.misses_in(2 << 20), 0.01);
  const MemoryUser beside[] = {{&use, 2, 0.5}, {&quiet, 2, 0.5}, {&use, 3, 0.25}};
  const auto crowded = MemorySystem(machine).together(beside);
  const double rate = crowded[0].misses / crowded[0].ns;
  const double other = 0.25 * crowded[2].misses / crowded[2].ns;
  EXPECT_NEAR(crowded[0].misses, use.misses_in((2 << 20) * rate / (rate + other)), 0.02);
  EXPECT_GT(crowded[1].misses, 0.1 * crowded[0].misses); // it holds less against the third
}

TEST(Memory, LinesThatAreUsedAgainStay) {
  // One misses ten times as often as the other, but both use the cache alike.
  const Machine machine = board();
  MemoryUse use = streaming();
  for (std::size_t i = 0; i < use.misses.size(); i++)
    use.misses[i] = 110.0 - 10.0 * static_cast<double>(i);
  MemoryUse quiet = use;
  for (double &misses : quiet.misses)
    misses /= 10;
  quiet.misses[0] = quiet.misses[1] = use.misses[1];
  const MemoryUser users[] = {{&use, 2}, {&quiet, 3}};
  const double by_misses = MemorySystem(machine, 0.5, 0).together(users)[1].misses,
               by_both = MemorySystem(machine, 0.5, 0.5).together(users)[1].misses;
  EXPECT_LT(by_both, by_misses);
}

TEST(Memory, OnlyThoseOnOneCacheSlowEachOtherDown) {
  const Machine machine = board();
  MemoryUse use = streaming();
  for (std::size_t i = 0; i < use.misses.size(); i++)
    use.misses[i] = 110.0 - 10.0 * static_cast<double>(i);
  const CacheDilation dilation(machine, {{"stream", use}}, 0);
  Program stream;
  stream.name = "stream";
  std::vector<double> factors(3, 1);
  dilation.compute(
      machine, std::vector{Running{&stream, 0, 1}, Running{&stream, 2, 1}, Running{&stream, 3, 1}},
      factors);
  EXPECT_EQ(factors[0], 1);
  EXPECT_GT(factors[1], 1.001);
  EXPECT_EQ(factors[1], factors[2]);
}

TEST(Memory, DilationIsOneAloneAndKnowsProgramsByName) {
  const Machine machine = board();
  const MemoryDilation dilation({{"stream", streaming()}}, MemorySystem(machine));
  Program stream, other;
  stream.name = "stream";
  other.name = "other";
  std::vector<double> factors(1, 1);
  dilation.compute(machine, std::vector{Running{&stream, 0, 1}}, factors);
  EXPECT_EQ(factors[0], 1);
  factors.assign(3, 1);
  dilation.compute(
      machine, std::vector{Running{&stream, 2, 1}, Running{&other, 1, 1}, Running{&stream, 0, 1}},
      factors);
  EXPECT_GT(factors[0], 1.01);
  EXPECT_EQ(factors[1], 1);
  std::vector<double> turned(2, 1);
  dilation.compute(machine, std::vector{Running{&stream, 0, 1}, Running{&stream, 2, 1}}, turned);
  EXPECT_EQ(turned, (std::vector{factors[2], factors[0]}));
}

} // namespace
} // namespace coord
