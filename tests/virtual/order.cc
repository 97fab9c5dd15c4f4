// SPDX-License-Identifier: GPL-3.0-or-later
// The order of events in virtual time, told by omp_get_wtime alone: what cannot be, whatever the
// machine that this runs on was doing, is that a thread sees an effect before its cause. To be run
// in virtual time, with as many threads as the virtual machine has cores.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "work.h"

namespace {

constexpr double kWork = 100e-6;

// From when to when something took place.
struct Span {
  double begin = 0, end = 0;
};

// No two of these overlap.
void expect_disjoint(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span &a, const Span &b) { return a.begin < b.begin; });
  for (size_t i = 0; i + 1 < spans.size(); i++)
    EXPECT_LE(spans[i].end, spans[i + 1].begin) << i << " of " << spans.size();
}

// Work of a different length for each thread and round, within a span.
Span worked(int round) {
  Span span;
  span.begin = omp_get_wtime();
  work(kWork * (1 + (omp_get_thread_num() * 5 + round * 3) % 7) / 4);
  span.end = omp_get_wtime();
  return span;
}

TEST(Order, AThreadsTimeNeverGoesBack) {
  int back = 0;
#pragma omp parallel reduction(+ : back)
  {
    double last = omp_get_wtime();
    for (int i = 0; i < 3000; i++) {
      const double now = omp_get_wtime();
      back += now < last;
      last = now;
      if (i % 500 == 0) {
#pragma omp barrier
      }
    }
  }
  EXPECT_EQ(back, 0);
}

TEST(Order, RegionBeginsAndEnds) {
  const double before = omp_get_wtime();
  double first = std::numeric_limits<double>::max(), last = 0;
#pragma omp parallel reduction(min : first) reduction(max : last)
  {
    const Span span = worked(0);
    first = std::min(first, span.begin);
    last = std::max(last, span.end);
  }
  EXPECT_LE(before, first);
  EXPECT_LE(last, omp_get_wtime());
}

TEST(Order, Barrier) {
  const int threads = omp_get_max_threads(), rounds = 20;
  std::vector<Span> spans(threads * rounds);
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
    spans[round * threads + omp_get_thread_num()] = worked(round);
#pragma omp barrier
  }
  for (int round = 0; round + 1 < rounds; round++)
    for (int one = 0; one < threads; one++)
      for (int other = 0; other < threads; other++)
        ASSERT_LE(spans[round * threads + one].end, spans[(round + 1) * threads + other].begin)
            << "threads " << one << " and " << other << " in round " << round;
}

// Not only the spans at work: who was first in is first in virtual time too.
template <typename Enter, typename Leave> void expect_exclusion(Enter enter, Leave leave) {
  const int rounds = 10;
  std::vector<Span> spans;
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
    work(kWork / 5);
    enter();
    spans.push_back(worked(round));
    leave();
  }
  ASSERT_EQ(spans.size(), size_t(rounds * omp_get_max_threads()));
  EXPECT_TRUE(std::is_sorted(spans.begin(), spans.end(),
                             [](const Span &a, const Span &b) { return a.begin < b.begin; }));
  expect_disjoint(spans);
}

TEST(Order, Critical) {
  const int rounds = 10;
  std::vector<Span> unnamed, named;
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
#pragma omp critical
    unnamed.push_back(worked(round));
    work(kWork / 5);
#pragma omp critical(name)
    named.push_back(worked(round));
  }
  ASSERT_EQ(unnamed.size(), size_t(rounds * omp_get_max_threads()));
  expect_disjoint(unnamed);
  expect_disjoint(named);
}

TEST(Order, Lock) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  expect_exclusion([&] { omp_set_lock(&lock); }, [&] { omp_unset_lock(&lock); });
  expect_exclusion(
      [&] {
        while (!omp_test_lock(&lock))
          ;
      },
      [&] { omp_unset_lock(&lock); });
  omp_destroy_lock(&lock);
}

TEST(Order, NestLock) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  expect_exclusion([&] { omp_set_nest_lock(&lock); }, [&] { omp_unset_nest_lock(&lock); });
  omp_destroy_nest_lock(&lock);
}

TEST(Order, OrderedRegions) {
  for (omp_sched_t kind : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
    omp_set_schedule(kind, 0);
    std::vector<Span> spans(60);
#pragma omp parallel for ordered schedule(runtime)
    for (int i = 0; i < 60; i++) {
      work(kWork / 5);
#pragma omp ordered
      spans[i] = worked(i);
    }
    for (int i = 0; i + 1 < 60; i++)
      EXPECT_LE(spans[i].end, spans[i + 1].begin) << "iteration " << i;
  }
}

// Upstream waits for another iteration by spinning, which takes the lab's patience each time.
TEST(Order, Doacross) {
  const int iterations = 15;
  std::vector<Span> spans(iterations);
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (int i = 0; i < iterations; i++) {
    work(kWork / 5);
#pragma omp ordered depend(sink : i - 1)
    spans[i] = worked(i);
#pragma omp ordered depend(source)
  }
  for (int i = 0; i + 1 < iterations; i++)
    EXPECT_LE(spans[i].end, spans[i + 1].begin) << "iteration " << i;
}

TEST(Order, Single) {
  const int rounds = 10;
  std::vector<Span> singles(rounds), copies(rounds);
  std::vector<double> earliest(rounds, std::numeric_limits<double>::max()), copied = earliest;
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
#pragma omp single
    singles[round] = worked(round);
    const double after = omp_get_wtime();
    Span span;
#pragma omp single copyprivate(span)
    copies[round] = span = worked(round);
    const double with_copy = omp_get_wtime();
#pragma omp critical
    {
      earliest[round] = std::min(earliest[round], after);
      copied[round] = std::min(copied[round], with_copy);
    }
  }
  for (int round = 0; round < rounds; round++) {
    EXPECT_LE(singles[round].end, earliest[round]);
    EXPECT_LE(copies[round].end, copied[round]);
  }
}

TEST(Order, TasksAndTheirWaits) {
  constexpr int kTasks = 40;
  std::vector<double> made(kTasks);
  std::vector<Span> ran(kTasks);
  double waited = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; i++) {
      made[i] = omp_get_wtime();
#pragma omp task shared(ran)
      ran[i] = worked(i);
    }
#pragma omp taskwait
    waited = omp_get_wtime();
  }
  for (int i = 0; i < kTasks; i++) {
    EXPECT_LE(made[i], ran[i].begin) << "task " << i;
    EXPECT_LE(ran[i].end, waited) << "task " << i;
  }
}

TEST(Order, Taskgroup) {
  constexpr int kTasks = 30;
  std::vector<Span> ran(kTasks);
  double waited = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(ran)
      for (int i = 0; i < kTasks; i++) {
#pragma omp task shared(ran)
        ran[i] = worked(i);
      }
    }
    waited = omp_get_wtime();
  }
  for (int i = 0; i < kTasks; i++)
    EXPECT_LE(ran[i].end, waited) << "task " << i;
}

TEST(Order, Dependences) {
  constexpr int kLinks = 40;
  [[maybe_unused]] int chain[2];
  std::vector<Span> ran(kLinks);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kLinks; i++) {
#pragma omp task depend(inout : chain[i % 2]) shared(ran)
    ran[i] = worked(i);
  }
  for (int i = 0; i + 2 < kLinks; i++)
    EXPECT_LE(ran[i].end, ran[i + 2].begin) << "task " << i;
}

// Between the end of what a thread ran before and the begin of a block it took the block out of the
// pool; blocks leave the pool in increasing order, and so in that of these moments.
TEST(Order, Removals) {
  constexpr int kTrips = 400;
  for (int chunk : {1, 3})
    for (omp_sched_t kind : {omp_sched_dynamic, omp_sched_guided}) {
      omp_set_schedule(kind, chunk);
      std::vector<Span> spans(kTrips);
      std::vector<double> before(kTrips);
#pragma omp parallel
      {
        double last = omp_get_wtime();
        int previous = -2;
#pragma omp for schedule(runtime)
        for (int i = 0; i < kTrips; i++) {
          before[i] = i == previous + 1 ? before[previous] : last;
          spans[i] = worked(i);
          last = spans[i].end;
          previous = i;
        }
      }
      double latest = 0;
      for (int i = 0; i < kTrips; i++) {
        latest = std::max(latest, before[i]);
        EXPECT_LE(latest, spans[i].begin) << "iteration " << i << ", kind " << kind;
      }
    }
}

} // namespace
