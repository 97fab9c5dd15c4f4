// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that block in barriers, critical sections, locks and on each other's memory: they end,
// and with the results that OpenMP promises, in virtual time as in real time.
#include <gtest/gtest.h>
#include <omp.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 200;

int team_size() { return omp_get_max_threads(); }

TEST(Sync, Barrier) {
  const int threads = team_size();
  std::vector<int> value(threads, 0);
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
    for (int round = 1; round <= kRounds; round++) {
      value[me] = round;
#pragma omp barrier
      wrong += value[(me + 1) % threads] != round;
#pragma omp barrier
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Not atomic: right only if one thread at a time is inside.
TEST(Sync, Critical) {
  long first = 0, second = 0, unnamed = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; round++) {
#pragma omp critical
    unnamed++;
#pragma omp critical(one)
    {
      first++;
#pragma omp critical(two)
      second++;
    }
  }
  const long expected = long(kRounds) * team_size();
  EXPECT_EQ(unnamed, expected);
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

// GCC's atomics of what no instruction can do take a lock of the runtime's.
TEST(Sync, AtomicByLock) {
  long double sum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; round++) {
#pragma omp atomic
    sum += 1;
  }
  EXPECT_EQ(sum, static_cast<long double>(kRounds) * team_size());
}

TEST(Sync, Lock) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long count = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; round++) {
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  EXPECT_EQ(count, long(kRounds) * team_size());
}

TEST(Sync, NestLock) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  long count = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; round++) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    count++;
    omp_unset_nest_lock(&lock);
    if (omp_test_nest_lock(&lock) == 2) {
      count++;
      omp_unset_nest_lock(&lock);
    }
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  EXPECT_EQ(count, 2L * kRounds * team_size());
}

// A lock taken by trying only, while who holds it is inside for long.
TEST(Sync, TestLock) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  long count = 0, nested = 0;
#pragma omp parallel
  for (int round = 0; round < 20; round++) {
    while (!omp_test_lock(&lock))
      ;
    count++;
    omp_unset_lock(&lock);
    while (!omp_test_nest_lock(&nest))
      std::this_thread::yield();
    nested++;
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  EXPECT_EQ(count, 20L * team_size());
  EXPECT_EQ(nested, 20L * team_size());
}

// One thread holds a lock while all others meet in a barrier that it enters later.
TEST(Sync, LockAcrossBarrier) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int value = 0, seen = 0;
#pragma omp parallel reduction(+ : seen)
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      value = 7;
      omp_unset_lock(&lock);
    } else {
      omp_set_lock(&lock);
      seen += value;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  EXPECT_EQ(seen, 7 * (team_size() - 1));
}

// Nobody but the program knows what these wait for. Few rounds: each wait may take the whole
// patience with a thread that holds the baton.
TEST(Sync, SpinOnFlag) {
  const int threads = team_size();
  std::atomic<int> turn{0};
  std::vector<int> order;
#pragma omp parallel
  for (int round = 0; round < 3; round++) {
    const int mine = round * threads + omp_get_thread_num();
    while (turn.load(std::memory_order_acquire) != mine)
      ;
    order.push_back(mine);
    turn.store(mine + 1, std::memory_order_release);
  }
  ASSERT_EQ(order.size(), size_t(3 * threads));
  for (int i = 0; i < 3 * threads; i++)
    EXPECT_EQ(order[i], i);
}

TEST(Sync, PosixBarrier) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, team_size());
  std::atomic<int> arrived{0};
  int wrong = 0, serial = 0;
#pragma omp parallel reduction(+ : wrong, serial)
  for (int round = 1; round <= 3; round++) {
    arrived++;
    serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    wrong += arrived < round * team_size();
    pthread_barrier_wait(&barrier);
  }
  pthread_barrier_destroy(&barrier);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(serial, 3);
}

// The first thread is woken by the last one.
TEST(Sync, ConditionVariable) {
  std::mutex mutex;
  std::condition_variable changed;
  int next = team_size() - 1;
  std::vector<int> order;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    std::unique_lock<std::mutex> held(mutex);
    changed.wait(held, [&] { return next == me; });
    order.push_back(me);
    next--;
    changed.notify_all();
  }
  ASSERT_EQ(order.size(), size_t(team_size()));
  for (int i = 0; i < team_size(); i++)
    EXPECT_EQ(order[i], team_size() - 1 - i);
}

TEST(Sync, Sleep) {
  int slept = 0;
#pragma omp parallel reduction(+ : slept)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    slept++;
#pragma omp barrier
  }
  EXPECT_EQ(slept, team_size());
}

} // namespace
