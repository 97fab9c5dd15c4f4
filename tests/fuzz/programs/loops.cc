// SPDX-License-Identifier: GPL-3.0-or-later
// Runs random chains of loops on random teams: every iteration once, each thread's in increasing
// order, whatever the schedule.

#include "seeded.h"

#include <omp.h>
#include <ompx_amp.h>

#include <atomic>
#include <limits>
#include <memory>

extern "C" {
bool GOMP_cancel(int which, bool doCancel);
bool GOMP_cancellation_point(int which);
using Start = bool(long, long, long, long *, long *);
using Next = bool(long *, long *);
Start GOMP_loop_runtime_start, GOMP_loop_nonmonotonic_runtime_start,
    GOMP_loop_maybe_nonmonotonic_runtime_start;
Next GOMP_loop_runtime_next, GOMP_loop_nonmonotonic_runtime_next,
    GOMP_loop_maybe_nonmonotonic_runtime_next;
using UllStart = bool(bool, unsigned long long, unsigned long long, unsigned long long,
                      unsigned long long *, unsigned long long *);
using UllNext = bool(unsigned long long *, unsigned long long *);
UllStart GOMP_loop_ull_runtime_start, GOMP_loop_ull_nonmonotonic_runtime_start,
    GOMP_loop_ull_maybe_nonmonotonic_runtime_start;
UllNext GOMP_loop_ull_runtime_next, GOMP_loop_ull_nonmonotonic_runtime_next,
    GOMP_loop_ull_maybe_nonmonotonic_runtime_next;
using ParallelLoop = void(void (*)(void *), void *, unsigned, long, long, long, unsigned);
ParallelLoop GOMP_parallel_loop_runtime, GOMP_parallel_loop_maybe_nonmonotonic_runtime,
    GOMP_parallel_loop_nonmonotonic_runtime;
void GOMP_loop_end();
void GOMP_loop_end_nowait();
bool GOMP_loop_end_cancel();
}

namespace {

using Ull = unsigned long long;

constexpr int kLoop = 2; // What GOMP_cancel calls it.

/// libgomp's three ways into a schedule(runtime) loop: monotonic, nonmonotonic, and what the
/// compiler need not tell.
struct Entry {
  Start *start;
  Next *next;
  UllStart *ullStart;
  UllNext *ullNext;
  ParallelLoop *parallel;
};

const Entry entries[] = {
    {GOMP_loop_runtime_start, GOMP_loop_runtime_next, GOMP_loop_ull_runtime_start,
     GOMP_loop_ull_runtime_next, GOMP_parallel_loop_runtime},
    {GOMP_loop_nonmonotonic_runtime_start, GOMP_loop_nonmonotonic_runtime_next,
     GOMP_loop_ull_nonmonotonic_runtime_start, GOMP_loop_ull_nonmonotonic_runtime_next,
     GOMP_parallel_loop_nonmonotonic_runtime},
    {GOMP_loop_maybe_nonmonotonic_runtime_start, GOMP_loop_maybe_nonmonotonic_runtime_next,
     GOMP_loop_ull_maybe_nonmonotonic_runtime_start, GOMP_loop_ull_maybe_nonmonotonic_runtime_next,
     GOMP_parallel_loop_maybe_nonmonotonic_runtime},
};

struct Loop {
  enum Form { Calls, Reduction, TaskReduction, Ordered, Single } form = Calls;
  bool ull = false, up = true, nowait = false, cancels = false;
  int entry = 0, kind = 0, chunk = 0, trips = 0;
  bool setsSchedule = true;
  // As the compiler passes them, in the loop's type.
  Ull start = 0, end = 0, step = 1;
  int cancelAt = 0;  // If it cancels: the iteration that does.
  int nestedAt = -1; // The iteration that opens a team of its own.
  int slowAt = -1;   // The iteration that takes long.

  std::unique_ptr<std::atomic<unsigned char>[]> marks;
  std::atomic<int> outside{0}, backward{0}, singles{0};
  std::atomic<long> ordered{0}; // The iterations that have run in order.
};

struct Program {
  int threads = 1;
  bool combined = false; // One loop, the region's.
  std::vector<std::unique_ptr<Loop>> loops;
};

std::string nameOf(const Program &program, const Loop &loop) {
  char text[256];
  std::snprintf(text, sizeof text,
                "%s loop of %d from %llu to %llu step %s%llu, kind %x, chunk %d, %d threads%s",
                loop.ull ? "unsigned long long" : "long", loop.trips, loop.start, loop.end,
                loop.up ? "" : "-", loop.step, unsigned(loop.kind), loop.chunk, program.threads,
                program.combined ? ", combined"
                : loop.nowait    ? ", nowait"
                                 : "");
  return text;
}

// Making programs.

const std::vector<int> kinds = {ompx_amp_sched_aid_static,
                                ompx_amp_sched_aid_hybrid,
                                ompx_amp_sched_aid_dynamic,
                                omp_sched_static,
                                omp_sched_dynamic,
                                omp_sched_guided,
                                omp_sched_auto};

/// Place \p loop at an end of its type, about its middle or anywhere, with an end that its step may
/// miss.
void place(Choice &choice, Loop &loop) {
  const Ull lowest = loop.ull ? 0 : Ull(std::numeric_limits<long>::min());
  const Ull trips = std::max(loop.trips, 1);
  // trips * step and one step more fit in what lies on either side of the middle.
  const Ull most = (1ULL << 62) / (trips + 1);
  loop.step = choice.oneIn(2)   ? 1
              : choice.oneIn(2) ? choice.between(2, 9)
                                : 1 + choice.bits() % most;
  loop.step = std::min(loop.step, most);
  const Ull length = Ull(loop.trips) * loop.step;
  Ull before; // How far from the lowest value the lower one of the ends is.
  switch (choice.between(0, 3)) {
  case 0:
    before = loop.up ? 0 : loop.step;
    break;
  case 1:
    before = ~0ULL - length - (loop.up ? loop.step : 0);
    break;
  case 2:
    before = (1ULL << 63) - length / 2;
    break;
  default:
    before = loop.step + choice.bits() % (~0ULL - length - 2 * loop.step);
  }
  // Short of a multiple of the step.
  const Ull miss = loop.trips > 0 ? choice.bits() % loop.step : 0;
  const Ull lower = lowest + before, upper = lower + length;
  loop.start = loop.up ? lower : upper;
  loop.end = loop.up ? upper - miss : lower + miss;
}

Program make(std::uint64_t seed) {
  Choice choice(seed);
  Program program;
  program.threads = choice.between(1, 9);
  program.combined = choice.oneIn(5);
  for (int i = program.combined ? 1 : choice.between(1, 8); i > 0; i--) {
    program.loops.push_back(std::make_unique<Loop>());
    Loop &loop = *program.loops.back();
    const int t = program.threads;
    if (!program.combined && choice.oneIn(4))
      loop.form = choice.of<Loop::Form>(
          {Loop::Reduction, Loop::TaskReduction, Loop::Ordered, Loop::Single});
    loop.trips = choice.oneIn(3)   ? choice.of<int>({0, 1, 2, t - 1, t, t + 1})
                 : choice.oneIn(8) ? choice.between(0, 50000)
                                   : choice.between(0, 1500);
    loop.kind = choice.of(kinds);
    loop.chunk = choice.oneIn(2) ? 0
                                 : choice.of<int>({1, 2, 7, loop.trips + 1, choice.between(1, 300),
                                                   std::numeric_limits<int>::max()});
    // Otherwise that of OMP_SCHEDULE, or of the loop before.
    loop.setsSchedule = !choice.oneIn(4);
    loop.entry = choice.between(0, 2);
    loop.ull = !program.combined && choice.oneIn(2);
    loop.up = choice.oneIn(2);
    loop.cancels = !program.combined && loop.form == Loop::Calls && choice.oneIn(8);
    loop.nowait = !loop.cancels && choice.oneIn(2);
    loop.cancelAt = choice.between(0, std::max(loop.trips, 1));
    if (choice.oneIn(6))
      loop.nestedAt = choice.between(0, std::max(loop.trips, 1));
    if (choice.oneIn(6))
      loop.slowAt = choice.between(0, std::max(loop.trips, 1));
    place(choice, loop);
    // Upstream's dynamic and guided multiply the chunk by the step, and run what is outside of the
    // loop if that overflows; aid_dynamic is dynamic where all cores are alike.
    if (loop.step > 9) {
      loop.setsSchedule = true;
      if (loop.kind == omp_sched_dynamic || loop.kind == omp_sched_guided ||
          loop.kind == ompx_amp_sched_aid_dynamic)
        loop.chunk = std::min(loop.chunk, loop.trips + 1);
    }
    loop.marks.reset(new std::atomic<unsigned char>[std::max(loop.trips, 1)]());
  }
  return program;
}

// Running them.

void nested(const Loop &loop) {
  std::atomic<int> ran{0};
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (int i = 0; i < 50; i++)
    ran++;
  if (ran != 50)
    fail("a nested loop ran " + std::to_string(ran) + " iterations of 50, in one of kind " +
         std::to_string(loop.kind));
}

void iteration(Loop &loop, Ull index) {
  if (index >= Ull(loop.trips)) {
    loop.outside++;
    return;
  }
  loop.marks[index]++;
  if (Ull(loop.nestedAt) == index)
    nested(loop);
  if (Ull(loop.slowAt) == index)
    for (int i = 0; i < 30000; i++)
      asm volatile("" : "+r"(i));
}

/// The iterations of one block; returns false if the loop has been cancelled.
template <typename T> bool block(Loop &loop, T first, T last, Ull &previous) {
  if (loop.up ? first >= last : first <= last) {
    loop.outside++;
    return true;
  }
  const Ull length = loop.up ? Ull(last) - Ull(first) : Ull(first) - Ull(last);
  const Ull from = loop.up ? Ull(first) - loop.start : loop.start - Ull(first);
  if (from % loop.step != 0)
    loop.outside++;
  Ull index = from / loop.step;
  if (previous != ~0ULL && index <= previous)
    loop.backward++;
  for (Ull passed = 0; passed < length; passed += loop.step, index++) {
    previous = index;
    iteration(loop, index);
    if (loop.cancels &&
        (Ull(loop.cancelAt) == index ? GOMP_cancel(kLoop, true) : GOMP_cancellation_point(kLoop)))
      return false;
  }
  return true;
}

/// What the compiler makes of a loop, written out, so that any bounds and any way in can be had.
void calls(Loop &loop) {
  const Entry &entry = entries[loop.entry];
  const Ull step = loop.up ? loop.step : -loop.step;
  Ull previous = ~0ULL;
  bool on = true;
  if (loop.ull) {
    Ull first, last;
    for (bool more = entry.ullStart(loop.up, loop.start, loop.end, step, &first, &last); more && on;
         more = on && entry.ullNext(&first, &last))
      on = block(loop, first, last, previous);
  } else {
    long first, last;
    for (bool more = entry.start(long(loop.start), long(loop.end), long(step), &first, &last);
         more && on; more = on && entry.next(&first, &last))
      on = block(loop, first, last, previous);
  }
  if (loop.cancels)
    GOMP_loop_end_cancel();
  else if (loop.nowait)
    GOMP_loop_end_nowait();
  else
    GOMP_loop_end();
}

void holdSum(const Loop &loop, long sum, const char *what) {
  if (sum != loop.trips * (loop.trips + 1L) / 2)
    fail(std::string(what) + " of " + std::to_string(loop.trips) + " iterations gave " +
         std::to_string(sum) + ", kind " + std::to_string(loop.kind));
}

/// Sums that the loops of a region reduce into.
struct Sums {
  long plain = 0, tasks = 0;
};

void perform(Loop &loop, Sums &sums) {
  if (loop.setsSchedule)
    omp_set_schedule(omp_sched_t(loop.kind), loop.chunk);
  switch (loop.form) {
  case Loop::Calls:
    calls(loop);
    break;
  case Loop::Reduction: {
    long &sum = sums.plain;
#pragma omp single
    sum = 0;
#pragma omp for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < loop.trips; i++) {
      iteration(loop, i);
      sum += i + 1;
    }
#pragma omp single
    holdSum(loop, sum, "a reduction");
    break;
  }
  case Loop::TaskReduction: {
    long &sum = sums.tasks;
#pragma omp single
    sum = 0;
#pragma omp for schedule(runtime) reduction(task, + : sum)
    for (int i = 0; i < loop.trips; i++) {
      iteration(loop, i);
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      sum += i + 1;
    }
#pragma omp single
    holdSum(loop, sum, "a reduction over tasks");
    break;
  }
  case Loop::Ordered: {
#pragma omp for schedule(runtime) ordered
    for (int i = 0; i < loop.trips; i++) {
      iteration(loop, i);
#pragma omp ordered
      if (loop.ordered++ != i)
        loop.backward++;
    }
    break;
  }
  case Loop::Single: {
#pragma omp single nowait
    loop.singles++;
    break;
  }
  }
}

/// The body of a combined region: its threads ask for blocks without having started the loop.
void combined(void *data) {
  Loop &loop = *static_cast<Loop *>(data);
  Ull previous = ~0ULL;
  long first, last;
  while (entries[loop.entry].next(&first, &last))
    block(loop, first, last, previous);
  GOMP_loop_end_nowait();
}

void hold(const Program &program, const Loop &loop) {
  if (loop.form == Loop::Single) {
    if (loop.singles != 1)
      fail("a single ran " + std::to_string(loop.singles) + " times");
    return;
  }
  if (loop.outside || loop.backward)
    fail(nameOf(program, loop) + ": " + std::to_string(loop.outside) + " outside, " +
         std::to_string(loop.backward) + " steps back");
  for (int i = 0; i < loop.trips; i++)
    if (loop.cancels && omp_get_cancellation() ? loop.marks[i] > 1 : loop.marks[i] != 1)
      return fail(nameOf(program, loop) + ": iteration " + std::to_string(i) + " ran " +
                  std::to_string(loop.marks[i]) + " times");
}

void runProgram(std::uint64_t seed) {
  static const auto initial = [] {
    std::pair<omp_sched_t, int> schedule;
    omp_get_schedule(&schedule.first, &schedule.second);
    return schedule;
  }();
  const Program program = make(seed);
  omp_set_max_active_levels(2);
  // What OMP_SCHEDULE said, second argument and all.
  omp_set_schedule(initial.first, initial.second);
  if (program.combined) {
    Loop &loop = *program.loops[0];
    if (loop.setsSchedule)
      omp_set_schedule(omp_sched_t(loop.kind), loop.chunk);
    entries[loop.entry].parallel(combined, &loop, program.threads, long(loop.start), long(loop.end),
                                 loop.up ? long(loop.step) : -long(loop.step), 0);
  } else {
    Sums sums;
#pragma omp parallel num_threads(program.threads)
    for (const auto &loop : program.loops)
      perform(*loop, sums);
  }
  for (const auto &loop : program.loops)
    hold(program, *loop);
}

} // namespace

int main(int argc, char **argv) {
  return runSeeded(argc, argv, "Runs random chains of OpenMP loops and counts their iterations.",
                   runProgram);
}
