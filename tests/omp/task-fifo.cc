// SPDX-License-Identifier: GPL-3.0-or-later
// What GOMP_TASK_SCHEDULE=fifo promises in addition to the order of tasks that are alike:
// priorities, scheduling points, the limit on the queue, short tasks, and help for descendants.
#include <algorithm>
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void sleep_a_moment() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

unsigned long limit() {
  return std::strtoul(std::getenv("GOMP_AMP_TEST_QUEUE_LIMIT"), nullptr, 10);
}

// One thread creates tasks of priorities 0 to 3 by turns and then runs them.
std::vector<int> order_of_priorities(int tasks) {
  std::vector<int> order;
#pragma omp parallel num_threads(1)
  {
    for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i) priority(i % 4) shared(order)
      order.push_back(i);
    }
#pragma omp taskwait
  }
  return order;
}

TEST(Priorities, HigherOnesFirstAndEqualOnesInOrder) {
  ASSERT_EQ(omp_get_max_task_priority(), 3);
  std::vector<int> expected;
  for (int priority = 3; priority >= 0; priority--)
    for (int i = priority; i < 60; i += 4)
      expected.push_back(i);
  EXPECT_EQ(order_of_priorities(60), expected);
}

// As everywhere in OpenMP without OMP_MAX_TASK_PRIORITY.
TEST(Priorities, Ignored) {
  EXPECT_EQ(omp_get_max_task_priority(), 0);
  std::vector<int> expected(60);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order_of_priorities(60), expected);
}

// Each taskyield is for the oldest ready task.
TEST(Fifo, Taskyield) {
  std::vector<int> order;
#pragma omp parallel num_threads(1)
  {
    for (int i = 0; i < 5; i++) {
#pragma omp task firstprivate(i) shared(order)
      order.push_back(i);
    }
    for (int i = 0; i < 3; i++) {
#pragma omp taskyield
      order.push_back(100 + i);
    }
  }
  EXPECT_EQ(order, (std::vector<int>{0, 100, 1, 101, 2, 102, 3, 4}));
}

// A thread in the middle of a task starts only what that task created.
TEST(Fifo, TaskyieldInATaskLeavesOthersAlone) {
  std::vector<int> order;
#pragma omp parallel num_threads(1)
  {
#pragma omp task shared(order)
    {
      order.push_back(0);
#pragma omp task shared(order)
      order.push_back(2);
#pragma omp taskyield
      order.push_back(1);
#pragma omp taskyield
    }
#pragma omp task shared(order)
    order.push_back(3);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 2, 1, 3}));
}

// The thread in taskwait runs what a child that another thread has begun created, and for which
// that one waits without a scheduling point. There are fewer than it takes to know that they are
// small: of small ones it is not told.
TEST(Fifo, TaskwaitHelpsDescendants) {
  std::atomic<int> begun{0}, helped{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(begun, helped)
    {
      begun = 1;
      sleep_a_moment();
      for (int i = 1; i <= 12; i++) {
#pragma omp task shared(helped)
        helped++;
        while (helped < i)
          sleep_a_moment();
      }
    }
    while (!begun)
      sleep_a_moment();
#pragma omp taskwait
  }
  EXPECT_EQ(helped, 12);
}

// The same at the end of a taskgroup, two generations below.
TEST(Fifo, TaskgroupHelpsDescendants) {
  std::atomic<int> begun{0}, helped{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(begun, helped)
#pragma omp taskgroup
      {
        begun = 1;
#pragma omp task shared(helped)
        {
#pragma omp task shared(helped)
          helped++;
          while (helped < 1)
            sleep_a_moment();
        }
      }
      while (!begun)
        sleep_a_moment();
    }
  }
  EXPECT_EQ(helped, 1);
}

// A task waits for a member of its taskgroup that depends on a child of it that is no member, and
// that another thread releases, in a taskyield, and does not run: only who waits can.
TEST(Fifo, TaskgroupIsWokenForOtherChildren) {
  [[maybe_unused]] char link = 0;
  std::atomic<int> run{0};
  const auto wait = [](int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  };
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
#pragma omp task if (0) shared(run, link, wait)
  {
#pragma omp task shared(run, link, wait)
#pragma omp taskgroup
    {
#pragma omp task depend(out : link) shared(run, wait)
      wait(60), run++;
      wait(20);
#pragma omp task depend(inout : link) shared(run)
      run++;
#pragma omp taskgroup
      {
#pragma omp task depend(in : link) shared(run)
        run++;
      }
    }
    wait(10);
#pragma omp taskyield
  }
  EXPECT_EQ(run, 3);
}

// Each of a chain of tasks creates the next one, which is queued, and then something at whose
// creation older tasks may be run: no stack is deep enough to run each within the one before.
class Chain : public testing::TestWithParam<const char *> {
protected:
  void next(long left) {
    run_++;
    if (left == 0)
      return;
    [[maybe_unused]] char *link = &link_;
    if (kind_ == "priority") {
#pragma omp task firstprivate(left) priority(1)
      next(left - 1);
    } else {
#pragma omp task firstprivate(left) depend(in : link[0])
      next(left - 1);
    }
    if (kind_ == "taskyield") {
#pragma omp taskyield
    } else {
#pragma omp task
      leaves_++;
    }
  }
  const std::string kind_ = GetParam();
  std::atomic<long> run_{0}, leaves_{0};
  char link_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, Chain, testing::Values("depend", "priority", "taskyield"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(Chain, DoesNotFillTheStack) {
  constexpr long kTasks = 200000;
  for (int threads : {1, 2, 1, 2, 1, 2, 1, 2}) {
    run_ = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    next(kTasks);
    EXPECT_EQ(run_, kTasks + 1);
  }
}

// Wherever a creator outruns those who run its tasks, no more wait than the limit says.
TEST(Limit, HoldsForFlatTasks) {
  const unsigned long threads = 3;
  std::atomic<long> waiting{0}, most{0}, run{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < 20000; i++) {
    waiting++;
#pragma omp task shared(waiting, run)
    {
      waiting--;
      run++;
    }
    most = std::max<long>(most, waiting);
  }
  EXPECT_EQ(run, 20000);
  // Those that were taken, and have not said so yet, are not in the queue.
  EXPECT_LE(most, long(limit() + threads));
}

TEST(Limit, HoldsForTasksThatWaitForOthers) {
  std::atomic<long> waiting{0}, most{0};
  long value = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 5000; i++) {
    waiting++;
#pragma omp task depend(inout : value) shared(waiting, value)
    {
      waiting--;
      value++;
    }
    most = std::max<long>(most, waiting);
  }
  EXPECT_EQ(value, 5000);
  EXPECT_LE(most, long(limit() + 3));
}

TEST(Limit, HoldsForTaskloops) {
  std::vector<int> runs(10000, 0);
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 10000; i++)
    runs[i]++;
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), 10000);
}

// Events that their tasks' creator fulfils after it has created more tasks than the limit: it must
// not be made to wait for one.
TEST(Limit, DoesNotHoldUpWhoFulfilsEvents) {
  constexpr int kTasks = 200;
  std::vector<omp_event_handle_t> event(kTasks);
  [[maybe_unused]] char link[kTasks];
  std::atomic<int> bodies{0}, after{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < kTasks; i++) {
      omp_event_handle_t handle;
#pragma omp task detach(handle) depend(out : link[i]) shared(bodies)
      bodies++;
      event[i] = handle;
#pragma omp task depend(in : link[i]) shared(after)
      after++;
    }
    for (int i = 0; i < kTasks; i++)
      omp_fulfill_event(event[i]);
  }
  EXPECT_EQ(bodies, kTasks);
  EXPECT_EQ(after, kTasks);
}

TEST(Limit, RecursionGoesOn) {
  struct Tree {
    static long count(int depth) {
      if (depth == 0)
        return 1;
      long left, right;
#pragma omp task shared(left)
      left = count(depth - 1);
#pragma omp task shared(right)
      right = count(depth - 1);
#pragma omp taskwait
      return left + right;
    }
  };
  long leaves = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  leaves = Tree::count(12);
  EXPECT_EQ(leaves, 4096);
}

// Tasks of one construct that are known to be short run as they are created, after what is older.
TEST(Short, RunAtOnceAndInOrder) {
  constexpr long kTasks = 100000;
  std::vector<long> order;
  long at_once = 0;
  order.reserve(kTasks);
#pragma omp parallel num_threads(1)
  for (long i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(i) shared(order)
    order.push_back(i);
    at_once += long(order.size()) == i + 1;
  }
  for (long i = 0; i < kTasks; i++)
    ASSERT_EQ(order[i], i);
  // None would if the limit, which is larger, were all that is there. How many do is a matter of
  // time.
  EXPECT_GT(at_once, 0);
}

// A long task that waits is no reason for the creator of short ones to begin it.
TEST(Short, DoNotMakeTheirCreatorRunLongOnes) {
  std::atomic<long> run{0};
  const auto create_short = [&run](long tasks) {
    for (long i = 0; i < tasks; i++) {
#pragma omp task shared(run)
      run++;
    }
  };
  std::thread::id runner;
  std::atomic<bool> held{true};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    // They are known to be short afterwards.
    create_short(100000);
#pragma omp taskwait
    // The other thread is busy.
    std::atomic<int> busy{0};
#pragma omp task shared(busy, held)
    {
      busy = 1;
      while (held)
        sleep_a_moment();
    }
    while (!busy)
      sleep_a_moment();
#pragma omp task shared(runner)
    runner = std::this_thread::get_id();
    create_short(1000);
    EXPECT_EQ(runner, std::thread::id());
    held = false;
  }
  EXPECT_NE(runner, std::thread::id());
}

// Each of a long chain of short tasks creates the next one: no stack is deep enough to run each
// within the one before.
TEST(Short, ChainsDoNotFillTheStack) {
  struct Chain {
    static void next(long left, std::atomic<long> &run) {
      run++;
      if (left > 0) {
#pragma omp task firstprivate(left) shared(run)
        next(left - 1, run);
      }
    }
  };
  std::atomic<long> run{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++)
    Chain::next(300000, run);
  EXPECT_EQ(run, 900003);
}

// The same where each waits for a task, and that one creates the next.
TEST(Short, ChainsWithWaitsDoNotFillTheStack) {
  struct Chain {
    static void next(int n, std::atomic<int> &run) {
      if (n == 0)
        return;
#pragma omp task default(none) shared(run) firstprivate(n)
      {
        run++;
#pragma omp task default(none) shared(run) firstprivate(n)
        next(n - 1, run);
#pragma omp taskwait
      }
    }
  };
  for (int threads : {1, 2}) {
    std::atomic<int> run{0};
#pragma omp parallel num_threads(threads) default(none) shared(run)
#pragma omp single
    Chain::next(200000, run);
    EXPECT_EQ(run, 200000) << threads << " threads";
  }
}

// A worker's stack, which OMP_STACKSIZE can make small.
TEST(Short, ChainsDoNotFillAWorkersStack) {
  struct Chain {
    static void next(int n, std::atomic<int> &run) {
      if (n == 0)
        return;
#pragma omp task default(none) shared(run) firstprivate(n)
      {
        volatile char local[128] = {};
        run++;
        next(n - 1, run);
        local[0] = 1;
      }
    }
  };
  std::atomic<int> run{0};
#pragma omp parallel num_threads(2) default(none) shared(run)
  if (omp_get_thread_num() == 1)
    Chain::next(20000, run);
  EXPECT_EQ(run, 20000);
}

// Those of a taskloop are as short as others.
TEST(Short, TasksOfATaskloopRunAtOnce) {
  std::atomic<int> run{0};
  int at_once = 0;
#pragma omp parallel num_threads(1) default(none) shared(run, at_once)
  for (int round = 0; round < 50 && at_once < 100; round++) {
    int before = run;
#pragma omp taskloop nogroup num_tasks(100) default(none) shared(run)
    for (int i = 0; i < 100; i++)
      run++;
    at_once = std::max(at_once, run - before);
#pragma omp taskwait
  }
  EXPECT_EQ(run % 100, 0);
  EXPECT_EQ(at_once, 100);
}

TEST(Exceptions, StayInTheirTasks) {
  std::atomic<int> caught{0};
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 500; i++) {
#pragma omp task shared(caught)
    try {
#pragma omp task shared(caught) if (i % 2)
      try {
        throw std::runtime_error("inner");
      } catch (const std::runtime_error &) {
        caught++;
      }
#pragma omp taskwait
      throw std::runtime_error("outer");
    } catch (const std::runtime_error &) {
      caught++;
    }
  }
  EXPECT_EQ(caught, 1000);
}

// Copies are made when a task is created, and destroyed once each, wherever it runs.
TEST(Copies, AreMadeAtCreation) {
  static std::atomic<int> alive;
  struct Tracked {
    int value;
    explicit Tracked(int v) : value(v) { alive++; }
    Tracked(const Tracked &other) : value(other.value) { alive++; }
    ~Tracked() { alive--; }
  };
  alive = 0;
  std::atomic<long> sum{0};
  {
    Tracked tracked(0);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 3000; i++) {
      tracked.value = i;
#pragma omp task firstprivate(tracked) shared(sum)
      sum += tracked.value;
    }
  }
  EXPECT_EQ(sum, 3000L * 2999 / 2);
  EXPECT_EQ(alive, 0);
}

// A taskloop of several parts, with copies and a reduction.
TEST(Taskloops, OfManyTasks) {
  std::vector<int> runs(5000, 0);
  long sum = 0;
  unsigned long long wide = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 4999; i >= 0; i--) {
      runs[i]++;
      sum += i;
    }
#pragma omp taskloop num_tasks(777) reduction(+ : wide)
    for (unsigned long long i = 5; i < 100000; i += 7)
      wide += i;
#pragma omp taskloop grainsize(strict : 3) nogroup
    for (int i = 0; i < 5000; i++) {
#pragma omp atomic
      runs[i]++;
    }
  }
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 2), 5000);
  EXPECT_EQ(sum, 5000L * 4999 / 2);
  unsigned long long expected = 0;
  for (unsigned long long i = 5; i < 100000; i += 7)
    expected += i;
  EXPECT_EQ(wide, expected);
}

// All copies are made before the first of them runs, however many there are.
TEST(Taskloops, UndeferredOnesCopyFirst) {
  struct Copied {
    int *source, value;
    explicit Copied(int *s) : source(s), value(*s) {}
    Copied(const Copied &other) : source(other.source), value(*other.source) {}
  };
  int current = 7, wrong = 0;
  Copied copied(&current);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(1) if (0) firstprivate(copied) shared(current, wrong)
  for (int i = 0; i < 600; i++) {
    wrong += copied.value != 7;
    current++;
  }
  EXPECT_EQ(current, 607);
  EXPECT_EQ(wrong, 0);
}

// On a machine without devices a target task runs on the host, when its turn comes.
TEST(Target, Nowait) {
  int value = 1, seen = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : value) shared(value)
    value++;
#pragma omp target nowait depend(inout : value) map(tofrom : value)
    value *= 3, value %= 1000003;
#pragma omp task depend(in : value) shared(value, seen)
    seen = value;
  }
  int expected = 1;
  for (int i = 0; i < 50; i++)
    expected = (expected + 1) * 3 % 1000003;
  EXPECT_EQ(value, expected);
  EXPECT_EQ(seen, expected);
}

} // namespace
