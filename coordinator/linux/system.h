// SPDX-License-Identifier: GPL-3.0-or-later
// What the manager asks of the operating system: Linux, and in tests a simulated one. Everything
// can fail at any time, as programs end when they like; nothing blocks.
#pragma once

#include "core/clock.h"
#include "linux/cpu-set.h"

#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace coord {

// A thread, also if its number is used again.
struct TaskId {
  pid_t pid = 0, tid = 0;
  std::uint64_t start = 0; // clock ticks from boot to its start
  auto operator<=>(const TaskId &) const = default;
};

struct TaskTimes {
  Time cpu = 0;    // on a CPU
  Time waited = 0; // in the queue of one
};

// What the runtime of a program counts, since its start; see up.def.
struct Counted {
  bool follows = false;        // it follows changes of its mask
  std::vector<double> factors; // SF by class, of as many as the file has; empty: not known
  double work_s = 0;           // in seconds on class 0
  double parallel_s = 0;       // in parallel regions, by the clock
};

class System : public Clock {
public:
  // All that can be seen, and the parent of one.
  virtual std::vector<pid_t> processes() = 0;
  virtual std::optional<pid_t> parent(pid_t pid) = 0;
  // Of all processes of a user who is not the daemon's: none.
  virtual std::vector<pid_t> threads(pid_t pid) = 0;
  // None: there is no such thread.
  virtual std::optional<std::uint64_t> start(pid_t pid, pid_t tid) = 0;
  // The real user of PID.
  virtual std::optional<uid_t> owner(pid_t pid) = 0;
  // Keeps what it opened for TASK until it is forgotten.
  virtual std::optional<TaskTimes> times(const TaskId &task) = 0;
  virtual void forget(const TaskId &task) = 0;
  // Where it runs or last ran.
  virtual std::optional<int> cpu(const TaskId &task) = 0;
  virtual std::optional<CpuSet> mask(pid_t tid) = 0;
  // 0, or an errno.
  virtual int set_mask(pid_t tid, const CpuSet &cpus) = 0;
  // By PID's counter file, if it is of the process that began at START.
  virtual std::optional<Counted> counted(pid_t pid, std::uint64_t start) = 0;
};

} // namespace coord
