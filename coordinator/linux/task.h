// SPDX-License-Identifier: GPL-3.0-or-later
// A program under the daemon's care: a process that was given to it and those that it has started,
// and the threads of all of them.
#pragma once

#include "core/application.h"
#include "linux/system.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coord {

enum class Reason {
#define REASON(identifier, key, text) identifier,
#include "linux/reasons.def"
};

// So many changes by others, and a process's masks are theirs.
constexpr int kMostForeign = 3;

// A thread of a program.
struct Task {
  TaskId id;
  CpuSet original;               // its mask before it was ours
  std::optional<CpuSet> ours;    // its mask, if we changed it
  std::optional<CpuSet> foreign; // its mask, if something else changed it
  bool bound = false;            // its user bound it before: left as it is
  TaskTimes last;                // at the last look
  Time looked = 0, busy = 0;     // when it was last looked at, and seen to want a CPU
  int slot = -1;                 // its number for the policy; -1: it has not wanted a CPU lately
};

// What the policy knows as one thread: a task, and after its end another one.
struct Slot {
  pid_t tid = -1;            // -1: none
  std::vector<double> cpu_s; // by class, of all its tasks
  int core = -1;
  bool cold = true; // another task, or another class, since its last sample
};

// A process of a program.
struct Member {
  std::uint64_t start = 0;
  std::optional<Counted> counted; // at the last look
  // Several of its threads have wanted a CPU at once. Until then it may count CPUs, and so begins
  // with all of them.
  bool wide = false;
  double cpu_s = 0;  // of its threads
  int foreign = 0;   // changes of its masks by others
  bool told = false; // the user, that it is given up

  bool given_up() const { return foreign >= kMostForeign; }
  bool follows() const { return counted && counted->follows; }
};

struct Tree {
  Application app; // as the coordinator was told; its threads are the slots
  pid_t pid = 0;   // the process that was given
  std::map<pid_t, Member> members;
  std::map<pid_t, Task> tasks; // of all members
  std::vector<Slot> slots;
  Time arrived = 0, scanned = 0;
  CpuSet original;           // of its first thread when it came
  std::vector<CpuSet> masks; // that we gave to its threads, the latest last
  // When its masks last changed, and its cores then.
  Time changed = 0;
  std::vector<int> cores;
  Reason reason = Reason::Starting;
  std::optional<Counted> counted, counted_before; // of all members, at the last two looks
  Time counted_at = 0;
  double counted_s = 0; // between them
  double cpu_s = 0;     // of its threads, between them
  // Work in a second of CPU time where the kernel placed its threads; 0: not seen yet.
  double kernel_speed = 0;
  Time kernel_time = 0; // how long that was looked at

  Member &member(const Task &task) { return members.at(task.id.pid); }
  const Member &member(const Task &task) const { return members.at(task.id.pid); }
  // The process by which it is known: another one where the first has ended.
  pid_t leader() const { return members.contains(pid) ? pid : members.begin()->first; }
};

} // namespace coord
