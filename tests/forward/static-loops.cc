// SPDX-License-Identifier: GPL-3.0-or-later
// GCC 17's entry points of static loops, distribute, barriers, masked, single and reductions,
// called as its code calls them. What they should answer, the functions of OpenMP 1.0 to 5.1 say.
#include "entry-points.h"

#include <omp.h>

#include <atomic>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using Answer = __complex__ int(unsigned long long);
using Dispatch = void(unsigned long long, unsigned long long);

ENTRY_POINT("GOMP_6.0.2", GOMP_loop_static_worksharing, Answer);
ENTRY_POINT("GOMP_6.0.2", GOMP_loop_static_worksharing_start, Answer);
ENTRY_POINT("GOMP_6.0.2", GOMP_loop_static_worksharing_dispatch, Dispatch);
ENTRY_POINT("GOMP_6.0.2", GOMP_loop_static_worksharing_end, void());
ENTRY_POINT("GOMP_6.0.2", GOMP_distribute_static_worksharing, Answer);
ENTRY_POINT("GOMP_6.0.2", GOMP_distribute_static_worksharing_start, Answer);
ENTRY_POINT("GOMP_6.0.2", GOMP_distribute_static_worksharing_dispatch, Dispatch);
ENTRY_POINT("GOMP_6.0.2", GOMP_distribute_static_worksharing_end, void());
ENTRY_POINT("GOMP_6.0.2", GOMP_barrier_ext, void(int));
ENTRY_POINT("GOMP_6.0.2", GOMP_barrier_cancel_ext, bool(int));
ENTRY_POINT("GOMP_6.0.2", GOMP_has_masked_thread_num, bool(int));
ENTRY_POINT("GOMP_6.0.2", GOMP_has_masked_thread_num_with_end, bool(int));
ENTRY_POINT("GOMP_6.0.2", GOMP_masked_end, void());
ENTRY_POINT("GOMP_6.0.2", GOMP_single_start_with_end, bool());
ENTRY_POINT("GOMP_6.0.2", GOMP_single_end, void());
ENTRY_POINT("GOMP_6.0.2", GOMP_scope_start_with_end, void(uintptr_t *));
ENTRY_POINT("GOMP_6.0.2", GOMP_scope_end, void());
ENTRY_POINT("GOMP_1.0", GOMP_atomic_start, void());
ENTRY_POINT("GOMP_1.0", GOMP_atomic_end, void());
ENTRY_POINT("GOMP_6.0.2", GOMP_reduction_start, void());
ENTRY_POINT("GOMP_6.0.2", GOMP_reduction_end, void());

// Number and count, the halves of an answer: the count is the low one.
std::pair<int, int> halves(__complex__ int answer) { return {__real__ answer, __imag__ answer}; }

// How many of the answers that the calling thread gets are wrong.
int wrong_answers() {
  const std::pair<int, int> threads(omp_get_num_threads(), omp_get_thread_num());
  const std::pair<int, int> teams(omp_get_num_teams(), omp_get_team_num());
  return (halves(GOMP_loop_static_worksharing(10)) != threads) +
         (halves(GOMP_loop_static_worksharing_start(10)) != threads) +
         (halves(GOMP_distribute_static_worksharing(10)) != teams) +
         (halves(GOMP_distribute_static_worksharing_start(10)) != teams);
}

TEST(Answers, OutsideOfTeams) {
  EXPECT_EQ(halves(GOMP_loop_static_worksharing(3)), std::pair(1, 0));
  EXPECT_EQ(halves(GOMP_distribute_static_worksharing(3)), std::pair(1, 0));
  EXPECT_EQ(wrong_answers(), 0);
}

TEST(Answers, TheCountIsTheLowHalf) {
  // As the compiler takes it apart.
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(5)
  {
    using Bits = unsigned long long(unsigned long long);
    const auto bits = reinterpret_cast<Bits *>(GOMP_loop_static_worksharing)(1);
    wrong += static_cast<int>(bits) != 5 || static_cast<int>(bits >> 32) != omp_get_thread_num();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Answers, InTeamsOfEverySize) {
  for (int threads = 1; threads <= 9; threads++) {
    std::atomic<int> wrong{0}, ran{0};
#pragma omp parallel num_threads(threads)
    {
      wrong += wrong_answers();
      ran++;
    }
    EXPECT_EQ(ran, threads);
    EXPECT_EQ(wrong, 0) << threads << " threads";
  }
}

TEST(Answers, InNestedTeams) {
  std::atomic<int> wrong{0}, ran{0};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
  {
    wrong += wrong_answers();
#pragma omp parallel num_threads(4)
    {
      wrong += wrong_answers();
      // A region that is not active has a team of one thread.
#pragma omp parallel num_threads(2)
      {
        wrong += wrong_answers();
        ran++;
      }
    }
    wrong += wrong_answers();
  }
  omp_set_max_active_levels(1);
  EXPECT_EQ(ran, 3 * 4);
  EXPECT_EQ(wrong, 0);
}

TEST(Answers, InTasks) {
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task
    wrong += wrong_answers();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Answers, InLeagues) {
  std::atomic<int> wrong{0}, ran{0};
#pragma omp teams num_teams(3)
  {
    wrong += wrong_answers();
#pragma omp parallel num_threads(4)
    {
      wrong += wrong_answers();
      ran++;
    }
  }
  EXPECT_EQ(ran, 3 * 4);
  EXPECT_EQ(wrong, 0);
}

using Counts = std::unique_ptr<std::atomic<int>[]>;

// A loop of TRIPS iterations as the compiler lowers it; CHUNK 0: one block for each thread.
void run_loop(long trips, long chunk, const Counts &counts) {
  const auto [count, number] = halves(GOMP_loop_static_worksharing_start(trips));
  if (chunk == 0) {
    const long each = trips / count, more = trips % count;
    const long begin = number * each + std::min<long>(number, more);
    const long size = each + (number < more);
    GOMP_loop_static_worksharing_dispatch(begin, size);
    for (long i = begin; i < begin + size; i++)
      counts[i]++;
  } else
    for (long begin = number * chunk; begin < trips; begin += count * chunk) {
      GOMP_loop_static_worksharing_dispatch(begin, std::min(chunk, trips - begin));
      for (long i = begin; i < std::min(begin + chunk, trips); i++)
        counts[i]++;
    }
  GOMP_barrier_ext(1);
  GOMP_loop_static_worksharing_end();
}

TEST(Loops, RunEachIterationOnce) {
  for (int threads : {1, 2, 3, 8})
    for (long trips : {0, 1, 2, 7, 8, 1000})
      for (long chunk : {0, 1, 3, 2000}) {
        const Counts counts(new std::atomic<int>[trips]());
#pragma omp parallel num_threads(threads)
        for (int loop = 1; loop <= 4; loop++)
          run_loop(trips, chunk, counts);
        for (long i = 0; i < trips; i++)
          ASSERT_EQ(counts[i], 4) << "iteration " << i << " of " << trips << ", " << threads
                                  << " threads, chunks of " << chunk;
      }
}

TEST(Loops, RunEachIterationOnceInNestedTeams) {
  constexpr int kOuter = 3, kTrips = 50;
  const Counts counts(new std::atomic<int>[kTrips]());
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(kOuter)
#pragma omp parallel num_threads(3)
  for (long chunk : {0, 2})
    run_loop(kTrips, chunk, counts);
  omp_set_max_active_levels(1);
  for (int i = 0; i < kTrips; i++)
    ASSERT_EQ(counts[i], 2 * kOuter) << "iteration " << i;
}

// The thread that runs an iteration is upstream's: programs rely on it for data that stays there.
TEST(Loops, GiveEachThreadWhatOlderCompilersGiveIt) {
  constexpr int kTrips = 101;
  std::vector<int> ours(kTrips, -1), older(kTrips, -1);
#pragma omp parallel num_threads(6)
  {
    const auto [count, number] = halves(GOMP_loop_static_worksharing(kTrips));
    const int each = kTrips / count, more = kTrips % count;
    const int begin = number * each + std::min(number, more);
    for (int i = begin; i < begin + each + (number < more); i++)
      ours[i] = omp_get_thread_num();
#pragma omp for schedule(static)
    for (int i = 0; i < kTrips; i++)
      older[i] = omp_get_thread_num();
  }
  EXPECT_EQ(ours, older);
}

TEST(Barriers, AllArriveBeforeAnyLeaves) {
  constexpr int kThreads = 4, kRounds = 200;
  std::atomic<int> arrived{0}, wrong{0};
  GOMP_barrier_ext(0); // outside of teams nothing happens
#pragma omp parallel num_threads(kThreads)
  for (int round = 1; round <= kRounds; round++) {
    arrived++;
    GOMP_barrier_ext(round % 4);
    wrong += arrived != kThreads * round;
    wrong += GOMP_barrier_cancel_ext(1);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Barriers, ReportThatTheRegionIsCancelled) {
  if (!omp_get_cancellation())
    GTEST_SKIP() << "OMP_CANCELLATION is not set";
  std::atomic<int> cancelled{0};
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() == 2) {
#pragma omp cancel parallel
    }
    cancelled += GOMP_barrier_cancel_ext(0);
  }
  EXPECT_EQ(cancelled, 3);
}

TEST(Masked, IsTheThreadOfTheFilter) {
  EXPECT_TRUE(GOMP_has_masked_thread_num(0));
  EXPECT_FALSE(GOMP_has_masked_thread_num_with_end(1));
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(4)
  for (int filter = -1; filter <= 4; filter++) {
    const bool mine = filter == omp_get_thread_num();
    wrong += GOMP_has_masked_thread_num(filter) != mine;
    wrong += GOMP_has_masked_thread_num_with_end(filter) != mine;
    if (mine)
      GOMP_masked_end();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Single, IsOneThreadEachTime) {
  constexpr int kRounds = 300;
  EXPECT_TRUE(GOMP_single_start_with_end());
  std::atomic<int> ran{0};
#pragma omp parallel num_threads(4)
  for (int round = 0; round < kRounds; round++) {
    ran += GOMP_single_start_with_end();
    if (round % 3 == 0)
      GOMP_barrier_ext(1);
    GOMP_single_end();
    // Other constructs count together with it.
#pragma omp single nowait
    ran++;
  }
  EXPECT_EQ(ran, 2 * kRounds);
}

TEST(Single, IsTheFirstThreadToArrive) {
  std::atomic<int> ran{0};
#pragma omp parallel num_threads(3)
  {
    // The others wait until thread 1 has been there.
    while (omp_get_thread_num() != 1 && ran == 0)
      std::this_thread::yield();
    ran += GOMP_single_start_with_end();
    GOMP_single_end();
  }
  EXPECT_EQ(ran, 1);
}

TEST(Scope, WithoutTaskReductionsDoesNothing) {
#pragma omp parallel num_threads(3)
  {
    GOMP_scope_start_with_end(nullptr);
    GOMP_barrier_ext(1);
    GOMP_scope_end();
  }
}

TEST(Reductions, AreDoneByOneThreadAtATime) {
  constexpr int kThreads = 4, kRounds = 20000;
  long sum = 0; // plain, as what a user's operator changes
#pragma omp parallel num_threads(kThreads)
  for (int round = 0; round < kRounds; round++) {
    GOMP_reduction_start();
    const long before = sum;
    if (round % 100 == 0) {
      std::this_thread::yield(); // to those that must not come in
      // The lock of atomic constructs is another one.
      GOMP_atomic_start();
      GOMP_atomic_end();
    }
    sum = before + 1;
    GOMP_reduction_end();
  }
  EXPECT_EQ(sum, long(kThreads) * kRounds);
}

} // namespace
