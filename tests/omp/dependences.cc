// SPDX-License-Identifier: GPL-3.0-or-later
// Dependences of OpenMP 5.1: taskwait nowait, omp_all_memory and inoutset. They are written as GCC
// 13 compiles them, for the compiler may be older.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

// The program is linked to the compiler's libgomp, which may lack it. DEPEND: how many, how many of
// these are out, and the addresses.
extern "C" void GOMP_taskwait_depend_nowait(void **depend) __attribute__((weak));

namespace {

constexpr int kRounds = 100;

void *number(std::uintptr_t n) { return reinterpret_cast<void *>(n); }

/// What GCC 13 passes for omp_all_memory.
char *all_memory() {
  char *none = nullptr;
  asm("" : "+r"(none));
  return none;
}

/// Lets the other threads come to where they wait.
void linger() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

class Dependences : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Dependences, testing::Values(1, 2, 4),
                         [](const auto &info) { return std::to_string(info.param); });

TEST_P(Dependences, ATaskwaitThatDoesNotWaitComesBetween) {
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<bool> first{false}, after{false};
#pragma omp parallel num_threads(GetParam())
#pragma omp single
    {
      char x = 0, y = 0;
#pragma omp task depend(out : x) shared(first)
      {
        linger();
        first = true;
      }
      void *depend[] = {number(2), number(1), &y, &x};
      GOMP_taskwait_depend_nowait(depend);
#pragma omp task depend(in : y) shared(first, after)
      after = first.load();
#pragma omp taskwait
    }
    ASSERT_TRUE(after) << "round " << round;
  }
}

TEST_P(Dependences, ATaskwaitThatDoesNotWaitEndsATaskgroup) {
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<bool> first{false};
    bool before = false;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
    {
      char x = 0;
#pragma omp taskgroup
      {
#pragma omp task depend(out : x) shared(first)
        {
          linger();
          first = true;
        }
        void *depend[] = {number(1), number(0), &x};
        GOMP_taskwait_depend_nowait(depend);
      }
      before = first;
    }
    ASSERT_TRUE(before) << "round " << round;
  }
}

TEST_P(Dependences, AllMemoryIsAfterAllAndBeforeAll) {
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> done{0};
    int before = 0, after = 0;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
    {
      char many[8];
      [[maybe_unused]] char *all = all_memory();
      for (char &x : many)
#pragma omp task depend(out : x) shared(done)
      {
        linger();
        ++done;
      }
#pragma omp task depend(out : *all) shared(done, before)
      {
        before = done;
        linger();
        ++done;
      }
#pragma omp task depend(in : many[3]) shared(done, after)
      after = done;
#pragma omp taskwait
    }
    ASSERT_EQ(before, 8) << "round " << round;
    ASSERT_EQ(after, 9) << "round " << round;
  }
}

TEST_P(Dependences, ATaskwaitForAllMemoryWaitsForAll) {
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> done{0};
    int before = 0;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
    {
      char many[8];
      [[maybe_unused]] char *all = all_memory();
      for (char &x : many) {
#pragma omp task shared(done)
        linger();
#pragma omp task depend(out : x) shared(done)
        {
          linger();
          ++done;
        }
      }
#pragma omp taskwait depend(out : *all)
      before = done;
    }
    ASSERT_EQ(before, 8) << "round " << round;
  }
}

TEST_P(Dependences, ATaskwaitWaitsForAllMemoryBeforeIt) {
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<bool> done{false};
    bool before = false;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
    {
      [[maybe_unused]] char x = 0;
      [[maybe_unused]] char *all = all_memory();
      for (int i = 0; i < 4; ++i)
#pragma omp task
        linger();
        // Upstream does not wait if no task before the one with omp_all_memory has dependences.
#pragma omp task depend(out : x)
      linger();
#pragma omp task depend(out : *all) shared(done)
      {
        linger();
        done = true;
      }
#pragma omp taskwait depend(in : x)
      before = done;
    }
    ASSERT_TRUE(before) << "round " << round;
  }
}

TEST_P(Dependences, InoutsetIsAfterOthersAndNotAfterItself) {
  constexpr std::uintptr_t kInoutset = 5;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> done{0};
    std::atomic<bool> early{false};
    int after = 0;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
    {
      char x = 0;
      void *object[2] = {&x, number(kInoutset)};
      omp_depend_t &set = *reinterpret_cast<omp_depend_t *>(object);
#pragma omp task depend(out : x) shared(done)
      {
        linger();
        ++done;
      }
      for (int i = 0; i < 3; ++i)
#pragma omp task depend(depobj : set) shared(done, early)
      {
        if (done < 1)
          early = true;
        ++done;
      }
#pragma omp task depend(in : x) shared(done, after)
      after = done;
#pragma omp taskwait
    }
    ASSERT_FALSE(early) << "round " << round;
    ASSERT_EQ(after, 4) << "round " << round;
  }
}

} // namespace
