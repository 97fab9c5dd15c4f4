// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which tasks start: that in which they became ready under GOMP_TASK_SCHEDULE=fifo,
// and another one under upstream, of which these tests make sure too, since otherwise they would
// show nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "event-log.h"

namespace {

bool fifo() {
  const char *schedule = std::getenv("GOMP_TASK_SCHEDULE");
  return schedule && std::strcmp(schedule, "fifo") == 0;
}

void expect_order(const EventLog &log) {
  ASSERT_TRUE(log.all_started_once_each());
  if (fifo())
    EXPECT_LE(log.most_overtaken(), log.threads() - 1);
  else
    EXPECT_GT(log.most_overtaken(), log.threads() - 1);
}

class Order : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Order, testing::Values(1, 2, 3, 4, 8),
                         [](const auto &info) { return std::to_string(info.param); });

// One thread creates tasks. The first ones keep all others busy until there are more than upstream
// has wait.
class Producer {
public:
  Producer(long tasks, int threads) : log(tasks, threads) {}

  void create(long i) {
    log[i].ready_from = log.now();
    // Of constructs of their own, since short tasks may be run by their creator at once.
    if (i < log.threads() - 1) {
#pragma omp task firstprivate(i)
      hold(i);
    } else {
#pragma omp task firstprivate(i)
      run(i);
    }
    log[i].ready_until = log.now();
    if (i == std::min(kHeld, log.size() - 1))
      go = true;
  }

  void create_all() {
    for (long i = 0; i < log.size(); i++)
      create(i);
  }

  EventLog log;

private:
  static constexpr long kHeld = 2000;

  void run(long i) {
    log.start(i);
    log.end(i);
  }

  void hold(long i) {
    log.start(i);
    while (!go)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    log.end(i);
  }

  std::atomic<bool> go{false};
};

TEST_P(Order, AtABarrier) {
  Producer producer(20000, GetParam());
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  producer.create_all();
  expect_order(producer.log);
}

TEST_P(Order, UnderTaskwait) {
  Producer producer(20000, GetParam());
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    producer.create_all();
#pragma omp taskwait
  }
  expect_order(producer.log);
}

TEST_P(Order, UnderTaskgroup) {
  Producer producer(20000, GetParam());
#pragma omp parallel num_threads(GetParam())
#pragma omp single
#pragma omp taskgroup
  producer.create_all();
  expect_order(producer.log);
}

TEST(Order, OfAMillion) {
  Producer producer(1000000, 8);
#pragma omp parallel num_threads(8)
#pragma omp single
  producer.create_all();
  expect_order(producer.log);
}

// Tasks ordered by many chains of dependences, which are ready when the one before has ended.
TEST_P(Order, OfDependences) {
  constexpr long kChains = 100, kLinks = 40;
  EventLog log(kChains * kLinks, GetParam());
  [[maybe_unused]] char chain[kChains];
  std::atomic<bool> created{false};
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    // The others are busy until all are there.
    for (int i = 1; i < log.threads(); i++) {
#pragma omp task shared(created)
      while (!created)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    for (long i = 0; i < log.size(); i++) {
      log[i].ready_from = log.now();
#pragma omp task firstprivate(i) depend(inout : chain[i % kChains])
      {
        log.start(i);
        log.end(i);
      }
      log[i].ready_until = log.now();
    }
    created = true;
#pragma omp taskwait
  }
  for (long i = kChains; i < log.size(); i++)
    log.depends(i, i - kChains);
  expect_order(log);
}

// A wait for some of them starts the others in their turn.
TEST_P(Order, UnderTaskwaitDepend) {
  Producer producer(3000, GetParam());
  [[maybe_unused]] char last = 0;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    producer.create_all();
#pragma omp task depend(out : last)
    last = 1;
#pragma omp taskwait depend(in : last)
#pragma omp taskwait
  }
  expect_order(producer.log);
}

TEST_P(Order, OfATaskloop) {
  constexpr long kTasks = 20000;
  EventLog log(kTasks, GetParam());
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    // Numbered as they are created; that is all that is known of their readiness.
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < kTasks; i++)
      log.start(i);
  }
  for (long i = 0; i < kTasks; i++)
    log[i].ready_from = log[i].ready_until = i;
  // Upstream runs so many of them one by one, in their order.
  ASSERT_TRUE(log.all_started_once_each());
  if (fifo())
    EXPECT_LE(log.most_overtaken(), log.threads() - 1);
}

// Several create, and all wait at the barrier.
TEST_P(Order, OfTasksOfTasks) {
  constexpr long kParents = 200, kChildren = 50;
  EventLog log(kParents * kChildren, GetParam());
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  for (long parent = 0; parent < kParents; parent++) {
#pragma omp task firstprivate(parent)
    for (long i = parent * kChildren; i < (parent + 1) * kChildren; i++) {
      log[i].ready_from = log.now();
#pragma omp task firstprivate(i)
      log.start(i);
      log[i].ready_until = log.now();
    }
  }
  expect_order(log);
}

// Tasks that depend on others' events are ready when these are fulfilled, by a thread that OpenMP
// does not know, in another order than that of creation.
TEST_P(Order, OfEvents) {
  if (!fifo())
    GTEST_SKIP() << "upstream makes the creator of so many tasks wait for its own";
  constexpr long kTasks = 500;
  std::vector<omp_event_handle_t> event(kTasks);
  [[maybe_unused]] char link[kTasks];
  EventLog log(kTasks, GetParam() + 1);
  std::atomic<bool> created{false}, fulfilled{false};
  std::vector<long> from(kTasks), until(kTasks);
  std::atomic<long> bodies{0};
  std::thread other([&] {
    while (!created || bodies < kTasks)
      std::this_thread::yield();
    for (long n = 0; n < kTasks; n++) {
      const long i = n * 333 % kTasks;
      from[i] = 2 * n;
      omp_fulfill_event(event[i]);
      until[i] = 2 * n + 1;
    }
    fulfilled = true;
  });
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    for (long i = 0; i < kTasks; i++) {
      omp_event_handle_t handle;
#pragma omp task detach(handle) depend(out : link[i]) shared(bodies)
      bodies++;
      event[i] = handle;
#pragma omp task firstprivate(i) depend(in : link[i])
      {
        // One keeps each thread from starting others before all are ready.
        while (!fulfilled)
          std::this_thread::sleep_for(std::chrono::microseconds(50));
        log.start(i);
      }
    }
    created = true;
  }
  other.join();
  for (long i = 0; i < kTasks; i++) {
    log[i].ready_from = from[i];
    log[i].ready_until = until[i];
  }
  ASSERT_TRUE(log.all_started_once_each());
  EXPECT_LE(log.most_overtaken(), log.threads() - 1);
}

} // namespace
