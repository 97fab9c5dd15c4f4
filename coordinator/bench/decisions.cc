// SPDX-License-Identifier: GPL-3.0-or-later
// How long decisions take: one exit and one arrival among N applications on N cores (figure C4),
// and an open system of 512 applications on 512 cores for 60 simulated seconds (figure C7).
#include "core/coordinator.h"
#include "core/registry.h"
#include "sim/engine.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <deque>
#include <random>

namespace coord {
namespace {

struct Fixed final : Clock {
  Time time = 0;
  Time now() const override { return time; }
};

// Amdahl's law with 50 to 99.9 % parallel work, speedup factors log-uniform in 1.2 to 4.
Program any_program(std::mt19937_64 &random) {
  std::uniform_real_distribution<double> unit;
  const std::vector<double> factors = {1, 1.2 * std::pow(4 / 1.2, unit(random))};
  Program program;
  program.name = "any";
  program.threads = 1 + static_cast<int>(random() % 8);
  program.malleable = true;
  program.throughput =
      std::make_shared<AmdahlThroughput>(factors, 1 - (0.5 + 0.499 * unit(random)));
  program.phases = {{-20 * std::log(1 - unit(random)) + 0.1, factors, 0}};
  program.profile.factors = factors;
  program.profile.throughput = program.throughput;
  return program;
}

Machine half_fast(int cores) {
  return parse_machine(std::to_string(cores / 2) + "x3.0+" + std::to_string(cores / 2) + "x1.0");
}

void decide(benchmark::State &state, const PolicyRow *row) {
  const int n = static_cast<int>(state.range(0));
  const Machine machine = half_fast(n);
  Fixed clock;
  Coordinator coordinator(machine, clock,
                          row->make({machine, [&] {
                                       Parameters parameters;
                                       for (const ParameterRow &each : row->parameters)
                                         parameters[each.name] = each.initial;
                                       return parameters;
                                     }()}));
  std::mt19937_64 random(1);
  std::deque<Application> apps;
  const auto arrive = [&] {
    const Program program = any_program(random);
    coordinator.arrive(apps.emplace_back(Application{static_cast<AppId>(apps.size()), program.name,
                                                     program.threads, true, 1, program.profile}));
  };
  for (int i = 0; i < n; i++)
    arrive();
  coordinator.decide();
  AppId oldest = 0;
  for (auto unused : state) {
    state.PauseTiming();
    coordinator.leave(oldest++);
    arrive();
    clock.time += kSecond;
    state.ResumeTiming();
    benchmark::DoNotOptimize(coordinator.decide());
  }
  if (!coordinator.refused().empty())
    state.SkipWithError(coordinator.refused()[0].c_str());
}

// LOAD % of what the machine does with all cores busy.
void open_system(benchmark::State &state, const PolicyRow *row) {
  const Machine machine = half_fast(512);
  std::mt19937_64 random(1);
  std::deque<Program> programs;
  Scenario scenario{.machine = machine};
  const double load = static_cast<double>(state.range(0)) / 100;
  // A mean program has 20 s of work, and is 2.3 times as fast on a fast core.
  std::exponential_distribution<double> gap(load * 256 * (2.3 + 1) / 20);
  const auto add = [&](double at) {
    scenario.arrivals.push_back(
        {&programs.emplace_back(any_program(random)), static_cast<Time>(at * 1e9), 1});
  };
  for (int i = 0; i < 400; i++)
    add(0);
  for (double at = gap(random); at < 60; at += gap(random))
    add(at);
  scenario.policy = row->name;
  scenario.until = 60 * kSecond;
  scenario.timed = true;
  Result result;
  for (auto unused : state)
    result = simulate(scenario);
  double done = 0, response = 0;
  for (const Run &run : result.runs) {
    done += scenario.arrivals[run.arrival].program->phases[0].work;
    response += run.wall_s();
  }
  state.counters["runs"] = static_cast<double>(result.runs.size());
  state.counters["response_s"] = response / static_cast<double>(result.runs.size());
  state.counters["work_per_s"] = done / 60;
  state.counters["decisions"] = static_cast<double>(result.decisions);
  state.counters["worst_ms"] = result.worst_decision_s * 1e3;
}

} // namespace
} // namespace coord

int main(int argc, char **argv) {
  for (const coord::PolicyRow &row : coord::policies()) {
    benchmark::RegisterBenchmark((std::string("decide/") + row.name).c_str(), coord::decide, &row)
        ->RangeMultiplier(2)
        ->Range(64, 512)
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(50);
    benchmark::RegisterBenchmark((std::string("open/") + row.name).c_str(), coord::open_system,
                                 &row)
        ->Arg(85)
        ->Unit(benchmark::kSecond)
        ->Iterations(1);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
