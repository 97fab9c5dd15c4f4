// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that want a lock which their creator holds: OpenMP does not promise that this works, but it
// does on upstream's library up to 64 tasks a thread, whose tasks in the end all run. A hang is
// what the tests look for.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

extern "C" {
void GOMP_atomic_start();
void GOMP_atomic_end();
}

namespace {

omp_lock_t lock;
omp_nest_lock_t nest_lock;
long in_critical;

// Runs a function while a lock is held.
struct Holder {
  const char *name;
  void (*hold)(const std::function<void()> &work);
};

const Holder kHolders[] = {
    {"critical",
     [](const auto &work) {
#pragma omp critical
       work();
     }},
    {"named",
     [](const auto &work) {
#pragma omp critical(name)
       work();
     }},
    {"inner",
     [](const auto &work) {
#pragma omp critical(outer)
       {
#pragma omp critical(inner)
         in_critical++;
         work();
       }
     }},
    {"lock",
     [](const auto &work) {
       omp_set_lock(&lock);
       work();
       omp_unset_lock(&lock);
     }},
    {"test",
     [](const auto &work) {
       while (!omp_test_lock(&lock))
         ;
       work();
       omp_unset_lock(&lock);
     }},
    {"nest",
     [](const auto &work) {
       omp_set_nest_lock(&nest_lock);
       omp_set_nest_lock(&nest_lock);
       omp_unset_nest_lock(&nest_lock);
       work();
       omp_unset_nest_lock(&nest_lock);
     }},
    {"test_nest",
     [](const auto &work) {
       while (!omp_test_nest_lock(&nest_lock))
         ;
       omp_set_nest_lock(&nest_lock);
       work();
       omp_unset_nest_lock(&nest_lock);
       omp_unset_nest_lock(&nest_lock);
     }},
    {"atomic",
     [](const auto &work) {
       GOMP_atomic_start();
       work();
       GOMP_atomic_end();
     }},
};

class Held : public testing::TestWithParam<Holder> {
protected:
  void SetUp() override {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    know_the_tasks();
  }
  ~Held() override {
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
  }
  void hold(const std::function<void()> &work) const { GetParam().hold(work); }

  // A task that wants the lock.
  __attribute__((noinline)) void want(long &sum) const {
#pragma omp task shared(sum)
    hold([&] { sum++; });
  }

  // The library runs at once what it knows to be short.
  void know_the_tasks() const {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 100; i++)
      want(sum);
    ASSERT_EQ(sum, 100);
  }
};

INSTANTIATE_TEST_SUITE_P(By, Held, testing::ValuesIn(kHolders),
                         [](const auto &info) { return std::string(info.param.name); });

constexpr int kTasks = 20, kRounds = 40;

TEST_P(Held, AtCreation) {
  for (int threads : {1, 2, 4})
    for (int round = 0; round < kRounds; round++) {
      long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
      for (int i = 0; i < kTasks; i++)
        hold([&] { want(sum); });
      ASSERT_EQ(sum, kTasks);
    }
}

// A creator far ahead of the other threads runs older tasks first.
TEST_P(Held, AtCreationWithManyOlderTasks) {
  long sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 100; i++)
    hold([&] {
      want(sum);
      want(sum);
    });
  EXPECT_EQ(sum, 200);
}

TEST_P(Held, AtATaskyield) {
  for (int round = 0; round < kRounds; round++) {
    long sum = 0;
#pragma omp parallel num_threads(1)
    hold([&] {
      for (int i = 0; i < kTasks; i++) {
        want(sum);
#pragma omp taskyield
      }
    });
    ASSERT_EQ(sum, kTasks);
  }
}

TEST_P(Held, AtATaskloop) {
  for (int round = 0; round < kRounds; round++) {
    long sum = 0;
    // The tasks outlive the function that makes them.
    long *const total = &sum;
#pragma omp parallel num_threads(2)
#pragma omp single
    hold([=] {
#pragma omp taskloop firstprivate(total) num_tasks(kTasks) nogroup
      for (int i = 0; i < kTasks; i++)
        hold([=] { ++*total; });
    });
    ASSERT_EQ(sum, kTasks);
  }
}

// The waits below need no task that wants the lock, and there is one that is older.

TEST_P(Held, AtATaskwaitAboveOne) {
  for (int round = 0; round < kRounds; round++) {
    long sum = 0;
    std::atomic<bool> created{false}, seen{false};
#pragma omp parallel num_threads(2)
#pragma omp single
    hold([&] {
#pragma omp task shared(sum, created, seen)
      {
        // Holding a lock of its own, so that it is queued.
#pragma omp critical(creator)
        want(sum);
        created = true;
        while (!seen)
          ;
      }
      // The other thread is in it, and the lock's holder may run what it created.
      while (!created)
        ;
#pragma omp task shared(seen)
      seen = true;
#pragma omp taskwait
    });
    ASSERT_EQ(sum, 1);
  }
}

TEST_P(Held, AtTheEndOfATaskgroup) {
  for (int round = 0; round < kRounds; round++) {
    long sum = 0, others = 0;
#pragma omp parallel num_threads(1)
    hold([&] {
      want(sum);
#pragma omp taskgroup
      {
#pragma omp task shared(others)
        others++;
      }
    });
    ASSERT_EQ(sum, 1);
    ASSERT_EQ(others, 1);
  }
}

TEST_P(Held, AtAWaitForDependences) {
  for (int round = 0; round < kRounds; round++) {
    long sum = 0, others = 0;
#pragma omp parallel num_threads(1)
    hold([&] {
      want(sum);
#pragma omp task shared(others) depend(out : others)
      others++;
      want(sum);
#pragma omp taskwait depend(in : others)
    });
    ASSERT_EQ(sum, 2);
    ASSERT_EQ(others, 1);
  }
}

// An ordered section is a lock too: no other iteration's begins before it ends.
TEST(Ordered, TasksOfASection) {
  constexpr int kTrips = 40;
  for (int threads : {1, 3}) {
    std::vector<std::atomic<bool>> left(kTrips);
    std::atomic<int> run{0};
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
    for (int i = 0; i < kTrips; i++) {
#pragma omp ordered
      {
#pragma omp task shared(left, run) firstprivate(i)
        {
          while (!left[size_t(i)])
            ;
          run++;
        }
      }
      left[size_t(i)] = true;
    }
    EXPECT_EQ(run, kTrips);
  }
}

__attribute__((noinline)) void add(long &sum) {
#pragma omp task shared(sum)
  {
#pragma omp critical
    sum++;
  }
}

// Locks that another thread releases, as OpenMP forbids and programs do. The count of that thread
// stays 0: it holds none, and then one.
TEST(Foreign, ReleasesAreNotCounted) {
  constexpr int kTimes = 1000, kShort = 50000;
  long sum = 0, at_once = 0;
  std::atomic<int> taken{0};
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < kTimes; i++)
      if (me == 0) {
        omp_set_lock(&lock);
        taken = i + 1;
      } else {
        while (taken <= i)
          ;
        omp_unset_lock(&lock);
      }
    if (me == 1)
      for (int i = 0; i < kShort; i++) {
        std::atomic<int> by{-1};
#pragma omp task shared(by)
        by = omp_get_thread_num();
        at_once += by == me;
#pragma omp taskwait
      }
    for (int i = 0; i < kTasks; i++)
#pragma omp critical
    {
      add(sum);
    }
  }
  omp_destroy_lock(&lock);
  EXPECT_EQ(sum, 2 * kTasks);
  EXPECT_GT(at_once, 0);
}

} // namespace
