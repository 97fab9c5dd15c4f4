// SPDX-License-Identifier: GPL-3.0-or-later
// An independent check of the engine: 20 scenarios in SimGrid. It is told where each thread was and
// when, and finds by its own model of shared CPUs when each one ends, which has to be within 1 % of
// what the engine says (figure E3).
#include "sim/engine.h"
#include "sim/spec2000.h"

#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <simgrid/s4u.hpp>

namespace {

namespace sg = simgrid::s4u;
using coord::Result;

struct Check {
  std::string name;
  coord::Scenario scenario;
};

struct Stay {
  int core;
  double from, to;
};

// Where each arrival's thread was; the last stay has no end.
std::vector<std::vector<Stay>> stays_of(const coord::Scenario &scenario, const Result &result) {
  std::vector<std::vector<Stay>> stays(scenario.arrivals.size());
  for (const Result::Segment &segment : result.segments) {
    std::vector<Stay> &mine = stays[segment.arrival];
    const double from = coord::seconds(segment.from), to = coord::seconds(segment.to);
    if (!mine.empty() && mine.back().core == segment.core)
      mine.back().to = to;
    else
      mine.push_back({segment.core, from, to});
  }
  for (auto &mine : stays)
    mine.back().to = 1e9;
  return stays;
}

// A thread with WORK seconds on a slow core, FACTORS as fast on each class.
void thread(const std::vector<Stay> &stays, const std::vector<sg::Host *> &hosts,
            const coord::Machine &machine, double work, const std::vector<double> &factors,
            double *end) {
  for (const Stay &stay : stays) {
    sg::this_actor::sleep_until(stay.from);
    const double factor = factors[machine.cores[stay.core].core_class];
    // A host does one unit a second.
    const sg::ExecPtr exec = sg::this_actor::exec_init(work / factor);
    exec->set_host(hosts[stay.core]);
    exec->start();
    try {
      exec->wait_until(stay.to);
      *end = sg::Engine::get_clock();
      return;
    } catch (const simgrid::TimeoutException &) {
      work = exec->get_remaining() * factor;
      exec->cancel();
    }
  }
}

std::vector<Check> checks(std::deque<coord::Program> &programs) {
  std::vector<Check> made;
  const auto add = [&](const std::string &name, const char *machine,
                       const coord::SpecWorkload &workload, int copies, const char *policy) {
    coord::Scenario scenario{.machine = coord::spec_machine(machine)};
    for (const char *const program : workload.programs)
      for (int copy = 0; copy < copies; copy++) {
        const double work = 5 + static_cast<double>(scenario.arrivals.size());
        coord::Program &each =
            programs.emplace_back(coord::spec_program(scenario.machine, program, work));
        // SimGrid knows one factor for a program.
        each.phases = {{work, each.profile.factors, 0}};
        scenario.arrivals.push_back(
            {&each, static_cast<coord::Time>(scenario.arrivals.size()) * 200'000'000, 1});
      }
    scenario.policy = policy;
    scenario.migrations_cost = false;
    scenario.record = true;
    made.push_back({name + " " + workload.name + ", " + policy, scenario});
  };
  for (const coord::SpecWorkload &workload : coord::spec_set1()) {
    add("AMD-2,2", "AMD-2,2", workload, 1, "best-static");
    add("AMD-2,2", "AMD-2,2", workload, 1, "hafs");
  }
  for (int i = 0; i < 3; i++) {
    add("AMD-2,2, 3 of each", "AMD-2,2", coord::spec_set1()[i], 3, "sticky");
    add("AMD-12,4, 8 of each", "AMD-12,4", coord::spec_set1()[i + 3], 8, "hass-s");
  }
  return made;
}

} // namespace

int main(int argc, char **argv) {
  std::deque<coord::Program> programs;
  const std::vector<Check> all = checks(programs);
  std::vector<Result> results;
  for (const Check &check : all)
    results.push_back(simulate(check.scenario));

  // One simulation of SimGrid's, each scenario on hosts of its own.
  sg::Engine engine(&argc, argv);
  sg::NetZone *const zone = sg::create_full_zone("zone");
  std::deque<std::vector<double>> ends;
  std::deque<std::vector<std::vector<Stay>>> stays;
  std::deque<std::vector<sg::Host *>> hosts;
  for (std::size_t i = 0; i < all.size(); i++) {
    const coord::Scenario &scenario = all[i].scenario;
    hosts.emplace_back();
    for (int core = 0; core < scenario.machine.core_count(); core++)
      hosts.back().push_back(
          zone->create_host("s" + std::to_string(i) + "c" + std::to_string(core), 1.0)->seal());
  }
  zone->seal();
  for (std::size_t i = 0; i < all.size(); i++) {
    const coord::Scenario &scenario = all[i].scenario;
    stays.push_back(stays_of(scenario, results[i]));
    ends.emplace_back(scenario.arrivals.size(), -1);
    for (std::size_t a = 0; a < scenario.arrivals.size(); a++) {
      const coord::Program &program = *scenario.arrivals[a].program;
      sg::Actor::create("thread", hosts[i][0], thread, stays[i][a], hosts[i], scenario.machine,
                        program.phases[0].work, program.phases[0].factors, &ends[i][a]);
    }
  }
  engine.run();

  int bad = 0;
  for (std::size_t i = 0; i < all.size(); i++) {
    double worst = 0;
    for (const coord::Run &run : results[i].runs) {
      const double ours = coord::seconds(run.end);
      worst = std::max(worst, std::abs(ends[i][run.arrival] / ours - 1));
    }
    const bool good = worst <= 0.01;
    bad += !good;
    std::printf("%s: %zu runs, makespan %.3f s, largest difference %.4f %%%s\n",
                all[i].name.c_str(), results[i].runs.size(), coord::seconds(results[i].end),
                100 * worst, good ? "" : "; expected at most 1 %");
  }
  std::printf("%zu scenarios, %d of them more than 1 %% apart\n", all.size(), bad);
  return bad != 0 || all.size() != 20;
}
