// SPDX-License-Identifier: GPL-3.0-or-later
// Simulates a loop on cores of given speeds, event by event, with what can happen to a thread.
#pragma once

#include <functional>
#include <vector>

#include "team.h"

namespace model {

// What befalls one thread, once: when it has BEGUN that many blocks it loses NS nanoseconds in the
// middle of the block's first iteration, and goes on at SPEED, on a core of class CLS.
struct Fault {
  unsigned thread = 0;
  unsigned block = 0; // never, if it is 0
  double ns = 0;
  double speed = 0; // unchanged, if it is 0
  unsigned cls = 0;
};

struct Loop {
  Setting setting;
  std::vector<double> speeds;                 // of the threads
  std::function<double(gomp_aid_count)> cost; // ns of an iteration on a core of speed 1
  std::function<double(double)> clock;        // what the clock says at a time
  double removal_ns = 100;
  // Instead of that, what the cache lines of its state cost; takes code that lines.h watches.
  bool lines = false;
  std::vector<Fault> faults;
  std::function<void(const Team &)> visit; // at the end, if it is wanted
  std::vector<double> starts; // when each thread comes to the loop; at 0, if there are none
};

struct Outcome {
  double ns = 0;                       // when the last thread ended
  std::vector<gomp_aid_count> ran;     // iterations of each thread
  std::vector<gomp_aid_count> longest; // each thread's longest block
  bool once = true;                    // every iteration ran exactly once
  unsigned long blocks = 0;
  // With `lines`: accesses to those that threads write.
  unsigned long accesses = 0, atomic = 0;
};

// Under the AID schedule of the loop's setting, by the library's code.
Outcome simulate(const Loop &loop);

// The same loop under schedule(dynamic,1).
Outcome simulate_dynamic(const Loop &loop);

} // namespace model
