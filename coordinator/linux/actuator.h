// SPDX-License-Identifier: GPL-3.0-or-later
// Turns places and grants into masks of threads, carefully: a mask is changed only if it is the
// thread's original one or ours.
#pragma once

#include "core/policy.h"
#include "linux/chip.h"
#include "linux/journal.h"
#include "linux/task.h"

namespace coord {

// Whether it is known how many threads MEMBER makes, so that its mask can be narrowed. Runtimes
// take their number of threads from the mask that they find, at any time. A policy that places
// single threads waits for CPU time instead, as most programs that it is for have one.
bool has_shown_width(const Member &member, const ApplicationState &state);

class Actuator {
public:
  Actuator(System &system, const Chip &chip, Journal &journal)
      : system_(system), chip_(chip), journal_(journal) {}

  // Gives PROGRAM's threads the masks that STATE says.
  void apply(Tree &program, const ApplicationState &state, Time now);
  // Gives them their original masks: all, or those of the process PID.
  void restore(Tree &program, pid_t pid = 0);

private:
  std::vector<CpuSet> wanted(const Tree &program, const ApplicationState &state,
                             const std::vector<int> &cores) const;
  void set(Tree &program, Task &task, CpuSet cpus);

  System &system_;
  const Chip &chip_;
  Journal &journal_;
};

// Seconds of CPU time after which a single thread is placed.
constexpr double kSingle = 1;
// A program's cores change at most so often, unless it only gets more.
constexpr Time kHysteresis = 500 * kMillisecond;

} // namespace coord
