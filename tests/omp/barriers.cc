// SPDX-License-Identifier: GPL-3.0-or-later
// Barriers from which a thread is late to leave, when others have gone on to cancel the region, to
// create tasks or to begin the next region; and what tasks wrote before a barrier.
//
// Upstream fails the first three, up to GCC 15. What tasks write is plain memory on purpose:
// ../tsan runs this program too, and reports what a barrier does not make visible.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <vector>

namespace {

// More threads than cores: some wake up late.
constexpr int kThreads = 8;

// A barrier that is no cancellation point, since the compiler sees no region around it.
[[gnu::noinline]] void meet() { _Pragma("omp barrier"); }

// The barrier has ended for the thread that cancels, and so has to end for all.
TEST(Barriers, EndWhereOneThreadThenCancels) {
  constexpr int kRounds = 200;
  std::atomic<int> ended{0};
  ASSERT_TRUE(omp_get_cancellation());
  for (int round = 0; round < kRounds; round++) {
#pragma omp parallel num_threads(kThreads)
    {
      meet();
      ended++;
#pragma omp cancel parallel if (omp_get_thread_num() == round % kThreads)
    }
  }
  EXPECT_EQ(ended, kRounds * kThreads);
}

// Counts tasks that a thread runs though it is, by its own account, still in the barrier before
// their creation.
class Phases {
public:
  void leave() { left_[omp_get_thread_num()] = true; }
  void createTasks() {
    for (int i = 0; i < 4; i++) {
#pragma omp task
      early_ += !left_[omp_get_thread_num()];
    }
  }
  int early() const { return early_; }

private:
  bool left_[kThreads] = {};
  std::atomic<int> early_{0};
};

TEST(Barriers, RunNoTasksOfWhatFollows) {
  int early = 0;
  for (int round = 0; round < 500; round++) {
    Phases phases;
#pragma omp parallel num_threads(kThreads)
    {
      meet();
      phases.leave();
      phases.createTasks();
    }
    early += phases.early();
  }
  EXPECT_EQ(early, 0);
}

TEST(Barriers, RunNoTasksOfWhatFollowsACancellationPoint) {
  int early = 0;
  for (int round = 0; round < 500; round++) {
    Phases phases;
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp cancel parallel if (round < 0)
#pragma omp barrier
      phases.leave();
      phases.createTasks();
    }
    early += phases.early();
  }
  EXPECT_EQ(early, 0);
}

// Whichever thread ran the last task, and whichever came last.
TEST(Barriers, ShowWhatTasksWrote) {
  constexpr int kRounds = 40, kEach = 3, kSize = kThreads * kEach * 2;
  std::vector<int> values;
  int unseen = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : unseen)
  {
    for (int round = 1; round <= kRounds; round++) {
#pragma omp single
      values.assign(kSize, 0);
      const int mine = omp_get_thread_num() * kEach;
      for (int i = mine; i < mine + kEach; i++) {
#pragma omp task shared(values) firstprivate(i, round)
        {
#pragma omp task shared(values) firstprivate(i, round)
          values[2 * i] = round;
          values[2 * i + 1] = round;
        }
      }
      meet();
      for (int value : values)
        unseen += value != round;
      meet();
    }
  }
  EXPECT_EQ(unseen, 0);
}

// A thread may still look for tasks of the last barrier when the next region, of as many threads
// or of others, is made.
TEST(Barriers, AreDoneWithBeforeTheNextRegion) {
  constexpr int kRounds = 400;
  int ran[kThreads] = {};
  for (int round = 0; round < kRounds; round++) {
#pragma omp parallel num_threads(round % 8 == 7 ? kThreads / 2 : kThreads)
#pragma omp single nowait
    for (int i = 0; i < kThreads; i++) {
#pragma omp task shared(ran) firstprivate(i)
      ran[i]++;
    }
  }
  for (int count : ran)
    EXPECT_EQ(count, kRounds);
}

} // namespace
