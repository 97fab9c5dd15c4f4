// SPDX-License-Identifier: GPL-3.0-or-later
// Cancellation while other threads are blocked in what is cancelled, or in its barriers. To be run
// with OMP_CANCELLATION=true.
#include <omp.h>

#include <atomic>

#include "../omp/loops.h"

namespace {

class Cancel : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(omp_get_cancellation()) << "OMP_CANCELLATION is not set"; }
};

TEST_F(Cancel, Loop) {
  for (const Kind &kind : kKinds)
    for (int at : {0, 150, 999}) {
      omp_set_schedule(kind.value, 0);
      std::vector<std::atomic<int>> runs(1000);
      std::atomic<int> after{0};
#pragma omp parallel
      {
#pragma omp for schedule(nonmonotonic : runtime)
        for (int i = 0; i < 1000; i++) {
          runs[i]++;
          if (i == at) {
#pragma omp cancel for
          }
#pragma omp cancellation point for
        }
        after++;
      }
      EXPECT_EQ(after, omp_get_max_threads()) << kind.name;
      EXPECT_EQ(runs[at], 1) << kind.name;
      for (const auto &run : runs)
        EXPECT_LE(run, 1) << kind.name;
    }
}

// All but one wait in a barrier that the last one never enters.
TEST_F(Cancel, RegionWhileOthersAreInABarrier) {
  for (int round = 0; round < 20; round++) {
    std::atomic<int> passed{0};
#pragma omp parallel
    {
      if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
      }
#pragma omp barrier
      passed++;
#pragma omp barrier
      passed++;
    }
    // The thread that cancels goes to the end; nobody can have passed a barrier without it.
    EXPECT_EQ(passed, 0);
  }
}

TEST_F(Cancel, Sections) {
  for (int round = 0; round < 50; round++) {
    std::atomic<int> runs{0}, after{0};
#pragma omp parallel
    {
#pragma omp sections
      {
#pragma omp section
        {
          runs++;
#pragma omp cancel sections
          runs += 100;
        }
#pragma omp section
        runs++;
#pragma omp section
        runs++;
      }
      after++;
    }
    EXPECT_GE(runs, 1);
    EXPECT_LE(runs, 3);
    EXPECT_EQ(after, omp_get_max_threads());
  }
}

TEST_F(Cancel, Taskgroup) {
  for (int round = 0; round < 20; round++) {
    std::atomic<int> started{0}, past{0}, after{0};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
      for (int i = 0; i < 100; i++) {
#pragma omp task
        {
          started++;
          if (i == 10) {
#pragma omp cancel taskgroup
            past++;
          }
        }
      }
      after++;
    }
    EXPECT_GE(started, 1);
    EXPECT_LE(started, 100);
    EXPECT_EQ(past, 0);
    EXPECT_EQ(after, 1);
  }
}

TEST_F(Cancel, TaskgroupWithDependences) {
  [[maybe_unused]] int chain = 0;
  std::atomic<int> runs{0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 100; i++) {
#pragma omp task depend(inout : chain)
    {
      runs++;
      if (i == 20) {
#pragma omp cancel taskgroup
      }
    }
  }
  EXPECT_EQ(runs, 21);
}

// The next region works as ever.
TEST_F(Cancel, NothingIsLeftOver) {
  std::atomic<int> sum{0};
#pragma omp parallel
  {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++)
      ;
  }
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++)
      sum++;
#pragma omp barrier
  }
  EXPECT_EQ(sum, 100);
}

} // namespace
