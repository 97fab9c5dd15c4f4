// SPDX-License-Identifier: GPL-3.0-or-later
// Which cores GOMP_TASK_WAKE and GOMP_TASK_TAIL give tasks to. To be run in virtual time, by four
// threads of which the first two are on the fast cores.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cpu-clock.h"

namespace {

bool is_big(const char *variable) {
  const char *value = std::getenv(variable);
  return value && std::strcmp(value, "big") == 0;
}

// Thread 0 creates a task when all others sleep in the barrier, of whom the fast one came last.
TEST(BigCores, AreWokenFirst) {
  ASSERT_EQ(omp_get_max_threads(), 4);
  int runner = -1;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 1)
      work(1e-3);
#pragma omp master
    {
      work(20e-3);
#pragma omp task shared(runner)
      runner = omp_get_thread_num();
      work(1e-3);
    }
#pragma omp barrier
  }
  if (is_big("GOMP_TASK_WAKE"))
    EXPECT_EQ(runner, 1);
  else
    EXPECT_GE(runner, 2);
}

// Tasks of equal length, all created before the barrier. Of the last ones a slow core would end its
// own long after the two fast ones have done the rest.
TEST(BigCores, HaveTheTail) {
  constexpr int kRounds = 24, kLast = 4;
  // Of 92: none, but where this machine's own pauses made a task long; or a fifth.
  constexpr int kSome = 8;
  int slow = 0;
  for (int round = 0; round < kRounds; round++) {
    // Another number each time, lest the last ones always fall to the fast cores.
    const int tasks = 60 + round;
    std::vector<int> runner(tasks);
    std::atomic<int> started{0};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < tasks; i++) {
#pragma omp task shared(runner, started)
      {
        runner[started++] = omp_get_thread_num();
        work(300e-6);
      }
    }
    // How long tasks take is known from the second round on.
    for (int i = tasks - kLast; round > 0 && i < tasks; i++)
      slow += runner[i] >= 2;
  }
  if (is_big("GOMP_TASK_TAIL"))
    EXPECT_LE(slow, kSome);
  else
    EXPECT_GT(slow, kSome);
}

} // namespace
