// SPDX-License-Identifier: GPL-3.0-or-later
// What is simulated: programs as they truly behave, when they arrive, and on what machine. Policies
// see of a program only the Profile that it carries.
#pragma once

#include "core/application.h"
#include "core/machine.h"
#include "core/policy.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace coord {

// A stretch of a program. The unit of work is that of its Throughput; for single threads a second
// on one core of class 0.
struct Phase {
  double work = 0; // > 0
  std::vector<double>
      factors;       // SF by class, factors[0] = 1; a program with a throughput ignores it
  double misses = 0; // LLC misses per 4096 instructions, as a counter would show
  double ipc = 1;    // instructions per cycle without misses, over those of miss_model.h
};

struct Program {
  std::string name;
  int threads = 1;
  bool malleable = false;
  std::vector<Phase> phases;                    // at least one
  std::shared_ptr<const Throughput> throughput; // of malleable programs
  double weight = 1;
  double working_set = 0; // bytes that a migration has to fetch again
  Profile profile;        // what policies are told
};

struct Arrival {
  const Program *program = nullptr;
  Time at = 0;
  int runs = 1; // it starts again when it ends, so often; 0: until the simulation stops
};

// A thread that runs now on CORE, for SHARE of its time.
struct Running {
  const Program *program;
  int core;
  double share;
};

// The truth about contention: how much slower each thread runs beside the others than alone on its
// core.
class Dilation {
public:
  virtual ~Dilation() = default;
  // Sets FACTORS[i] >= 1 of RUNNING[i]. Called whenever a thread starts, stops or moves.
  virtual void compute(const Machine &machine, std::span<const Running> running,
                       std::span<double> factors) const = 0;
};

struct Scenario {
  Machine machine;
  std::vector<Arrival> arrivals; // in any order
  std::string policy = "sticky";
  Parameters parameters;
  // Makes a policy in place of the one of that name, with its parameters; empty: none.
  std::function<std::unique_ptr<Policy>(const Setup &)> make;
  std::uint64_t seed = 1;
  Time until = 0;              // 0: when all runs have ended
  int least_runs = 0;          // also stops when every arrival has run so often; 0: it does not
  double noise = 0.03;         // relative standard deviation of what samples count
  bool migrations_cost = true; // the fetching of the working set from memory
  // Latency of memory of another chip (LLC) over that of the own one. A thread's memory is on the
  // chip where it was within its first seconds.
  double remote = 1;
  bool page = false; // samples have SF by class, as from a runtime that measures them
  double switch_share =
      0; // of its time that a core with several runnable threads loses by switching
  const Dilation *dilation = nullptr;
  bool record = false; // Result::segments and rates
  bool timed = false;  // Result::worst_decision_s
};

} // namespace coord
