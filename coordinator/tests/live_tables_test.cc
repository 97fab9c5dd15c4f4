// SPDX-License-Identifier: GPL-3.0-or-later
// Table A once more: the workloads of paper 004 under the daemon's manager on a simulated operating
// system, by schedstat, masks and journal, and in the simulator.
#include "fake-linux.h"
#include "linux/manager.h"
#include "sim/engine.h"
#include "sim/spec2000.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

namespace coord {
namespace {

constexpr double kWork = 60; // seconds of a program on a slow core
constexpr Time kArrival = 130 * kMillisecond, kWarmUp = 5 * kSecond, kTime = 40 * kSecond;

// A process that runs PROGRAM again and again.
struct Spec {
  const Program *program;
  pid_t pid;
  std::size_t phase = 0;
  double left = 0;                 // of the phase's work
  double done = 0;                 // all of it
  std::vector<double> cpu_s{0, 0}; // that counted so far
};

// Lets PROCESS do what its CPU time is good for.
void work(FakeLinux &system, Spec &process) {
  const std::vector<double> &cpu_s = system.thread(process.pid).cpu_s;
  for (std::size_t c = 0; c < cpu_s.size(); c++)
    for (double time = cpu_s[c] - process.cpu_s[c]; time > 1e-12;) {
      const Phase &phase = process.program->phases[process.phase];
      if (process.left <= 0)
        process.left = phase.work;
      const double work = std::min(process.left, time * phase.factors[c]);
      time -= work / phase.factors[c];
      process.done += work;
      process.left -= work;
      if (process.left <= 1e-12) {
        process.left = 0;
        process.phase = (process.phase + 1) % process.program->phases.size();
      }
    }
  process.cpu_s = cpu_s;
}

// As in table A: the gain over the time that each program takes by default, of which TIMES are
// ours; %.
double gain(const Machine &machine, const std::vector<Program> &programs,
            const std::vector<double> &times) {
  const double fast = static_cast<double>(machine.classes[1].cores) / machine.core_count();
  double logs = 0;
  for (std::size_t i = 0; i < programs.size(); i++) {
    double on_fast = 0;
    for (const Phase &phase : programs[i].phases)
      on_fast += phase.work / phase.factors.back();
    logs += std::log(times[i] / (fast * on_fast + (1 - fast) * kWork));
  }
  return 100 * (1 - std::exp(logs / static_cast<double>(programs.size())));
}

double live(const Machine &machine, const std::vector<Program> &programs, const char *policy) {
  std::string name = std::filesystem::temp_directory_path() / "live_tables.XXXXXX";
  close(mkstemp(name.data()));
  const Chip chip = chip_of(machine);
  FakeLinux system(chip);
  Journal journal(name);
  std::vector<double> times;
  {
    Manager manager(system, chip, journal, policy);
    std::vector<Spec> processes;
    std::vector<double> before;
    const auto pass = [&](Time until) {
      while (system.now() < until) {
        manager.tick();
        system.advance(manager.period());
        for (Spec &process : processes)
          work(system, process);
      }
    };
    for (const Program &program : programs) {
      processes.push_back({&program, system.begin(1)});
      manager.arrive(
          {.pid = processes.back().pid, .name = program.name, .profile = program.profile});
      pass(system.now() + kArrival);
    }
    pass(system.now() + kWarmUp);
    for (const Spec &process : processes)
      before.push_back(process.done);
    pass(system.now() + kTime);
    for (std::size_t i = 0; i < processes.size(); i++)
      times.push_back(kWork * seconds(kTime) / (processes[i].done - before[i]));
  }
  std::filesystem::remove(name);
  return gain(machine, programs, times);
}

double simulated(const Machine &machine, const std::vector<Program> &programs, const char *policy) {
  Scenario scenario{.machine = machine};
  for (std::size_t i = 0; i < programs.size(); i++)
    scenario.arrivals.push_back({&programs[i], static_cast<Time>(i) * kArrival, 0});
  scenario.policy = policy;
  scenario.least_runs = 3;
  scenario.noise = 0;
  // A simulated operating system has no caches.
  scenario.migrations_cost = false;
  const Result result = simulate(scenario);
  std::vector<double> times(programs.size()), runs(programs.size());
  for (const Run &run : result.runs) {
    times[run.arrival] += run.wall_s();
    runs[run.arrival]++;
  }
  for (std::size_t i = 0; i < times.size(); i++)
    times[i] /= runs[i];
  return gain(machine, programs, times);
}

std::vector<Program> programs_of(const Machine &machine, const SpecWorkload &workload) {
  std::vector<Program> programs;
  const int copies = machine.core_count() / static_cast<int>(workload.programs.size());
  for (const char *const name : workload.programs)
    for (int copy = 0; copy < copies; copy++)
      programs.push_back(spec_program(machine, name, kWork, {.seed = 1}));
  return programs;
}

class LiveTableA : public testing::TestWithParam<const char *> {
protected:
  // The gain on machine NAME is as simulated, within some points.
  void compare(const char *name, const std::vector<SpecWorkload> &workloads) {
    const Machine machine = spec_machine(name);
    for (const SpecWorkload &workload : workloads) {
      const std::vector<Program> programs = programs_of(machine, workload);
      const double ours = live(machine, programs, GetParam());
      EXPECT_NEAR(ours, simulated(machine, programs, GetParam()), 0.8)
          << name << ' ' << workload.name;
    }
  }
};

TEST_P(LiveTableA, FourCores) {
  compare("AMD-2,2", spec_set1());
  compare("Intel-2,2", spec_set1());
}

TEST_P(LiveTableA, SixteenCores) {
  compare("AMD-12,4", {spec_set1()[0], spec_set1()[3], spec_set2()[3], spec_set2()[7]});
}

INSTANTIATE_TEST_SUITE_P(Policies, LiveTableA, testing::Values("hass-s", "hafs"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

} // namespace
} // namespace coord
