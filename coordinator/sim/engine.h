// SPDX-License-Identifier: GPL-3.0-or-later
// The discrete-event simulator. The coordinator's own objects run in it, on a simulated clock.
//
// Time sharing is fluid: of a core with n runnable threads each has 1/n at any moment, the limit of
// short time slices. An application with threads on n_c different cores of each class c runs at
// P(n) times the mean share that it has of these cores, over its dilation; a single thread's P is
// the SF of its core. P(n) of a malleable application is what a runtime that knows its cores gets
// from them.
#pragma once

#include "sim/scenario.h"

#include <functional>

namespace coord {

// One run of a program, from its start to its end.
struct Run {
  int arrival = 0; // index into Scenario::arrivals
  AppId app = -1;
  Time start = 0, end = 0;
  std::vector<double> cpu_s; // by class, of all threads
  int migrations = 0;
  double stalled_s = 0; // lost to migrations

  double wall_s() const { return seconds(end - start); }
};

struct Result {
  std::vector<Run> runs; // in order of their ends
  Time end = 0;
  std::vector<std::string> refused; // Coordinator::refused
  long decisions = 0;
  double worst_decision_s = 0; // CPU time of the host, if Scenario::timed

  // Scenario::record: who had which share of which core, and how fast applications were.
  struct Segment {
    ThreadId thread;
    int arrival, core;
    double share;
    Time from, to;
  };
  struct Rate {
    int arrival;
    Time at;
    double rate; // of work per second
  };
  std::vector<Segment> segments;
  std::vector<Rate> rates;
};

// PROGRESS, if there is one, is called about every 65536 events with the simulated time and the
// number of runs so far. Throws std::invalid_argument as make_policy does.
Result simulate(const Scenario &scenario,
                const std::function<void(Time, std::size_t)> &progress = {});

} // namespace coord
