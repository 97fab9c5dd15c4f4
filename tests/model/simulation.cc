// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the threads of a simulated loop in the order of their clocks.
#include "simulation.h"

#include <algorithm>
#include <optional>

#include "lines.h"

namespace model {

namespace {

// Takes a thread's next block: its first iteration and their number; false if there is none.
using Next = std::function<bool(unsigned thread, gomp_aid_count *, gomp_aid_count *)>;

Outcome run(const Loop &loop, const Next &next, const std::function<void(const Fault &)> &befall,
            Lines *lines = nullptr) {
  const unsigned threads = loop.speeds.size();
  std::vector<double> time = loop.starts, speed = loop.speeds;
  time.resize(threads);
  std::vector<bool> ended(threads);
  std::vector<unsigned> blocks(threads);
  std::vector<unsigned char> mark(loop.setting.ni);
  Outcome outcome{0, std::vector<gomp_aid_count>(threads), std::vector<gomp_aid_count>(threads)};

  for (unsigned left = threads; left;) {
    unsigned thread = threads;
    for (unsigned i = 0; i < threads; i++)
      if (!ended[i] && (thread == threads || time[i] < time[thread]))
        thread = i;
    time[thread] += loop.removal_ns;
    clock_now = loop.clock ? loop.clock(time[thread]) : time[thread];
    gomp_aid_count first, count;
    if (lines)
      lines->run(thread, time[thread]);
    const bool more = next(thread, &first, &count);
    if (lines)
      time[thread] = lines->now();
    if (!more) {
      ended[thread] = true;
      left--;
      outcome.ns = std::max(outcome.ns, time[thread]);
      continue;
    }
    blocks[thread]++;
    outcome.blocks++;
    for (const Fault &fault : loop.faults)
      if (fault.thread == thread && fault.block == blocks[thread]) {
        time[thread] += fault.ns;
        if (fault.speed)
          speed[thread] = fault.speed;
        befall(fault);
      }
    outcome.ran[thread] += count;
    outcome.longest[thread] = std::max(outcome.longest[thread], count);
    for (gomp_aid_count i = first; i < first + count; i++) {
      time[thread] += loop.cost(i) / speed[thread];
      if (i >= loop.setting.ni || mark[i]++)
        outcome.once = false;
    }
  }
  if (std::count(mark.begin(), mark.end(), 1) != std::ptrdiff_t(mark.size()))
    outcome.once = false;
  return outcome;
}

} // namespace

Outcome simulate(const Loop &loop) {
  Team team(loop.setting);
  std::optional<Lines> lines;
  if (loop.lines)
    lines.emplace(team);
  Outcome outcome = run(
      loop,
      [&](unsigned thread, gomp_aid_count *first, gomp_aid_count *count) {
        return team.next(thread, first, count);
      },
      [&](const Fault &fault) {
        if (fault.speed)
          team.migrate(fault.thread, fault.cls);
      },
      lines ? &*lines : nullptr);
  if (loop.visit)
    loop.visit(team);
  if (lines) {
    outcome.accesses = lines->accesses();
    outcome.atomic = lines->atomic();
  }
  return outcome;
}

Outcome simulate_dynamic(const Loop &loop) {
  gomp_aid_count next = 0;
  return run(
      loop,
      [&](unsigned, gomp_aid_count *first, gomp_aid_count *count) {
        *first = next;
        *count = next < loop.setting.ni;
        next += *count;
        return *count != 0;
      },
      [](const Fault &) {});
}

} // namespace model
