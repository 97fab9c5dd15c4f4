// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/actuator.h"

#include <algorithm>
#include <cerrno>

namespace coord {

namespace {

// Masks of a program that are remembered, so that a thread that begins with one is known.
constexpr std::size_t kMasks = 64;

} // namespace

bool has_shown_width(const Member &member, const ApplicationState &state) {
  return member.wide || (!state.granted && member.cpu_s >= kSingle);
}

// The masks of its slots.
std::vector<CpuSet> Actuator::wanted(const Tree &program, const ApplicationState &state,
                                     const std::vector<int> &cores) const {
  std::vector<CpuSet> masks(program.slots.size(), chip_.all);
  if (!state.granted) {
    for (std::size_t i = 0; i < masks.size(); i++)
      if (const Place place = state.threads[i].place; place.kind == Place::OfClass)
        masks[i] = chip_.class_cpus[place.index];
      else if (place.kind == Place::OnCore)
        masks[i] = chip_.cpus[place.index];
      else if (place.kind == Place::Hold)
        masks[i] = chip_.class_cpus[0];
    return masks;
  }
  CpuSet all;
  for (const int core : cores)
    all |= chip_.cpus[core];
  if (cores.empty())
    all = chip_.class_cpus[0];
  std::ranges::fill(masks, all);
  // Each thread that wants one has a core of its own, bigger ones first, if there are as many: the
  // kernel does not always use the bigger ones, and the runtime of a program that follows its mask
  // does.
  std::vector<std::size_t> runnable;
  for (std::size_t i = 0; i < masks.size(); i++)
    if (state.threads[i].runnable)
      runnable.push_back(i);
  if (runnable.size() > cores.size() ||
      std::ranges::any_of(program.members, [](const auto &each) { return each.second.follows(); }))
    return masks;
  std::vector<int> order = cores;
  std::ranges::stable_sort(order, std::greater(),
                           [&](int core) { return chip_.machine.cores[core].core_class; });
  for (std::size_t i = 0; i < runnable.size(); i++)
    masks[runnable[i]] = chip_.cpus[order[i]];
  return masks;
}

void Actuator::apply(Tree &program, const ApplicationState &state, Time now) {
  if (state.granted && state.cores != program.cores) {
    const bool more = std::ranges::all_of(program.cores, [&](int core) {
      return std::ranges::find(state.cores, core) != state.cores.end();
    });
    if (more || program.changed == 0 || now - program.changed >= kHysteresis) {
      program.cores = state.cores;
      program.changed = now;
    }
  } else if (!state.granted)
    program.cores.clear();
  const std::vector<CpuSet> masks = wanted(program, state, program.cores);
  for (auto &[tid, task] : program.tasks) {
    const Member &member = program.member(task);
    if (member.given_up())
      continue;
    if (!has_shown_width(member, state))
      set(program, task, task.original);
    else if (member.follows() && state.granted) {
      // Threads that are bound are its runtime's, which binds them again when the others are moved,
      // or the program's own.
      if (!task.bound)
        set(program, task, masks[0]);
    } else if (task.slot >= 0 && !task.bound && state.threads[task.slot].runnable)
      // One that sleeps keeps its mask: it wakes on the cores that it had.
      set(program, task, masks[task.slot]);
    if (member.given_up())
      restore(program, task.id.pid); // what is still ours
  }
}

void Actuator::set(Tree &program, Task &task, CpuSet cpus) {
  cpus &= task.original;
  // Where the thread may run anyway, and where it may run nowhere else.
  if (cpus.none() || cpus == (chip_.all & task.original))
    cpus = task.original;
  if (cpus == task.ours.value_or(task.original))
    return;
  // Its number may be another thread's by now.
  if (system_.start(task.id.pid, task.id.tid) != task.id.start)
    return;
  const auto mask = system_.mask(task.id.tid);
  if (!mask)
    return;
  Member &member = program.member(task);
  if (*mask != task.original && mask != task.ours) {
    // A runtime that follows its mask binds threads to CPUs in it, for a time.
    if (member.follows() && (*mask & ~task.original).none())
      return;
    member.foreign += task.foreign != mask;
    task.foreign = mask;
    return;
  }
  task.foreign.reset();
  if (cpus != task.original && !journal_.set(task.id, task.original, cpus))
    return;
  const int error = system_.set_mask(task.id.tid, cpus);
  if (error == EPERM)
    member.foreign++;
  if (error != 0)
    return;
  if (cpus == task.original) {
    task.ours.reset();
    journal_.done(task.id);
    return;
  }
  task.ours = cpus;
  if (std::ranges::find(program.masks, cpus) == program.masks.end()) {
    if (program.masks.size() == kMasks)
      program.masks.erase(program.masks.begin());
    program.masks.push_back(cpus);
  }
}

void Actuator::restore(Tree &program, pid_t pid) {
  for (auto &[tid, task] : program.tasks) {
    if (!task.ours || (pid != 0 && task.id.pid != pid))
      continue;
    // What fails stays ours, and in the journal.
    const auto mask = system_.mask(tid);
    if (!mask || system_.start(task.id.pid, tid) != task.id.start ||
        (mask == task.ours && system_.set_mask(tid, task.original) != 0))
      continue;
    task.ours.reset();
    journal_.done(task.id);
  }
  if (pid == 0)
    program.cores.clear();
}

} // namespace coord
