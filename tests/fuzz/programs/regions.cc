// SPDX-License-Identifier: GPL-3.0-or-later
// Runs random small regions in teams of random sizes, in which threads wait for each other in every
// way that OpenMP has: each construct is run by whom it should, as often as it should. A program is
// a few constructs, run by several regions.

#include "seeded.h"

#include <CLI/CLI.hpp>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

enum Construct {
  Barrier,
  Critical,
  Single,
  Copyprivate,
  Static,
  Dynamic,
  Ordered,
  Doacross,
  Tasks,
  Dependences,
  Taskwait,
  Lock,
  TestLock,
  Yield,
  Reduction,
  Inner,
  Constructs
};

struct Program {
  std::vector<int> constructs;
  int threads;
  int trips; // iterations or tasks
};

struct Counts {
  std::atomic<long> once{0};  // by the team
  std::atomic<long> each{0};  // by each thread
  std::atomic<long> trips{0}; // by each iteration, or task
  long critical = 0, locked = 0;
  int order = 0, wrong = 0, chain = 0;
};

omp_lock_t lock;

void runLoop(int trips, int construct, Counts &counts) {
  switch (construct) {
  case Static: {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < trips; i++)
      counts.trips++;
    break;
  }
  case Dynamic: {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < trips; i++)
      counts.trips++;
    break;
  }
  case Ordered: {
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < trips; i++) {
#pragma omp ordered
      {
        if (counts.order != i)
          counts.wrong++;
        counts.order = i + 1 == trips ? 0 : i + 1;
      }
      counts.trips++;
    }
    break;
  }
  case Doacross: {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < trips; i++) {
#pragma omp ordered depend(sink : i - 1)
      if (counts.order != i)
        counts.wrong++;
      counts.order = i + 1 == trips ? 0 : i + 1;
#pragma omp ordered depend(source)
      counts.trips++;
    }
    break;
  }
  }
}

void runTasks(int trips, int construct, Counts &counts) {
  switch (construct) {
  case Tasks: {
#pragma omp single
    for (int i = 0; i < trips; i++) {
#pragma omp task shared(counts)
      counts.trips++;
    }
    break;
  }
  case Dependences: {
#pragma omp single
    for (int i = 0; i < trips; i++) {
#pragma omp task shared(counts) depend(inout : counts.chain)
      {
        counts.chain++;
        counts.trips++;
      }
    }
    break;
  }
  case Taskwait: {
    std::atomic<int> done{0};
    for (int i = 0; i < 3; i++) {
#pragma omp task shared(done)
      done++;
    }
#pragma omp taskwait
    if (done != 3)
      fail("taskwait ended after " + std::to_string(done) + " of 3 tasks");
    break;
  }
  }
}

void runExclusive(int construct, Counts &counts) {
  switch (construct) {
  case Critical: {
#pragma omp critical
    counts.critical++;
    break;
  }
  case Lock: {
    omp_set_lock(&lock);
    counts.locked++;
    omp_unset_lock(&lock);
    break;
  }
  case TestLock: {
    // In a team that is not folded the holder may have been preempted.
    for (int failures = 1; !omp_test_lock(&lock); failures++)
      if (failures % 100 == 0)
        sched_yield();
    counts.locked++;
    omp_unset_lock(&lock);
    break;
  }
  }
}

void run(const Program &program, int construct, Counts &counts) {
  switch (construct) {
  case Barrier: {
#pragma omp barrier
    break;
  }
  case Single: {
#pragma omp single
    counts.once++;
    break;
  }
  case Copyprivate: {
    int value = -1;
#pragma omp single copyprivate(value)
    {
      value = 17;
      counts.once++;
    }
    if (value != 17)
      fail("copyprivate copies " + std::to_string(value));
    break;
  }
  case Static:
  case Dynamic:
  case Ordered:
  case Doacross:
    runLoop(program.trips, construct, counts);
    break;
  case Tasks:
  case Dependences:
  case Taskwait:
    runTasks(program.trips, construct, counts);
    break;
  case Critical:
  case Lock:
  case TestLock:
    runExclusive(construct, counts);
    break;
  case Yield: {
#pragma omp taskyield
    break;
  }
  case Reduction: {
    counts.each++;
    break;
  }
  case Inner: {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    if (threads < 1 || threads > 2)
      fail("an inner team of " + std::to_string(threads));
    break;
  }
  }
}

// Outlined functions of their own, which the library tells apart.
template <int Region> void region(const Program &program, Counts &counts) {
#pragma omp parallel num_threads(program.threads)
  {
    if (omp_get_num_threads() != program.threads)
      fail("a team of " + std::to_string(omp_get_num_threads()) + " threads, not " +
           std::to_string(program.threads));
    for (const int construct : program.constructs)
      run(program, construct, counts);
  }
}

void check(const char *what, long is, long expected) {
  if (is != expected)
    fail(std::string(what) + ": " + std::to_string(is) + ", not " + std::to_string(expected));
}

void runRegions(std::uint64_t seed) {
  Choice choice(seed);
  Program program;
  program.threads = choice.between(1, 9);
  program.trips = choice.between(1, 12);
  for (int i = choice.between(1, 6); i > 0; i--) {
    const int construct = choice.between(0, Constructs - 1);
    // One makes threads each time, the other spins for a time slice when threads are not folded.
    if ((construct != Inner && construct != Doacross) || choice.oneIn(20))
      program.constructs.push_back(construct);
  }
  constexpr int regions = 20;
  Counts counts;
  for (int i = 0; i < regions; i++)
    (i % 3 == 0 ? region<0> : i % 3 == 1 ? region<1> : region<2>)(program, counts);
  long once = 0, each = 0, trips = 0, critical = 0, locked = 0, chain = 0;
  for (const int construct : program.constructs) {
    once += construct == Single || construct == Copyprivate;
    each += construct == Reduction;
    trips += construct == Static || construct == Dynamic || construct == Ordered ||
             construct == Doacross || construct == Tasks || construct == Dependences;
    critical += construct == Critical;
    locked += construct == Lock || construct == TestLock;
    chain += construct == Dependences;
  }
  check("single", counts.once, regions * once);
  check("each", counts.each, regions * each * program.threads);
  check("iterations and tasks", counts.trips, regions * trips * program.trips);
  check("a chain of tasks", counts.chain, regions * chain * program.trips);
  check("out of order", counts.wrong, 0);
  check("critical", counts.critical, regions * critical * program.threads);
  check("locks", counts.locked, regions * locked * program.threads);
}

} // namespace

int main(int argc, char **argv) {
  omp_init_lock(&lock);
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  return runSeeded(argc, argv, "Runs random small regions of OpenMP.", runRegions);
}
