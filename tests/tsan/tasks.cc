// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks in every way that the runtime's task code tells apart, for ThreadSanitizer to watch.
//
// What tasks write is plain memory on purpose: that a wait makes it visible to the thread that
// waits is the runtime's promise, and ThreadSanitizer reports where the runtime does not keep it.
// Every test also checks that each task ran once. Which way the runtime takes is set by the
// environment (CMakeLists.txt); the program does not know.
#include <gtest/gtest.h>
#include <omp.h>
#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "marks.h"

namespace {

constexpr int kThreads = 4;

TEST(Flat, FromOneThread) {
  Marks marks(3000);
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  for (int i = 0; i < marks.size(); i++) {
#pragma omp task shared(marks)
    marks.mark(i);
  }
  marks.expectOnce();
}

TEST(Flat, FromAllThreads) {
  constexpr int kEach = 600, kRounds = 3;
  Marks marks(kThreads * kEach);
  int unseen[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
    int mine = omp_get_thread_num();
    std::vector<int> ran(kEach);
    for (int round = 0; round < kRounds; round++) {
      for (int i = 0; i < kEach; i++) {
#pragma omp task shared(marks, ran) firstprivate(mine, i)
        {
          work(i % 50);
          marks.mark(mine * kEach + i);
          ran[i]++;
        }
      }
#pragma omp taskwait
      for (int i = 0; i < kEach; i++)
        unseen[mine] += ran[i] != round + 1;
    }
  }
  for (int missed : unseen)
    EXPECT_EQ(missed, 0);
  marks.expect(0, marks.size(), kRounds);
}

// A waiting thread finds its children started by others, and helps with what those created.
long tree(int depth, int width) {
  std::vector<long> below(width);
  if (depth == 0)
    return 1 + 0 * work(20);
  for (int i = 0; i < width; i++) {
#pragma omp task shared(below) firstprivate(i)
    below[i] = tree(depth - 1, width);
  }
  long sum = 1;
#pragma omp taskwait
  for (long part : below)
    sum += part;
  return sum;
}

TEST(Recursion, WithTaskwait) {
  long narrow = 0, wide = 0, everywhere[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single
    {
      narrow = tree(9, 2);
      wide = tree(3, 9);
    }
    everywhere[omp_get_thread_num()] = tree(5, 3);
  }
  EXPECT_EQ(narrow, 1023);
  EXPECT_EQ(wide, 820);
  for (long nodes : everywhere)
    EXPECT_EQ(nodes, 364);
}

// Tasks that end before their children do, with a heap's numbering.
void spread(Marks &marks, int node) {
  if (node >= marks.size())
    return;
  for (int child = 3 * node + 1; child <= 3 * node + 3; child++) {
#pragma omp task shared(marks) firstprivate(child)
    spread(marks, child);
  }
  marks.mark(node);
}

TEST(Recursion, ParentsEndFirst) {
  for (int round = 0; round < 4; round++) {
    Marks grouped(400), barriered(400);
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
#pragma omp taskgroup
      spread(grouped, 0);
      grouped.expectOnce();
      spread(barriered, 0);
#pragma omp taskwait
    }
    barriered.expectOnce();
  }
}

// Tasks that are run at once, and parents of tasks that are not, lie on the stack.
TEST(Recursion, BelowUndeferredAndFinal) {
  Marks marks(240);
  long sums[20] = {};
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task if (0) shared(marks, sums)
    {
      for (int j = 0; j < 10; j++) {
#pragma omp task shared(marks) firstprivate(i, j)
        {
          work(j * 30);
          marks.mark(12 * i + j);
        }
      }
      if (i % 2)
        sums[i] = tree(3, 3);
      // Otherwise it ends before they do.
    }
#pragma omp task final(true) shared(marks)
    {
      marks.mark(12 * i + 10);
#pragma omp task shared(marks)
      marks.mark(12 * i + 11);
    }
  }
  marks.expectOnce();
  for (int i = 0; i < 20; i++)
    EXPECT_EQ(sums[i], i % 2 ? 40 : 0);
}

TEST(Depend, Chains) {
  constexpr int kChains = 8, kLinks = 60;
  int values[kChains] = {}, wrong[kChains] = {};
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  for (int link = 0; link < kLinks; link++) {
    for (int chain = 0; chain < kChains; chain++) {
#pragma omp task shared(values, wrong) depend(inout : values[chain])
      wrong[chain] += values[chain]++ != link;
    }
  }
  for (int chain = 0; chain < kChains; chain++) {
    EXPECT_EQ(values[chain], kLinks);
    EXPECT_EQ(wrong[chain], 0);
  }
}

// One releases many, many release one, and parents end before those that are blocked.
TEST(Depend, Fans) {
  constexpr int kRounds = 25, kReaders = 9;
  int value[kThreads] = {}, seen[kThreads][kReaders] = {}, wrong[kThreads] = {}, sum[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
    int mine = omp_get_thread_num();
#pragma omp task shared(value, seen, wrong, sum) firstprivate(mine)
    for (int round = 1; round <= kRounds; round++) {
#pragma omp task shared(value) firstprivate(mine, round) depend(out : value[mine])
      {
        work(100);
        value[mine] = round;
      }
      for (int i = 0; i < kReaders; i++) {
#pragma omp task shared(value, seen) firstprivate(mine, i) depend(in : value[mine])
        seen[mine][i] = value[mine];
      }
      for (int i = 0; i < 3; i++) {
#pragma omp task shared(sum, value) depend(in : value[mine]) depend(mutexinoutset : sum[mine])
        sum[mine] += value[mine];
      }
#pragma omp task shared(value, seen, wrong) firstprivate(mine, round) depend(inout : value[mine])
      for (int i = 0; i < kReaders; i++)
        wrong[mine] += seen[mine][i] != round;
    }
  }
  for (int mine = 0; mine < kThreads; mine++) {
    EXPECT_EQ(wrong[mine], 0);
    EXPECT_EQ(sum[mine], 3 * kRounds * (kRounds + 1) / 2);
  }
}

TEST(Depend, Taskwait) {
  constexpr int kRounds = 60;
  int wrong[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
    int *missed = &wrong[omp_get_thread_num()];
    for (int round = 0; round < kRounds; round++) {
      int soon = 0, late = 0, inner = 0;
#pragma omp task shared(soon) depend(out : soon)
      soon = work(50);
#pragma omp task shared(soon) depend(inout : soon)
      soon++;
#pragma omp task shared(late, inner) depend(out : late)
      {
#pragma omp task shared(inner)
        inner = work(10);
        late = work(400);
#pragma omp taskwait
      }
#pragma omp taskwait depend(in : soon)
      *missed += soon != 51;
#pragma omp taskwait depend(inout : late)
      *missed += late != 400 || inner != 10;
#pragma omp taskwait
    }
  }
  for (int missed : wrong)
    EXPECT_EQ(missed, 0);
}

TEST(Depend, Undeferred) {
  constexpr int kRounds = 60;
  int wrong[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
    int *missed = &wrong[omp_get_thread_num()];
    int a = 0, b = 0;
    for (int round = 0; round < kRounds; round++) {
#pragma omp task shared(a) depend(inout : a)
      a += work(1);
#pragma omp task shared(a, b) depend(in : a) depend(inout : b)
      b += a;
#pragma omp task if (0) shared(a, b) depend(inout : a, b)
      {
        *missed += a != 1 || b != 1;
        a = b = 0;
      }
    }
#pragma omp taskwait
  }
  for (int missed : wrong)
    EXPECT_EQ(missed, 0);
}

void addUp(long &sum, int depth) {
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    {
      sum += i;
      long inner = 0;
      if (depth > 0) {
        addUp(inner, depth - 1);
        sum += inner;
      }
    }
  }
}

TEST(Taskgroup, NestedReductions) {
  long one = 0, all[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single
    addUp(one, 3);
    addUp(all[omp_get_thread_num()], 2);
  }
  EXPECT_EQ(one, 6 * (1 + 4 + 16 + 64));
  for (long sum : all)
    EXPECT_EQ(sum, 6 * (1 + 4 + 16));
}

// A reduction of the whole team.
TEST(Taskgroup, ReductionOfTheRegion) {
  for (int round = 0; round < 10; round++) {
    long sum = 0;
#pragma omp parallel num_threads(kThreads) reduction(task, + : sum)
    for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
    EXPECT_EQ(sum, kThreads * 190);
  }
}

TEST(Taskgroup, WithDependAndWaits) {
  Marks marks(40 * 12);
#pragma omp parallel num_threads(kThreads)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 40; i++) {
    int token = 0;
#pragma omp taskgroup
    {
      for (int j = 0; j < 10; j++) {
#pragma omp task shared(marks, token) firstprivate(i, j) depend(inout : token)
        {
          token++;
          marks.mark(12 * i + j);
        }
      }
#pragma omp taskgroup
      {
#pragma omp task shared(marks) firstprivate(i)
        {
#pragma omp task shared(marks) firstprivate(i)
          marks.mark(12 * i + 11);
          marks.mark(12 * i + 10);
        }
      }
      marks.expect(12 * i + 10, 12 * i + 12, 1);
    }
    marks.expect(12 * i, 12 * i + 10, 1);
    EXPECT_EQ(token, 10);
  }
}

TEST(Taskloop, OneByOne) {
  Marks marks(1500), more(700), parts(777);
  long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
    // Several parts of 256, the last of them smaller.
#pragma omp taskloop grainsize(1) shared(marks)
    for (int i = 0; i < marks.size(); i++)
      marks.mark(i);
    marks.expectOnce();
#pragma omp taskloop grainsize(1) nogroup shared(more)
    for (int i = 0; i < more.size(); i++)
      more.mark(i);
#pragma omp taskwait
    more.expectOnce();
    // 300 tasks of two lengths, of which there are more parts than one.
#pragma omp taskloop num_tasks(300) shared(parts)
    for (int i = 0; i < parts.size(); i++)
      parts.mark(i);
    parts.expectOnce();
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < 600; i++)
      sum += i;
  }
  EXPECT_EQ(sum, 179700);
}

// Objects, which are copied by a function of the compiler's, and not as memory.
TEST(Taskloop, Objects) {
  std::vector<int> order = {3, 1, 2};
  Marks marks(900);
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(marks) firstprivate(order)
    for (int i = 0; i < 600; i++)
      marks.mark(i / 3 * 3 + order[i % 3] - 1);
    for (int i = 600; i < 900; i++) {
#pragma omp task shared(marks) firstprivate(order)
      marks.mark(i / 3 * 3 + order[i % 3] - 1);
    }
  }
  marks.expectOnce();
}

TEST(Taskloop, FromAllThreads) {
  constexpr int kEach = 300;
  Marks marks(kThreads * kEach * 2);
#pragma omp parallel num_threads(kThreads)
  {
    int mine = omp_get_thread_num() * kEach * 2;
#pragma omp taskloop grainsize(1) shared(marks) firstprivate(mine)
    for (int i = 0; i < kEach; i++) {
      marks.mark(mine + 2 * i);
#pragma omp task shared(marks) firstprivate(mine, i)
      marks.mark(mine + 2 * i + 1);
    }
    marks.expect(mine, mine + 2 * kEach, 1);
  }
}

TEST(Taskyield, InTheMiddle) {
  Marks marks(kThreads * 150 * 2);
#pragma omp parallel num_threads(kThreads)
  {
    int mine = omp_get_thread_num() * 300;
    for (int i = 0; i < 150; i++) {
#pragma omp task shared(marks) firstprivate(mine, i)
      {
#pragma omp task shared(marks) firstprivate(mine, i)
        marks.mark(mine + 2 * i + 1);
#pragma omp taskyield
        marks.mark(mine + 2 * i);
      }
#pragma omp taskyield
    }
#pragma omp taskyield
  }
  marks.expectOnce();
}

// A thread that is not OpenMP's and fulfils events, in the order in which they come.
class Fulfiller {
public:
  // It writes what an event stands for before it fulfils it: waiters are to see that.
  struct Order {
    omp_event_handle_t event;
    int *result;
  };
  explicit Fulfiller(unsigned delay)
      : thread_([this, delay] {
          Order order;
          while (pop(order)) {
            work(delay);
            ++*order.result;
            omp_fulfill_event(order.event);
          }
        }) {}
  ~Fulfiller() {
    push({static_cast<omp_event_handle_t>(0), nullptr});
    thread_.join();
  }
  void push(Order order) {
    std::lock_guard<std::mutex> lock(mutex_);
    orders_.push_back(order);
    some_.notify_one();
  }

private:
  bool pop(Order &order) {
    std::unique_lock<std::mutex> lock(mutex_);
    some_.wait(lock, [this] { return !orders_.empty(); });
    order = orders_.front();
    orders_.pop_front();
    return order.result != nullptr;
  }
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<Order> orders_;
  std::thread thread_; // The last: it uses the others.
};

// Before the task ends, at once if NS is large, and after it.
class Detach : public testing::TestWithParam<unsigned> {};

TEST_P(Detach, ByAForeignThread) {
  constexpr int kTasks = 120;
  Fulfiller fulfiller(GetParam());
  std::vector<int> results(3 * kTasks);
  Marks marks(3 * kTasks);
  int wrong = 0, chained = 0;
  [[maybe_unused]] char lanes[7];
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
    auto expect = [&](int begin, int end) {
      marks.expect(begin, end, 1);
      for (int i = begin; i < end; i++)
        EXPECT_EQ(results[i], 1) << i;
    };
    for (int i = 0; i < kTasks; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(fulfiller, results, marks)
      {
        marks.mark(i);
        fulfiller.push({event, &results[i]});
        work(i % 5 * 200);
      }
    }
#pragma omp taskwait
    expect(0, kTasks);
#pragma omp taskgroup
    for (int i = kTasks; i < 2 * kTasks; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(fulfiller, results, marks)
      {
        fulfiller.push({event, &results[i]});
        marks.mark(i);
      }
    }
    expect(kTasks, 2 * kTasks);
    // What depends on a task depends on its event.
    for (int i = 2 * kTasks; i < 3 * kTasks; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(fulfiller, results, marks) depend(out : lanes[i % 7])
      {
        marks.mark(i);
        fulfiller.push({event, &results[i]});
      }
#pragma omp task shared(results, chained, wrong) depend(inout : lanes[i % 7], chained)
      {
        chained++;
        wrong += results[i] != 1;
      }
    }
    // The barrier waits for them.
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(chained, kTasks);
  marks.expectOnce();
}

// The event is the last thing that the barrier waits for, and the last thread arrives just after it
// was fulfilled: the team is set up for the next region, or freed, while the other thread may still
// use it. Nothing orders the two threads but the library.
TEST(Detached, AsTheLastThreadArrives) {
  constexpr int kRounds = 10;
  std::atomic<omp_event_handle_t> given{static_cast<omp_event_handle_t>(0)};
  std::atomic<int> fulfilled{0};
  std::thread other([&] {
    for (int round = 0; round < 2 * kRounds; round++) {
      omp_event_handle_t event;
      while ((event = given.exchange(static_cast<omp_event_handle_t>(0))) == 0)
        std::this_thread::yield();
      work(2000);
      omp_fulfill_event(event);
      fulfilled.store(round + 1, std::memory_order_relaxed);
    }
  });
  const auto region = [&](int round) {
#pragma omp parallel num_threads(3)
    {
      if (omp_get_thread_num() == 1) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(given)
        given = event;
      }
      // The other two are in the barrier, and run the task.
      if (omp_get_thread_num() == 0)
        while (fulfilled.load(std::memory_order_relaxed) <= round)
          std::this_thread::yield();
    }
  };
  omp_set_max_active_levels(2);
  for (int round = 0; round < kRounds; round++)
    region(round);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1)
    for (int round = kRounds; round < 2 * kRounds; round++)
      region(round);
  other.join();
  EXPECT_EQ(fulfilled, 2 * kRounds);
}

INSTANTIATE_TEST_SUITE_P(Delays, Detach, testing::Values(0u, 20000u));

TEST(Priority, AtAllLevels) {
  constexpr int kTasks = 400;
  Marks marks(2 * kTasks), looped(300);
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single nowait
    {
#pragma omp taskgroup
      for (int i = 0; i < kTasks; i++) {
#pragma omp task priority(i % 7) shared(marks)
        {
#pragma omp task priority(9 - i % 4) shared(marks)
          marks.mark(2 * i + 1);
          marks.mark(2 * i);
          if (i % 3 == 0) {
#pragma omp taskwait
            marks.expect(2 * i + 1, 2 * i + 2, 1);
          }
        }
      }
      marks.expectOnce();
#pragma omp taskloop priority(3) grainsize(1) shared(looped)
      for (int i = 0; i < looped.size(); i++)
        looped.mark(i);
      looped.expectOnce();
    }
    int token = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp task priority(i % 5) shared(token) depend(inout : token)
      token++;
#pragma omp task priority(8)
      work(10);
    }
#pragma omp taskwait depend(in : token)
    EXPECT_EQ(token, 50);
#pragma omp taskwait
  }
}

TEST(Cancel, Taskgroup) {
  constexpr int kTasks = 200;
  for (int round = 0; round < 12; round++) {
    Marks marks(kTasks * kThreads), after(kThreads);
#pragma omp parallel num_threads(kThreads)
    {
      int mine = omp_get_thread_num();
      int token = 0;
#pragma omp taskgroup
      for (int i = 0; i < kTasks; i++) {
        if (i % 2) {
#pragma omp task shared(marks) firstprivate(mine, i)
          {
            marks.mark(mine * kTasks + i);
            if (i == 51) {
#pragma omp cancel taskgroup
            }
            work(20);
#pragma omp cancellation point taskgroup
          }
        } else {
#pragma omp task shared(marks, token) firstprivate(mine, i) depend(inout : token)
          {
            token++;
#pragma omp task shared(marks) firstprivate(mine, i)
            marks.mark(mine * kTasks + i);
          }
        }
      }
      // What was begun has ended, and nothing of it goes on.
      marks.expectAtMostOnce(mine * kTasks, (mine + 1) * kTasks);
#pragma omp task shared(after) firstprivate(mine)
      after.mark(mine);
    }
    after.expectOnce();
  }
}

TEST(Cancel, TaskgroupOfATaskloop) {
  for (int round = 0; round < 5; round++) {
    Marks marks(800);
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
#pragma omp taskloop grainsize(1) shared(marks)
      for (int i = 0; i < 800; i++) {
        marks.mark(i);
        if (i == 100 + 150 * round) {
#pragma omp cancel taskgroup
        }
      }
      marks.expectAtMostOnce(0, marks.size());
    }
  }
}

TEST(Cancel, Parallel) {
  for (int round = 0; round < 12; round++) {
    Marks marks(400);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 400; i++) {
#pragma omp task shared(marks) firstprivate(i)
        marks.mark(i);
      }
      if (omp_get_thread_num() == round % kThreads) {
#pragma omp cancel parallel
      }
#pragma omp cancellation point parallel
    }
    marks.expectAtMostOnce(0, marks.size());
  }
}

// A team within a task: tasks of two teams that have nothing to do with each other.
TEST(Nested, TeamsWithinTasks) {
  constexpr int kTeams = 12, kTasks = 40;
  Marks marks(kTeams * kTasks);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < kTeams; i++) {
#pragma omp task shared(marks)
    {
#pragma omp parallel num_threads(2) shared(marks)
#pragma omp single
      for (int j = 0; j < kTasks; j++) {
#pragma omp task shared(marks)
        marks.mark(i * kTasks + j);
      }
      marks.expect(i * kTasks, (i + 1) * kTasks, 1);
    }
  }
  marks.expectOnce();
}

} // namespace
