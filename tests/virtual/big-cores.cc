// SPDX-License-Identifier: GPL-3.0-or-later
// Which cores GOMP_TASK_TAIL gives the last tasks to. To be run in virtual time, by four
// threads of which the first two are on the fast cores.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cpu-clock.h"

namespace {

bool tail_to_big() {
  const char *value = std::getenv("GOMP_TASK_TAIL");
  return value && std::strcmp(value, "big") == 0;
}

// Tasks of equal length, all created before the barrier. Of the last ones a slow core would end its
// own long after the two fast ones have done the rest.
TEST(BigCores, HaveTheTail) {
  ASSERT_EQ(omp_get_max_threads(), 4);
  constexpr int kRounds = 24, kLast = 4;
  // Of 92: none, but where this machine's own pauses made a task long; or a fifth.
  constexpr int kSome = 8;
  int slow = 0;
  for (int round = 0; round < kRounds; round++) {
    // Another number each time, so that the last ones do not always fall to the fast cores.
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
  if (tail_to_big())
    EXPECT_LE(slow, kSome);
  else
    EXPECT_GT(slow, kSome);
}

} // namespace
