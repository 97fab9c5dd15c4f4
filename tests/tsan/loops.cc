// SPDX-License-Identifier: GPL-3.0-or-later
// Loops in every way that the AID schedules tell apart, for ThreadSanitizer to watch.
//
// What iterations write is plain memory on purpose: that an iteration runs once, and that a barrier
// makes it visible, are the runtime's promises. Classes of threads, sampling and offline factors
// are set by the environment (CMakeLists.txt); the program does not know.
#include <pthread.h>

#include <numeric>
#include <string>
#include <thread>

#include "../omp/loops.h"
#include "marks.h"

namespace {

constexpr int kThreads = 4;

class Loops : public testing::TestWithParam<Kind> {
protected:
  void SetUp() override { setChunk(0); }
  void setChunk(int chunk) { omp_set_schedule(GetParam().value, chunk); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Loops, testing::ValuesIn(kKinds),
                         [](const auto &info) { return std::string(info.param.name); });

// Up and down, and with a step.
template <typename T> void oneLoop(int threads) {
  Marks up(403), down(403), stepped(403);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (T i = 0; i < 403; i++)
      up.mark(int(i));
#pragma omp for schedule(runtime) nowait
    for (T i = 403; i > 0; i--)
      down.mark(int(i) - 1);
#pragma omp for schedule(monotonic : runtime)
    for (T i = 1000; i < 1000 + 3 * 403; i += 3)
      stepped.mark(int(i - 1000) / 3);
  }
  up.expectOnce();
  down.expectOnce();
  stepped.expectOnce();
}

TEST_P(Loops, OnTeamsOfEverySize) {
  for (int chunk : {0, 1, 7}) {
    setChunk(chunk);
    for (int threads = 1; threads <= 8; threads++) {
      oneLoop<long>(threads);
      oneLoop<unsigned long long>(threads);
    }
  }
}

// Each loop reads what other threads wrote in the one before.
TEST_P(Loops, BarriersPublish) {
  constexpr int kTrips = 200;
  for (int chunk : {0, 3}) {
    setChunk(chunk);
    std::vector<int> value(kTrips), next(kTrips);
#pragma omp parallel num_threads(kThreads)
    for (int loop = 0; loop < 30; loop++) {
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < kTrips; i++)
        next[i] = value[kTrips - 1 - i] + 1;
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < kTrips; i++)
        value[i] = next[(i + 77) % kTrips];
    }
    for (int i : value)
      ASSERT_EQ(i, 30);
  }
}

// More loops in flight than a team has work shares at first; other constructs take turns with the
// loops in using them.
TEST_P(Loops, NowaitChain) {
  constexpr int kLoops = 40, kTrips = 60;
  Marks marks(kLoops * kTrips), others(3 * kLoops);
#pragma omp parallel num_threads(kThreads)
  for (int loop = 0; loop < kLoops; loop++) {
    if (loop % 7 == omp_get_thread_num())
      work(20000);
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < kTrips; i++)
      marks.mark(loop * kTrips + i);
#pragma omp single nowait
    others.mark(3 * loop);
#pragma omp sections nowait
    {
#pragma omp section
      others.mark(3 * loop + 1);
#pragma omp section
      others.mark(3 * loop + 2);
    }
  }
  marks.expectOnce();
  others.expectOnce();
}

TEST_P(Loops, NestedTeams) {
  constexpr int kOuter = 24, kInner = 40;
  omp_set_max_active_levels(2);
  Marks outer(kOuter), inner(kOuter * kInner);
#pragma omp parallel num_threads(3)
#pragma omp for schedule(nonmonotonic : runtime)
  for (int i = 0; i < kOuter; i++) {
    outer.mark(i);
#pragma omp parallel for num_threads(1 + i % 3) schedule(nonmonotonic : runtime)
    for (int j = 0; j < kInner; j++)
      inner.mark(i * kInner + j);
    inner.expect(i * kInner, (i + 1) * kInner, 1);
  }
  outer.expectOnce();
  inner.expectOnce();
}

TEST_P(Loops, CancelledLoops) {
  for (int at : {0, 3, 300, 599}) {
    Marks marks(600), after(100);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 600; i++) {
        marks.mark(i);
        if (i == at) {
#pragma omp cancel for
        }
#pragma omp cancellation point for
      }
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 100; i++)
        after.mark(i);
    }
    marks.expectAtMostOnce(0, 600);
    after.expectOnce();
  }
}

TEST_P(Loops, CancelledRegions) {
  for (int round = 0; round < 6; round++) {
    Marks first(500), second(500);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (int i = 0; i < 500; i++)
        first.mark(i);
#pragma omp cancel parallel if (omp_get_thread_num() == round % kThreads)
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 500; i++)
        second.mark(i);
    }
    first.expectAtMostOnce(0, 500);
    second.expectAtMostOnce(0, 500);
  }
}

TEST_P(Loops, Ordered) {
  std::vector<int> order, expected(150);
  std::iota(expected.begin(), expected.end(), 0);
#pragma omp parallel for ordered schedule(runtime) num_threads(kThreads)
  for (int i = 0; i < 150; i++) {
    work(i % 3 * 100);
#pragma omp ordered
    order.push_back(i);
  }
  EXPECT_EQ(order, expected);
}

template <typename T> void reductions() {
  long sum = 0, ofTasks = 0, last = -1;
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp for schedule(nonmonotonic : runtime) reduction(+ : sum) lastprivate(last)
    for (T i = 0; i < 300; i++) {
      sum += long(i);
      last = long(i);
    }
#pragma omp for schedule(nonmonotonic : runtime) reduction(task, + : ofTasks)
    for (T i = 0; i < 200; i++) {
#pragma omp task in_reduction(+ : ofTasks)
      ofTasks += long(i);
    }
  }
  EXPECT_EQ(sum, 44850);
  EXPECT_EQ(last, 299);
  EXPECT_EQ(ofTasks, 19900);
}

TEST_P(Loops, Reductions) {
  for (int chunk : {0, 5}) {
    setChunk(chunk);
    reductions<int>();
    reductions<unsigned long long>();
  }
}

// Every thread has a schedule of its own, and changes it between loops.
TEST_P(Loops, SchedulesChange) {
  constexpr int kRounds = 12, kTrips = 90;
  Marks marks(kRounds * kTrips);
#pragma omp parallel num_threads(kThreads)
  for (int round = 0; round < kRounds; round++) {
    omp_set_schedule(kKinds[round % std::size(kKinds)].value, round % 4);
#pragma omp for schedule(runtime)
    for (int i = 0; i < kTrips; i++)
      marks.mark(round * kTrips + i);
  }
  marks.expectOnce();
}

// Threads that are not OpenMP's, each with teams of its own, in the same loops.
[[gnu::noinline]] void root(omp_sched_t kind, int rounds) {
  for (int round = 0; round < rounds; round++) {
    Marks marks(120), chained(120);
    omp_set_schedule(kind, round % 3);
#pragma omp parallel num_threads(2 + round % 3)
    {
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (int i = 0; i < 120; i++)
        marks.mark(i);
#pragma omp for schedule(runtime)
      for (int i = 0; i < 120; i++)
        chained.mark(i);
    }
    marks.expectOnce();
    chained.expectOnce();
  }
}

TEST_P(Loops, FromSeveralRoots) {
  std::vector<std::thread> roots;
  for (int i = 0; i < 3; i++)
    roots.emplace_back(root, GetParam().value, 12);
  for (std::thread &each : roots)
    each.join();
}

void *rootForever(void *kind) {
  for (;;)
    root(*static_cast<omp_sched_t *>(kind), 1000);
  return nullptr;
}

// The program ends, and factors are saved, while others of its threads are still in loops.
TEST(Exit, WhileThreadsRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  static omp_sched_t kinds[] = {kKinds[0].value, kKinds[1].value, kKinds[2].value};
  EXPECT_EXIT(
      {
        pthread_t thread;
        for (omp_sched_t &kind : kinds)
          pthread_create(&thread, nullptr, rootForever, &kind);
        root(kinds[0], 30);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

} // namespace
