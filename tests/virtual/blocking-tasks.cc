// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks and what waits for them: taskwait, taskgroup, dependences, taskloop, reductions, detached
// tasks that a foreign thread fulfils.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

long fibonacci(int n) {
  if (n < 2)
    return n;
  long one, two;
#pragma omp task shared(one)
  one = fibonacci(n - 1);
#pragma omp task shared(two)
  two = fibonacci(n - 2);
#pragma omp taskwait
  return one + two;
}

TEST(Tasks, Wait) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(14);
  EXPECT_EQ(result, 377);
}

// By all threads at once, with untied and undeferred ones among them.
TEST(Tasks, FromAllThreads) {
  std::atomic<int> sum{0};
#pragma omp parallel
  {
    for (int i = 0; i < 60; i++) {
#pragma omp task untied if (i % 5 != 0)
      {
        sum++;
#pragma omp taskyield
        sum++;
      }
    }
#pragma omp taskwait
#pragma omp barrier
#pragma omp task
    sum += 1000;
  }
  EXPECT_EQ(sum, (120 + 1000) * omp_get_max_threads());
}

TEST(Tasks, AtTheBarrier) {
  std::atomic<int> done{0};
  int early = 0;
#pragma omp parallel reduction(+ : early)
  for (int round = 1; round <= 30; round++) {
#pragma omp single nowait
    for (int i = 0; i < 20; i++) {
#pragma omp task
      done++;
    }
#pragma omp barrier
    early += done < 20 * round;
  }
  EXPECT_EQ(early, 0);
  EXPECT_EQ(done, 600);
}

TEST(Tasks, Group) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  for (int round = 0; round < 20; round++) {
    std::atomic<int> leaves{0};
#pragma omp taskgroup
    for (int i = 0; i < 4; i++) {
#pragma omp task shared(leaves)
      for (int j = 0; j < 3; j++) {
#pragma omp task shared(leaves)
        leaves++;
      }
    }
    wrong += leaves != 12;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Tasks, Dependences) {
  constexpr int kLinks = 200;
  std::vector<int> order;
  [[maybe_unused]] int chain = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kLinks; i++) {
#pragma omp task depend(inout : chain) shared(order)
    order.push_back(i);
  }
  ASSERT_EQ(order.size(), size_t(kLinks));
  for (int i = 0; i < kLinks; i++)
    EXPECT_EQ(order[i], i);
}

// One writer, several readers, one that excludes others, and a wait for one of them only.
TEST(Tasks, DependencesOfManyKinds) {
  int value = 0, product = 1, wrong = 0;
  std::atomic<int> readers{0};
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 30; round++) {
#pragma omp task depend(out : value) shared(value)
    value = round;
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(in : value) shared(value, wrong, readers)
      {
        readers++;
        if (value != round) {
#pragma omp atomic
          wrong++;
        }
      }
#pragma omp task depend(mutexinoutset : product) shared(product)
      product = product * 7 % 1009;
    }
#pragma omp taskwait depend(in : value)
    if (value != round) {
#pragma omp atomic
      wrong++;
    }
  }
  int expected = 1;
  for (int i = 0; i < 150; i++)
    expected = expected * 7 % 1009;
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(readers, 150);
  EXPECT_EQ(product, expected);
}

TEST(Tasks, Loop) {
  std::vector<int> runs(500, 0);
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < 500; i++)
      runs[i]++;
#pragma omp taskloop num_tasks(9) nogroup
    for (int i = 0; i < 500; i++) {
#pragma omp atomic
      runs[i]++;
    }
  }
  for (int run : runs)
    EXPECT_EQ(run, 2);
}

TEST(Tasks, LoopReduction) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(11)
  for (int i = 0; i < 1000; i++)
    sum += i;
  EXPECT_EQ(sum, 499500);
}

TEST(Tasks, GroupReduction) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 200; i++) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  EXPECT_EQ(sum, 19900);
}

TEST(Tasks, RegionReduction) {
  long region = 0, loop = 0;
#pragma omp parallel reduction(task, + : region)
  {
#pragma omp task in_reduction(+ : region)
    region += 5;
#pragma omp for schedule(nonmonotonic : dynamic) reduction(task, + : loop)
    for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : loop)
      loop += i;
    }
  }
  EXPECT_EQ(region, 5L * omp_get_max_threads());
  EXPECT_EQ(loop, 4950);
}

// The task ends when another thread, unknown to OpenMP, says so.
TEST(Tasks, DetachedFromForeignThread) {
  int value = 0, seen = 0, after = 0;
  std::thread other;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value, other)
    other = std::thread([&value, event] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      value = 9;
      omp_fulfill_event(event);
    });
#pragma omp task depend(in : value) shared(value, seen)
    seen = value;
#pragma omp taskwait
    after = value;
  }
  other.join();
  EXPECT_EQ(seen, 9);
  EXPECT_EQ(after, 9);
}

// All wait at the region's end for what only another task of theirs can end.
TEST(Tasks, DetachedFromATask) {
  int order = 0, first = 0, second = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
    [[maybe_unused]] int link;
#pragma omp task detach(event) depend(out : link) shared(first, order)
    first = ++order;
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
#pragma omp task depend(in : link) shared(second, order)
    second = ++order;
  }
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

// A taskwait in a team while its other threads are already in the barrier.
TEST(Tasks, NestedRegionsInTasks) {
  std::atomic<int> sum{0};
  omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++) {
#pragma omp task
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp task
        sum++;
#pragma omp taskwait
        sum++;
      }
    }
  }
  EXPECT_EQ(sum, 24);
}

} // namespace
