// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput without a profile, and the policies that allocate cores by it.
#include "core/coordinator.h"
#include "core/registry.h"
#include "model/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace coord {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Sample page(std::vector<double> factors, Progress progress) {
  return {{0, 0}, 0, 0, 1, 0, 0, false, std::move(factors), progress};
}

TEST(Estimate, KnowsNothingButTheClocksAtFirst) {
  const Machine machine = parse_machine("4x3+4x1");
  const auto first = [](double factor) {
    return AmdahlThroughput({1, factor}, 0.02).at(std::vector{1, 1});
  };
  EXPECT_DOUBLE_EQ(Estimate(machine, {}).throughput().at(std::vector{1, 1}), first(3));
  EXPECT_DOUBLE_EQ(Estimate(machine, {1, 2}).throughput().at(std::vector{1, 1}), first(2));
  EXPECT_DOUBLE_EQ(Estimate(machine, {1, 1e9}).throughput().at(std::vector{1, 1}), first(3));
  EXPECT_FALSE(Estimate(machine, {1, 1e9}).known());
  EXPECT_TRUE(Estimate(machine, {1, 2}).known());
}

// What a page counts in a second of TRUTH on CORES.
Progress second(const AmdahlThroughput &truth, double serial, const std::vector<int> &cores) {
  const double share = truth.serial_share(cores);
  return {truth.at(cores) * (1 - serial), share, 1 - share};
}

TEST(Estimate, FindsAmdahlsLawFromWhatAPageSays) {
  const Machine machine = parse_machine("4x3+4x1");
  const AmdahlThroughput truth({1, 2}, 0.2);
  Estimate estimate(machine, {});
  const std::vector<int> cores{2, 3};
  for (int i = 0; i < 5; i++)
    estimate.add(page({1, 2}, second(truth, 0.2, cores)), cores);
  EXPECT_TRUE(estimate.known());
  for (const std::vector<int> &n : {std::vector{1, 0}, {0, 1}, {4, 4}, {1, 3}})
    EXPECT_NEAR(estimate.throughput().at(n), truth.at(n), 1e-9);
}

TEST(Estimate, WhatCoresLoseCountsAsSerial) {
  const Machine machine = parse_machine("4x3+4x1");
  const AmdahlThroughput truth({1, 2}, 0.2, 0.8);
  Estimate estimate(machine, {});
  const std::vector<int> cores{2, 3};
  for (int i = 0; i < 5; i++)
    estimate.add(page({1, 2}, second(truth, 0.2, cores)), cores);
  const auto ratio = [&](const std::vector<int> &n) {
    return estimate.throughput().at(n) / estimate.throughput().at(cores);
  };
  // Fewer cores lose less of what they could do, more cores more.
  EXPECT_GT(ratio({1, 1}), AmdahlThroughput({1, 2}, 0.2, 1).at(std::vector{1, 1}) /
                               AmdahlThroughput({1, 2}, 0.2, 1).at(cores));
  EXPECT_LT(ratio({4, 4}), truth.at(std::vector{4, 4}) / truth.at(cores));
}

TEST(Estimate, OneLieDoesNotCountAndNonsenseIsIgnored) {
  const Machine machine = parse_machine("4x3+4x1");
  Estimate estimate(machine, {});
  const std::vector<int> cores{1, 1};
  for (int i = 0; i < 4; i++)
    estimate.add(page({1, 2}, {3, 0, 1}), cores);
  estimate.add(page({1, 20}, {1, 50, 1}), cores);
  for (const double wrong : {kNan, kInfinite, -kInfinite, -1.0, 0.0, 1e300})
    for (int i = 0; i < 5; i++) {
      estimate.add(page({1, wrong}, {wrong, wrong, wrong}), cores);
      estimate.add(page({wrong, 1}, {wrong, 0, 1}), cores);
      estimate.add(page({1}, {1, 0, wrong}), cores);
      estimate.add(page({}, {0, 0, 0}), cores);
    }
  // Alone of its kind the lie is not the median.
  EXPECT_NEAR(estimate.throughput().at(cores), 3, 1e-9);
}

// SAMPLE as one of APP's, on one of its cores if it has any.
Sample of(const Machine &machine, const ApplicationState &app, Sample sample) {
  sample.thread.app = app.app->id;
  sample.core = app.cores.empty() ? 0 : app.cores[0];
  sample.core_class = machine.cores[sample.core].core_class;
  return sample;
}

// Those rows of policies.def that allocate cores.
const std::vector<const char *> kAllocating{"a-greedy", "a-exact", "share", "equi", "mts"};

TEST(Allocating, EachGetsCoresInTurnWhereThereAreTooFew) {
  const Machine machine = parse_machine("1x3+1x1");
  for (const char *const name : kAllocating) {
    ManualClock clock;
    Coordinator coordinator(machine, clock, make_policy(name, machine));
    std::vector<Application> apps;
    for (int i = 0; i < 5; i++)
      apps.push_back({i, "x", 1, true, 1, {}});
    std::vector<double> had(apps.size());
    for (const Application &app : apps)
      coordinator.arrive(app);
    for (int i = 0; i < 500; i++, clock.time += coordinator.period()) {
      coordinator.decide();
      for (const ApplicationState &app : coordinator.state().apps)
        had[app.app->id] += app.grant[0] + 3 * app.grant[1];
    }
    EXPECT_TRUE(coordinator.refused().empty()) << name;
    for (const double part : had)
      EXPECT_NEAR(part, 500 * 4 / 5.0, 500 * 4 / 5.0 * 0.1) << name;
  }
}

TEST(Allocating, ASmallGainChangesNothing) {
  const Machine machine = parse_machine("1x3+1x1");
  ManualClock clock;
  Coordinator coordinator(machine, clock, make_policy("a-exact", machine));
  const std::vector<Application> apps{{0, "x", 1, true, 1, {}}, {1, "y", 1, true, 1, {}}};
  coordinator.arrive(apps[0]);
  coordinator.arrive(apps[1]);
  coordinator.decide();
  // One core each; the fast one belongs with the larger factor.
  const auto changes = [&](double x, double y) {
    std::size_t changed = 0;
    for (int i = 0; i < 6; i++) {
      clock.time += coordinator.period();
      for (int app = 0; app < 2; app++) {
        const std::vector<int> &grant = coordinator.state().apps[app].grant;
        const double factor = app == 0 ? x : y;
        coordinator.sample(of(machine, coordinator.state().apps[app],
                              page({1, factor}, {grant[1] ? factor : 1, 0, 1})));
      }
      changed += coordinator.decide().size();
    }
    return changed;
  };
  changes(2, 3);
  ASSERT_EQ(coordinator.state().apps[1].grant, (std::vector{0, 1}));
  EXPECT_EQ(changes(3.06, 3), 0u);
  EXPECT_EQ(changes(4, 2), 2u);
}

} // namespace
} // namespace coord
