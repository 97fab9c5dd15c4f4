// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/sampler.h"

#include <algorithm>
#include <utility>

namespace coord {

namespace {

// Idle threads are looked at when threads are looked for.
bool looks_at_all(const Tree &program, Time now) { return program.scanned == now; }

// What PROGRAM's runtimes counted since the last look belongs to all threads.
void share_counted(const Tree &program, std::vector<Sample> &samples) {
  if (!program.counted || !program.counted_before || samples.empty())
    return;
  const double work_s = program.counted->work_s - program.counted_before->work_s;
  const double parallel_s = program.counted->parallel_s - program.counted_before->parallel_s;
  for (Sample &sample : samples)
    sample.factors = program.counted->factors;
  if (work_s > 0 && parallel_s > 0)
    samples[0].progress = {work_s, std::max(0.0, program.counted_s - parallel_s), parallel_s};
}

} // namespace

void Sampler::add(Tree &program, pid_t pid, pid_t tid, Time now) {
  const auto start = system_.start(pid, tid);
  const auto mask = system_.mask(tid);
  if (!start || !mask)
    return;
  Task task{.id = {pid, tid, *start}, .original = *mask};
  task.last = system_.times(task.id).value_or(TaskTimes{});
  task.looked = task.busy = now;
  // A thread or process begins with the mask of the thread that made it, which may be ours.
  if (program.tasks.empty() && program.masks.empty())
    program.original = *mask;
  else if (std::ranges::find(program.masks, *mask) != program.masks.end()) {
    task.original = program.original;
    task.ours = *mask;
    // The threads of a process that is in the journal are restored with it.
    if (tid == pid)
      journal_.set(task.id, task.original, *mask);
  }
  task.bound = (chip_.all & ~task.original).any();
  program.tasks.emplace(tid, std::move(task));
}

void Sampler::remove(Tree &program, Task &task) {
  system_.forget(task.id);
  journal_.forget(task.id);
  if (task.slot >= 0)
    program.slots[task.slot].tid = -1;
  program.tasks.erase(task.id.tid);
}

bool Sampler::join(Tree &program, pid_t pid, Time now) {
  const auto start = system_.start(pid, pid);
  if (!start)
    return false;
  program.members[pid] = {.start = *start};
  scan(program, pid, now);
  return true;
}

// The threads of the process PID, which is a member until it has none.
void Sampler::scan(Tree &program, pid_t pid, Time now) {
  // Its number may be another process's by now.
  if (!program.tasks.contains(pid) && system_.start(pid, pid) != program.members.at(pid).start)
    return leave(program, pid);
  const std::vector<pid_t> there = system_.threads(pid);
  for (auto next = program.tasks.begin(); next != program.tasks.end();) {
    Task &task = (next++)->second;
    if (task.id.pid == pid ? !std::ranges::binary_search(there, task.id.tid)
                           : std::ranges::binary_search(there, task.id.tid))
      remove(program, task);
  }
  for (const pid_t tid : there)
    if (!program.tasks.contains(tid))
      add(program, pid, tid, now);
  if (there.empty())
    program.members.erase(pid);
}

bool Sampler::scan(Tree &program, Time now) {
  if (now - program.scanned < kScan && !program.tasks.empty())
    return true;
  program.scanned = now;
  for (auto next = program.members.begin(); next != program.members.end();)
    scan(program, (next++)->first, now);
  return !program.tasks.empty();
}

// The core where TASK runs. The kernel is asked only where the mask does not say the class, which
// is what counts: that is a longer file.
int Sampler::core_of(const Task &task, int last) {
  if (task.ours) {
    const int first = chip_.core_of(static_cast<int>(task.ours->_Find_first()));
    const CpuSet &of_class = chip_.class_cpus[chip_.machine.cores[first].core_class];
    if ((*task.ours & ~of_class).none())
      return last >= 0 && (chip_.cpus[last] & *task.ours).any() ? last : first;
  }
  return chip_.core_of(system_.cpu(task.id).value_or(-1));
}

// Threads that want a CPU have the lowest free numbers; the first one always has one, or a program
// could have none.
void Sampler::give_slots(Tree &program, Coordinator &coordinator, Time now) {
  const std::size_t before = program.slots.size();
  for (auto &[tid, task] : program.tasks) {
    const bool wants = now - task.busy < kGone;
    if (!wants && task.slot > 0) {
      program.slots[task.slot].tid = -1;
      task.slot = -1;
    }
    if (wants && task.slot < 0) {
      auto free = std::ranges::find(program.slots, -1, &Slot::tid);
      if (free == program.slots.end()) {
        program.slots.emplace_back().cpu_s.assign(chip_.machine.classes.size(), 0);
        free = program.slots.end() - 1;
      }
      task.slot = static_cast<int>(free - program.slots.begin());
      free->tid = tid;
      free->cold = true;
    }
  }
  while (program.slots.size() > 1 && program.slots.back().tid < 0)
    program.slots.pop_back();
  if (program.slots.size() != before) {
    program.app.threads = static_cast<int>(program.slots.size());
    coordinator.resize(program.app.id, program.app.threads);
  }
}

// What each thread had of which core since the last look.
std::vector<Sample> Sampler::read_times(Tree &program, Time now) {
  const bool all = looks_at_all(program, now);
  program.cpu_s = 0;
  std::vector<Sample> samples;
  std::map<pid_t, int> busy; // threads by process
  for (auto next = program.tasks.begin(); next != program.tasks.end();) {
    Task &task = (next++)->second;
    if (task.slot < 0 && !all)
      continue;
    const auto times = system_.times(task.id);
    if (!times) {
      remove(program, task);
      continue;
    }
    const double passed = seconds(now - task.looked);
    const double cpu_s = std::max(0.0, seconds(times->cpu - task.last.cpu));
    const double waited_s = std::max(0.0, seconds(times->waited - task.last.waited));
    task.last = *times;
    program.cpu_s += cpu_s;
    task.looked = now;
    Member &member = program.member(task);
    member.cpu_s += cpu_s;
    if (cpu_s + waited_s > kBusy * passed && passed > 0) {
      task.busy = now;
      member.wide |= ++busy[task.id.pid] > 1;
    }
    if (task.slot < 0)
      continue;
    Slot &slot = program.slots[task.slot];
    const int core = core_of(task, slot.core);
    if (core < 0)
      continue;
    const int core_class = chip_.machine.cores[core].core_class;
    slot.cold |= slot.core < 0 || chip_.machine.cores[slot.core].core_class != core_class;
    slot.core = core;
    slot.cpu_s[core_class] += cpu_s;
    if (cpu_s > 0)
      samples.push_back({.thread = {program.app.id, task.slot},
                         .core = core,
                         .core_class = core_class,
                         .cpu_s = cpu_s,
                         .cold = std::exchange(slot.cold, false)});
  }
  return samples;
}

// Which threads of PROGRAM can run, and where they are.
void Sampler::tell_threads(const Tree &program, Coordinator &coordinator, Time now) const {
  for (std::size_t i = 0; i < program.slots.size(); i++) {
    const Slot &slot = program.slots[i];
    const ThreadId thread{program.app.id, static_cast<int>(i)};
    const auto task = program.tasks.find(slot.tid);
    coordinator.runnable(thread, task != program.tasks.end() && now - task->second.busy < kBlocked);
    if (slot.core >= 0)
      coordinator.observe(thread, slot.core, slot.cpu_s);
  }
}

// What the runtimes of PROGRAM count, if they do, now and at the last look.
void Sampler::read_counted(Tree &program, Time now) {
  program.counted_s = seconds(now - program.counted_at);
  program.counted_at = now;
  program.counted_before = std::exchange(program.counted, {});
  for (auto &[pid, member] : program.members) {
    if (looks_at_all(program, now) || member.counted)
      member.counted = system_.counted(pid, member.start);
    if (!member.counted)
      continue;
    if (!program.counted)
      program.counted.emplace();
    program.counted->work_s += member.counted->work_s;
    program.counted->parallel_s += member.counted->parallel_s;
    if (const std::vector<double> factors = chip_.factors(member.counted->factors);
        !factors.empty())
      program.counted->factors = factors;
  }
}

void Sampler::look(Tree &program, Coordinator &coordinator, Time now) {
  std::vector<Sample> samples = read_times(program, now);
  give_slots(program, coordinator, now);
  tell_threads(program, coordinator, now);
  read_counted(program, now);
  share_counted(program, samples);
  for (const Sample &sample : samples)
    if (sample.thread.index < program.app.threads)
      coordinator.sample(sample);
}

void Sampler::leave(Tree &program, pid_t pid) {
  for (auto next = program.tasks.begin(); next != program.tasks.end();)
    if (Task &task = (next++)->second; task.id.pid == pid)
      remove(program, task);
  program.members.erase(pid);
}

void Sampler::forget(Tree &program) {
  for (const auto &[tid, task] : program.tasks)
    system_.forget(task.id);
}

} // namespace coord
