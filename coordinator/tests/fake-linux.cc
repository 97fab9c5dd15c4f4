// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake-linux.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace coord {

Chip chip_of(const Machine &machine) {
  Chip chip;
  chip.machine = machine;
  chip.class_cpus.resize(machine.classes.size());
  chip.runtime_classes = machine.class_count();
  for (int c = 0; c < machine.class_count(); c++)
    chip.runtime_class.push_back(c);
  for (int core = 0; core < machine.core_count(); core++) {
    chip.cpus.emplace_back().set(core);
    chip.class_cpus[machine.cores[core].core_class].set(core);
    chip.all.set(core);
  }
  return chip;
}

pid_t FakeLinux::begin(int threads, pid_t pid) {
  if (pid == 0)
    pid = next_++;
  table[pid] = {geteuid(), {{pid, {++started_, chip_.all}}}, {}};
  thread(pid).cpu_s.resize(chip_.machine.classes.size());
  for (int i = 1; i < threads; i++)
    add(pid);
  return pid;
}

pid_t FakeLinux::add(pid_t pid) {
  const pid_t tid = next_++;
  Thread &added = table.at(pid).threads[tid];
  added.start = ++started_;
  added.mask = table.at(pid).threads.begin()->second.mask;
  added.cpu_s.resize(chip_.machine.classes.size());
  return tid;
}

pid_t FakeLinux::fork(pid_t pid) {
  const pid_t child = begin(1);
  table.at(child).parent = pid;
  thread(child).mask = thread(pid).mask;
  return child;
}

void FakeLinux::end(pid_t pid) {
  table.erase(pid);
  for (auto &[other, process] : table)
    if (process.parent == pid)
      process.parent = 1;
}

std::vector<pid_t> FakeLinux::processes() {
  std::vector<pid_t> all;
  for (const auto &[pid, process] : table)
    all.push_back(pid);
  return all;
}

std::optional<pid_t> FakeLinux::parent(pid_t pid) {
  const auto process = table.find(pid);
  return process == table.end() ? std::nullopt : std::optional(process->second.parent);
}

void FakeLinux::advance(Time time) {
  constexpr Time kStep = kMillisecond;
  for (Time end = now_ + time; now_ < end; now_ += kStep) {
    std::vector<std::vector<Thread *>> queues(chip_.cpus.size());
    std::vector<Thread *> homeless;
    for (auto &[pid, process] : table)
      for (auto &[tid, thread] : process.threads)
        if (thread.runs) {
          if (thread.cpu >= 0 && thread.mask[thread.cpu])
            queues[thread.cpu].push_back(&thread);
          else
            homeless.push_back(&thread);
        }
    const auto shortest = [&](const CpuSet &mask) {
      int found = -1, alike = 0;
      for_each_cpu(mask & chip_.all, [&](int cpu) {
        if (found < 0 || queues[cpu].size() < queues[found].size()) {
          found = cpu;
          alike = 1;
        } else if (queues[cpu].size() == queues[found].size() &&
                   random_() % static_cast<unsigned>(++alike) == 0)
          found = cpu;
      });
      return found;
    };
    for (Thread *const thread : homeless) {
      thread->cpu = shortest(thread->mask);
      queues[thread->cpu].push_back(thread);
    }
    for (std::vector<Thread *> &queue : queues)
      for (std::size_t i = 0; i < queue.size(); i++) {
        const int to = shortest(queue[i]->mask);
        if (queues[to].size() + 1 < queue.size()) {
          queue[i]->cpu = to;
          queues[to].push_back(queue[i]);
          queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
    for (std::size_t cpu = 0; cpu < queues.size(); cpu++)
      for (Thread *const thread : queues[cpu]) {
        const Time share = kStep / static_cast<Time>(queues[cpu].size());
        thread->times.cpu += share;
        thread->times.waited += kStep - share;
        thread->cpu_s[chip_.machine.cores[cpu].core_class] += seconds(share);
      }
  }
}

double FakeLinux::share(pid_t pid, int c) {
  double of_class = 0, all = 0;
  for (const auto &[tid, thread] : table.at(pid).threads)
    for (std::size_t k = 0; k < thread.cpu_s.size(); k++) {
      all += thread.cpu_s[k];
      of_class += static_cast<int>(k) == c ? thread.cpu_s[k] : 0;
    }
  return of_class / all;
}

FakeLinux::Thread *FakeLinux::find(pid_t pid, pid_t tid) {
  const auto process = table.find(pid);
  if (process == table.end() || fails())
    return nullptr;
  const auto thread = process->second.threads.find(tid);
  return thread == process->second.threads.end() ? nullptr : &thread->second;
}

FakeLinux::Thread *FakeLinux::find(pid_t tid) {
  for (auto &[pid, process] : table)
    if (const auto thread = process.threads.find(tid); thread != process.threads.end())
      return &thread->second;
  return nullptr;
}

std::vector<pid_t> FakeLinux::threads(pid_t pid) {
  calls.threads++;
  std::vector<pid_t> found;
  if (const auto process = table.find(pid); process != table.end() && !fails())
    for (const auto &[tid, thread] : process->second.threads)
      found.push_back(tid);
  return found;
}

std::optional<std::uint64_t> FakeLinux::start(pid_t pid, pid_t tid) {
  calls.start++;
  const Thread *const thread = find(pid, tid);
  return thread ? std::optional(thread->start) : std::nullopt;
}

std::optional<uid_t> FakeLinux::owner(pid_t pid) {
  const auto process = table.find(pid);
  return process == table.end() ? std::nullopt : std::optional(process->second.owner);
}

std::optional<TaskTimes> FakeLinux::times(const TaskId &task) {
  calls.times++;
  const Thread *const thread = find(task.pid, task.tid);
  if (!thread || thread->start != task.start)
    return {};
  opened_[task]++;
  return thread->times;
}

std::optional<int> FakeLinux::cpu(const TaskId &task) {
  calls.cpu++;
  const Thread *const thread = find(task.pid, task.tid);
  return thread ? std::optional(thread->cpu) : std::nullopt;
}

std::optional<CpuSet> FakeLinux::mask(pid_t tid) {
  calls.mask++;
  const Thread *const thread = fails() ? nullptr : find(tid);
  return thread ? std::optional(thread->mask) : std::nullopt;
}

int FakeLinux::set_mask(pid_t tid, const CpuSet &cpus) {
  calls.set_mask++;
  if (const int error = fails())
    return error;
  Thread *const thread = find(tid);
  if (!thread)
    return ESRCH;
  if (cpus.none())
    return EINVAL; // as the kernel says
  thread->mask = cpus;
  thread->changes++;
  return 0;
}

std::optional<Counted> FakeLinux::counted(pid_t pid, std::uint64_t) {
  const auto process = table.find(pid);
  return process == table.end() || fails() ? std::nullopt : process->second.counted;
}

} // namespace coord
