// SPDX-License-Identifier: GPL-3.0-or-later
// Teams of every make: nested, changing in size, larger than the machine, several at a time from
// threads that OpenMP did not make, and in a process that forks.
#include <gtest/gtest.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace {

// The sum of 0 to trips - 1, by a team that meets in a dynamic loop, a barrier and a single.
long team_sum(int threads, int trips) {
  long sum = 0, result = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
    for (int i = 0; i < trips; i++)
      sum += i;
#pragma omp single
    result = sum;
  }
  return result;
}

constexpr long kSumOf100 = 4950;

TEST(Teams, ChangingSize) {
  for (int round = 0; round < 60; round++) {
    omp_set_num_threads(1 + round % 7);
    int size = 0;
    std::atomic<int> members{0};
#pragma omp parallel
    {
      members++;
#pragma omp single
      size = omp_get_num_threads();
    }
    EXPECT_EQ(size, 1 + round % 7);
    EXPECT_EQ(members, size);
    EXPECT_EQ(team_sum(1 + round % 11, 100), kSumOf100);
  }
}

TEST(Teams, LargerThanTheMachine) {
  const int threads = 3 * omp_get_num_procs() + 1;
  std::vector<int> seen(threads, 0);
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 20; round++) {
    seen[omp_get_thread_num()]++;
#pragma omp barrier
  }
  for (int count : seen)
    EXPECT_EQ(count, 20);
  EXPECT_EQ(team_sum(threads, 100), kSumOf100);
}

TEST(Teams, Nested) {
  omp_set_max_active_levels(3);
  std::atomic<int> innermost{0}, wrong{0};
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2)
    {
      wrong += team_sum(2, 100) != kSumOf100;
#pragma omp barrier
#pragma omp critical
      innermost++;
    }
#pragma omp barrier
  }
  EXPECT_EQ(innermost, 30);
  EXPECT_EQ(wrong, 0);
}

// Only one thread of the outer team forms an inner one; the others wait for it.
TEST(Teams, NestedInSingle) {
  omp_set_max_active_levels(2);
  std::vector<long> sums;
#pragma omp parallel num_threads(4)
  for (int round = 0; round < 10; round++) {
#pragma omp single
    sums.push_back(team_sum(3, 100));
  }
  EXPECT_EQ(sums, std::vector<long>(10, kSumOf100));
}

TEST(Teams, OfOne) {
  for (int round = 0; round < 20; round++)
    EXPECT_EQ(team_sum(1, 100), kSumOf100);
}

// Threads that OpenMP did not make, each with teams of its own, at the same time.
TEST(Teams, OfForeignThreads) {
  std::atomic<int> wrong{0};
  auto work = [&wrong] {
    for (int round = 0; round < 20; round++)
      wrong += team_sum(3, 100) != kSumOf100;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back(work);
  wrong += team_sum(2, 100) != kSumOf100;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

// One foreign thread after the other: each ends with what it had.
TEST(Teams, OfThreadsThatEnd) {
  long sum = 0;
  for (int round = 0; round < 10; round++) {
    std::thread thread([&sum] { sum += team_sum(4, 100); });
    thread.join();
  }
  EXPECT_EQ(sum, 10 * kSumOf100);
}

// The region waits for a thread that OpenMP did not make, which has a team of its own.
TEST(Teams, OfAThreadThatARegionWaitsFor) {
  std::atomic<long> sum{0};
#pragma omp parallel num_threads(2)
  {
    std::thread thread([&sum] { sum += team_sum(2, 100); });
    thread.join();
#pragma omp barrier
    sum += 1;
  }
  EXPECT_EQ(sum, 2 * kSumOf100 + 2);
}

// The status that a forked child exits with after `work`.
int in_child(const std::function<int()> &work) {
  const pid_t child = fork();
  if (child == 0)
    _exit(work());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// A forked process has none of its parent's other threads. What POSIX leaves a program with is
// teams of one; the parent goes on as before.
TEST(Teams, ForkBetweenRegions) {
  EXPECT_EQ(team_sum(3, 100), kSumOf100);
  EXPECT_EQ(in_child([] { return team_sum(1, 100) == kSumOf100 ? 3 : 4; }), 3);
  EXPECT_EQ(team_sum(3, 100), kSumOf100);
}

TEST(Teams, ForkInsideARegion) {
  int status = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    status = in_child([] { return 5; });
#pragma omp barrier
  }
  EXPECT_EQ(status, 5);
  EXPECT_EQ(team_sum(3, 100), kSumOf100);
}

} // namespace
