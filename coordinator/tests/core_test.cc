// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator's core: machines, throughput, the registry, and what it does with decisions.
#include "core/coordinator.h"
#include "core/registry.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>

namespace coord {
namespace {

// Decides what a test says.
struct Scripted final : Policy {
  explicit Scripted(std::function<void(const State &, Decisions &)> next)
      : script(std::move(next)) {}
  void decide(const State &state, Decisions &decisions) override { script(state, decisions); }
  std::function<void(const State &, Decisions &)> script;
};

TEST(Machine, TermsBecomeClassesSlowestFirst) {
  const Machine machine = parse_machine("4x3.0+12x1.5", 4);
  ASSERT_EQ(machine.class_count(), 2);
  EXPECT_EQ(machine.classes[0].cores, 12);
  EXPECT_EQ(machine.classes[1].ghz, 3);
  EXPECT_EQ(machine.cores[0].core_class, 1);
  EXPECT_EQ(machine.cores[15].llc, 3);
  EXPECT_EQ(machine.clock_ratio(1), 2);
  EXPECT_EQ(machine_name(machine), "4x3+12x1.5");
}

TEST(Machine, RefusesWhatIsNoMachine) {
  for (const char *const text :
       {"", "4", "4x", "x3", "0x3", "-1x3", "4x-3", "4x0", "4x3+", "4x3,4x1", "4xinf", "4xnan"})
    EXPECT_THROW(parse_machine(text), std::invalid_argument) << text;
}

TEST(Throughput, AmdahlOnTheFastestOfItsCores) {
  const AmdahlThroughput serial({1, 3}, 0.5);
  EXPECT_DOUBLE_EQ(serial.at(std::vector{4, 0}), 1 / (0.5 + 0.5 / 4));
  EXPECT_DOUBLE_EQ(serial.at(std::vector{3, 1}), 1 / (0.5 / 3 + 0.5 / 6));
  EXPECT_EQ(serial.at(std::vector{0, 0}), 0);
}

TEST(Throughput, TableHasTheLastClassFastest) {
  const TableThroughput table({1, 2}, {9, 1, 2, 3, 4, 5});
  EXPECT_EQ(table.at(std::vector{0, 0}), 0);
  EXPECT_EQ(table.at(std::vector{1, 0}), 3);
  EXPECT_EQ(table.at(std::vector{1, 7}), 5);
  EXPECT_THROW(TableThroughput({1, 2}, {0, 1, 2}), std::invalid_argument);
}

TEST(Registry, NamesAreUniqueAndDefaultsAreInBounds) {
  std::vector<std::string> seen;
  for (const PolicyRow &row : policies()) {
    EXPECT_EQ(std::ranges::count(seen, std::string(row.name)), 0) << row.name;
    seen.push_back(row.name);
    for (const ParameterRow &parameter : row.parameters) {
      EXPECT_GE(parameter.initial, parameter.least) << row.name << ' ' << parameter.name;
      EXPECT_LE(parameter.initial, parameter.most) << row.name << ' ' << parameter.name;
    }
  }
  EXPECT_FALSE(seen.empty());
}

TEST(Registry, RefusesUnknownNames) {
  const Machine machine = parse_machine("1x2+1x1");
  EXPECT_THROW(make_policy("stucky", machine), std::invalid_argument);
  EXPECT_THROW(make_policy("sticky", machine, {{"nothing", 1}}), std::invalid_argument);
}

TEST(Coordinator, GrantsKeepCoresAndNeverGiveOneTwice) {
  const Machine machine = parse_machine("2x2+2x1");
  ManualClock clock;
  std::vector<Decisions::Grant> next = {{1, {0, 2}}, {2, {2, 0}}};
  Coordinator coordinator(machine, clock,
                          std::make_unique<Scripted>([&](const State &, Decisions &decisions) {
                            decisions.grants = next;
                          }));
  const Application one{1, "one", 4, true, 1, {}}, two{2, "two", 4, true, 1, {}};
  coordinator.arrive(one);
  coordinator.arrive(two);
  EXPECT_EQ(coordinator.decide(), (std::vector{1, 2}));
  EXPECT_EQ(coordinator.state().find(1)->cores, (std::vector{0, 1}));
  EXPECT_EQ(coordinator.state().find(2)->cores, (std::vector{2, 3}));
  next = {{1, {1, 1}}, {2, {1, 1}}};
  coordinator.decide();
  EXPECT_EQ(coordinator.state().find(1)->cores, (std::vector{0, 3}));
  EXPECT_EQ(coordinator.state().find(2)->cores, (std::vector{2, 1}));
  EXPECT_TRUE(coordinator.refused().empty());
  EXPECT_TRUE(coordinator.decide().empty());
  coordinator.leave(1);
  next = {{2, {2, 2}}};
  coordinator.decide();
  EXPECT_EQ(coordinator.state().find(2)->cores.size(), 4u);
}

TEST(Coordinator, RefusesWhatCannotBe) {
  const Machine machine = parse_machine("2x2+2x1");
  ManualClock clock;
  Decisions next;
  Coordinator coordinator(
      machine, clock,
      std::make_unique<Scripted>([&](const State &, Decisions &decisions) { decisions = next; }));
  const Application one{1, "one", 4, true, 1, {}}, two{2, "two", 1, false, 1, {}};
  coordinator.arrive(one);
  coordinator.arrive(two);
  next.places = {
      {{2, 1}, {}}, {{3, 0}, {}}, {{2, 0}, {Place::OnCore, 4}}, {{2, 0}, {Place::OfClass, -1}}};
  next.grants = {{1, {-1, 1}}, {1, {3, 0}}, {2, {1, 0}}, {1, {1}}};
  coordinator.decide();
  EXPECT_EQ(coordinator.refused().size(), 8u);
  EXPECT_EQ(coordinator.state().find(1)->cores.size(), 2u);
}

TEST(Coordinator, ResizeTakesTheLastThreadsWithTheirCores) {
  const Machine machine = parse_machine("2x2+2x1");
  ManualClock clock;
  std::vector<Decisions::Grant> next = {{0, {2, 2}}};
  Coordinator coordinator(machine, clock,
                          std::make_unique<Scripted>([&](const State &, Decisions &decisions) {
                            decisions.grants = next;
                          }));
  coordinator.arrive({0, "all", 4, true, 1, {}});
  coordinator.decide();
  coordinator.observe({0, 0}, 2, {1, 2});
  coordinator.resize(0, 1);
  const ApplicationState &state = *coordinator.state().find(0);
  EXPECT_EQ(state.app->threads, 1);
  ASSERT_EQ(state.threads.size(), 1u);
  EXPECT_EQ(state.threads[0].cpu_s, (std::vector<double>{1, 2}));
  EXPECT_EQ(state.cores.size(), 1u);
  EXPECT_EQ(state.grant[0] + state.grant[1], 1);
  next = {};
  coordinator.resize(0, 3);
  EXPECT_EQ(state.threads[2].id, (ThreadId{0, 2}));
  // What it gave back can be given to others.
  const bool fast = state.grant[1] == 1;
  coordinator.arrive({1, "other", 3, true, 1, {}});
  next = {{1, fast ? std::vector{2, 1} : std::vector{1, 2}}};
  coordinator.decide();
  EXPECT_TRUE(coordinator.refused().empty());
}

TEST(Coordinator, WhatIsNotThereIsAnError) {
  const Machine machine = parse_machine("2x2+2x1");
  ManualClock clock;
  Coordinator coordinator(machine, clock,
                          std::make_unique<Scripted>([](const State &, Decisions &) {}));
  coordinator.arrive({3, "one", 2, true, 1, {}});
  EXPECT_THROW(coordinator.leave(2), std::out_of_range);
  EXPECT_THROW(coordinator.resize(4, 1), std::out_of_range);
  EXPECT_THROW(coordinator.runnable({2, 0}, true), std::out_of_range);
  EXPECT_THROW(coordinator.runnable({3, 2}, true), std::out_of_range);
  EXPECT_THROW(coordinator.observe({3, -1}, 0, {0, 0}), std::out_of_range);
  EXPECT_THROW(coordinator.arrive({3, "again", 1, true, 1, {}}), std::invalid_argument);
  EXPECT_THROW(coordinator.arrive({4, "none", 0, true, 1, {}}), std::invalid_argument);
  EXPECT_THROW(coordinator.resize(3, 0), std::invalid_argument);
  EXPECT_EQ(coordinator.state().apps.size(), 1u);
  EXPECT_EQ(coordinator.state().find(3)->threads.size(), 2u);
  coordinator.leave(3);
  EXPECT_THROW(coordinator.leave(3), std::out_of_range);
}

TEST(Registry, PoliciesThatGoByMoreThanCpuTimeSayWhat) {
  const auto needs = [](const char *name) { return find_policy(name)->needs; };
  EXPECT_TRUE(needs("hafs").empty());
  EXPECT_TRUE(needs("equi").empty());
  EXPECT_EQ(needs("hass-d"), std::vector{Input::Misses});
  EXPECT_EQ(needs("ipc"), std::vector{Input::Work});
  EXPECT_STREQ(input_row(Input::Work).key, "work");
  EXPECT_STREQ(input_row(Input::Throughput).key, "throughput");
}

} // namespace
} // namespace coord
