// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the threads of programs and tells the coordinator what it saw.
#pragma once

#include "core/coordinator.h"
#include "linux/chip.h"
#include "linux/journal.h"
#include "linux/task.h"

namespace coord {

class Sampler {
public:
  Sampler(System &system, const Chip &chip, Journal &journal)
      : system_(system), chip_(chip), journal_(journal) {}

  // PROGRAM has one process more, PID. False: it has not, as there is none.
  bool join(Tree &program, pid_t pid, Time now);
  // Finds threads and processes that went, and threads that came, at most every kScan. False: the
  // program has none.
  bool scan(Tree &program, Time now);
  // Reads CPU times. The coordinator learns of threads that block and wake, and of what they did.
  void look(Tree &program, Coordinator &coordinator, Time now);
  // The process PID has ended.
  void leave(Tree &program, pid_t pid);
  void forget(Tree &program);

private:
  void scan(Tree &program, pid_t pid, Time now);
  void add(Tree &program, pid_t pid, pid_t tid, Time now);
  void remove(Tree &program, Task &task);
  void give_slots(Tree &program, Coordinator &coordinator, Time now);
  int core_of(const Task &task, int last);
  std::vector<Sample> read_times(Tree &program, Time now);
  void tell_threads(const Tree &program, Coordinator &coordinator, Time now) const;
  void read_counted(Tree &program, Time now);

  System &system_;
  const Chip &chip_;
  Journal &journal_;
};

// How often threads are looked for.
constexpr Time kScan = 100 * kMillisecond;
// A thread that had less than this part of the time, waiting for a CPU included, is idle.
constexpr double kBusy = 0.02;
// So long idle it is blocked, for policies; and so long it is none of the threads that they see.
constexpr Time kBlocked = 100 * kMillisecond;
constexpr Time kGone = kSecond;

} // namespace coord
