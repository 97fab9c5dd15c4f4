// SPDX-License-Identifier: GPL-3.0-or-later
// An operating system on a simulated clock: processes that compute, on CPUs that their masks
// allow. Of several runnable threads on a CPU each has an equal part.
#pragma once

#include "linux/chip.h"
#include "linux/system.h"

#include <functional>
#include <map>
#include <random>

namespace coord {

// MACHINE's cores as CPUs of the same numbers.
Chip chip_of(const Machine &machine);

class FakeLinux final : public System {
public:
  explicit FakeLinux(const Chip &chip, std::uint64_t seed = 1) : chip_(chip), random_(seed) {}

  struct Thread {
    std::uint64_t start = 0;
    CpuSet mask;
    int cpu = -1;
    bool runs = true;
    TaskTimes times;
    std::vector<double> cpu_s; // by class
    int changes = 0;           // of its mask
  };
  struct Process {
    uid_t owner;
    std::map<pid_t, Thread> threads;
    std::optional<Counted> counted;
    pid_t parent = 1;
  };

  // Like fork and pthread_create: a new process has all CPUs, a new thread the mask of the first.
  // PID, or a number that was not used before.
  pid_t begin(int threads, pid_t pid = 0);
  pid_t add(pid_t pid);
  // A process that PID has started, with its mask; its own children are init's when it has ended.
  pid_t fork(pid_t pid);
  void end(pid_t pid);
  void end(pid_t pid, pid_t tid) { table.at(pid).threads.erase(tid); }
  Thread &thread(pid_t pid, pid_t tid = 0) { return table.at(pid).threads.at(tid ? tid : pid); }
  // Computes for TIME.
  void advance(Time time);
  // A process's time on class C, over all its time.
  double share(pid_t pid, int c);

  // An errno in place of doing what a call is for; 0: it is done. Looking fails as if the thread
  // had just ended.
  std::function<int()> fails = [] { return 0; };
  std::map<pid_t, Process> table;
  // Calls of some functions: on Linux each is a system call, or some.
  struct {
    int threads = 0, start = 0, times = 0, cpu = 0, mask = 0, set_mask = 0;
  } calls;

  Time now() const override { return now_; }
  std::vector<pid_t> processes() override;
  std::optional<pid_t> parent(pid_t pid) override;
  std::vector<pid_t> threads(pid_t pid) override;
  std::optional<std::uint64_t> start(pid_t pid, pid_t tid) override;
  std::optional<uid_t> owner(pid_t pid) override;
  std::optional<TaskTimes> times(const TaskId &task) override;
  void forget(const TaskId &task) override { opened_.erase(task); }
  std::optional<int> cpu(const TaskId &task) override;
  std::optional<CpuSet> mask(pid_t tid) override;
  int set_mask(pid_t tid, const CpuSet &cpus) override;
  std::optional<Counted> counted(pid_t pid, std::uint64_t start) override;
  std::size_t opened() const { return opened_.size(); }

private:
  Thread *find(pid_t pid, pid_t tid);
  Thread *find(pid_t tid);

  const Chip &chip_;
  std::mt19937_64 random_;
  Time now_ = kSecond;
  std::uint64_t started_ = 0;
  pid_t next_ = 10000; // above the numbers that tests choose: a leader comes first
  std::map<TaskId, int> opened_;
};

} // namespace coord
