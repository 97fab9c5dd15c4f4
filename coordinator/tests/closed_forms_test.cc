// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator, with HASS-S and ideal round robin, against the closed forms of paper 004's
// measure: per application with speedup factor SF, w of the cores fast, times over default d = w/SF
// + 1 - w.
#include "model/miss_model.h"
#include "sim/engine.h"
#include "sim/spec2000.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace coord {
namespace {

constexpr double kWork = 20;

// Times of as many threads with FACTOR as MACHINE has cores, in order of their ends.
std::vector<double> times(const Machine &machine, double factor, const char *policy,
                          double working_set = 0) {
  Program program;
  program.name = "any";
  program.phases = {{kWork, {1, factor}, 0}};
  program.working_set = working_set;
  program.profile.factors = {1, factor};
  Scenario scenario{.machine = machine};
  scenario.arrivals.assign(machine.cores.size(), {&program, 0, 1});
  scenario.policy = policy;
  scenario.migrations_cost = working_set > 0;
  std::vector<double> found;
  for (const Run &run : simulate(scenario).runs)
    found.push_back(run.wall_s());
  return found;
}

double usual(const Machine &machine, double factor) {
  const double w = static_cast<double>(machine.classes[1].cores) / machine.core_count();
  return kWork * (w / factor + 1 - w);
}

TEST(ClosedForms, FixedOnFastIsTwoOverOnePlusFactor) {
  const Machine machine = spec_machine("AMD-2,2");
  for (const double factor : {1.3, 1.7, 2.0})
    EXPECT_NEAR(times(machine, factor, "hass-s").front() / usual(machine, factor), 2 / (1 + factor),
                1e-6);
}

TEST(ClosedForms, HassSFillsFastCoresThatBecomeIdle) {
  // Six threads on two fast and four slow cores: at 10 s the fast ones are done. Within a second of
  // CPU time, and what is left of a period, two others have taken their cores.
  const Machine machine = parse_machine("2x2+4x1");
  const std::vector<double> ends = times(machine, 2, "hass-s");
  EXPECT_NEAR(ends[0], 10, 1e-6);
  EXPECT_LT(ends[3], 10 + 1.2 + 9 / 2.);
  EXPECT_GT(ends[3], 15 - 1e-6);
}

TEST(ClosedForms, IdealRoundRobin) {
  for (const char *const name : {"AMD-2,2", "AMD-12,4"}) {
    const Machine machine = spec_machine(name);
    const double w = static_cast<double>(machine.classes[1].cores) / machine.core_count();
    for (const double factor : {1.3, 1.7, 2.0})
      for (const double time : times(machine, factor, "round-robin"))
        EXPECT_NEAR(time / usual(machine, factor), 1 / (w * factor + 1 - w) / (w / factor + 1 - w),
                    0.02);
  }
}

TEST(ClosedForms, ARandomBindingOfEqualProgramsSeemsToGain) {
  // LH1, four times wupwise: 3.4 %.
  const Machine machine = spec_machine("AMD-2,2");
  const double factor = spec_factor(machine, "wupwise");
  double logs = 0;
  for (const double slow : {0, 0, 1, 1})
    logs += std::log(usual(machine, factor) / (slow ? kWork : kWork / factor)) / 4;
  EXPECT_NEAR(100 * (1 - std::exp(-logs)), 3.4, 0.1);
}

TEST(ClosedForms, AMigrationFetchesTheWorkingSetOnce) {
  // 2 MB: 32768 lines of 64 bytes, 100 ns each. Under round robin all threads move each 100 ms.
  const Machine machine = spec_machine("AMD-2,2");
  const double without = times(machine, 2, "round-robin").back(),
               with = times(machine, 2, "round-robin", 2 << 20).back();
  EXPECT_NEAR(with / without, 1 / (1 - 0.0032768 / 0.1), 0.004);
}

TEST(ClosedForms, MemoryOfAnotherChipIsFarther) {
  // Two fast cores, each a chip. They swap when program 0 has had 10 s, and what each still needs
  // then takes as much longer as its misses do.
  const Machine machine = parse_machine("2x2", 1);
  constexpr double kMisses = 30, kRemote = 1.5;
  struct Swap final : Policy {
    void decide(const State &state, Decisions &decisions) override {
      for (const ApplicationState &app : state.apps)
        decisions.places.push_back(
            {app.threads[0].id, {Place::OnCore, (app.app->id + (state.now >= 10 * kSecond)) % 2}});
    }
  };
  Program program;
  program.name = "any";
  program.phases = {{kWork, {1}, kMisses}};
  Scenario scenario{.machine = machine};
  scenario.arrivals.assign(2, {&program, 0, 1});
  scenario.make = [](const coord::Setup &) { return std::make_unique<Swap>(); };
  scenario.remote = kRemote;
  const double near = miss_time_ns(kMisses, 2, machine.memory_ns),
               far = miss_time_ns(kMisses, 2, machine.memory_ns * kRemote);
  for (const coord::Run &run : simulate(scenario).runs)
    EXPECT_NEAR(run.wall_s(), 10 + (kWork - 10) * far / near, 1e-6);
}

TEST(ClosedForms, MissesAndFactorsAreInverse) {
  const Machine machine = spec_machine("AMD-2,2");
  for (const double factor : {1.1, 1.5, 1.9})
    EXPECT_NEAR(miss_factors(machine, misses_of_factor(machine, factor)).back(), factor, 1e-9);
}

} // namespace
} // namespace coord
