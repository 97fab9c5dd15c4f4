// SPDX-License-Identifier: GPL-3.0-or-later
// Routed loops in teams whose threads have unlike schedules, which concern only the loops that a
// program itself made schedule(runtime): each iteration runs once, by the schedule in force when
// the region began.
#include <omp.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>

#include "loops.h"

// Programs are linked to the system's library, which lacks it.
#pragma weak ompx_amp_get_routed_schedule

namespace {

constexpr int kThreads = 4, kTrips = 1003, kRounds = 20;

// How often each iteration ran, and how many there were that the loop does not have.
struct Marks {
  std::array<std::atomic<int>, kTrips> runs{};
  std::atomic<int> outside{0};

  void visit(long long i) {
    if (i < 0 || i >= kTrips)
      outside++;
    else
      runs[size_t(i)]++;
  }
};

void expect_runs(const Marks &marks, int times) {
  int wrong = 0;
  for (const std::atomic<int> &runs : marks.runs)
    wrong += runs != times;
  EXPECT_EQ(wrong, 0) << "of " << kTrips << " iterations";
  EXPECT_EQ(marks.outside, 0);
}

omp_sched_t kind_of(int n) { return kKinds[unsigned(n) % std::size(kKinds)].value; }

// What the threads of a team set before a loop; N is any number.
struct Unlike {
  const char *name;
  std::function<void(int thread, int n)> set;
};

const Unlike kUnlike[] = {
    {"OneThread",
     [](int thread, int n) {
       if (thread == n % kThreads)
         omp_set_schedule(kind_of(n), 4);
     }},
    {"EachAnother", [](int thread, int n) { omp_set_schedule(kind_of(thread + n), thread + 1); }},
    {"Chunks", [](int thread, int n) { omp_set_schedule(kind_of(n), thread * 3); }},
    {"AutoAndStatic",
     [](int thread, int n) {
       omp_set_schedule((thread + n) % 2 != 0 ? omp_sched_auto : omp_sched_static, 5);
     }},
    {"InATask",
     [](int thread, int n) {
       omp_set_schedule(kind_of(thread), 2);
#pragma omp task if (0)
       omp_set_schedule(kind_of(n), 7);
     }},
    {"InAnInnerRegion",
     [](int thread, int n) {
#pragma omp parallel num_threads(2)
       omp_set_schedule(kind_of(thread + n + omp_get_thread_num()), 7);
       if (thread == 1)
         omp_set_schedule(kind_of(n), 0);
     }},
};

__attribute__((noinline)) void over_long(Marks &marks) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
  for (long i = 0; i < kTrips; i++)
    marks.visit(i);
}

__attribute__((noinline)) void over_ull(Marks &marks) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
  for (unsigned long long i = 1ULL << 63; i < (1ULL << 63) + kTrips; i++)
    marks.visit((long long)(i - (1ULL << 63)));
}

__attribute__((noinline)) void collapsed(Marks &marks) {
#pragma omp for schedule(nonmonotonic : runtime) collapse(2) nowait
  for (int i = 0; i < kTrips / 17; i++)
    for (int j = 0; j < 17; j++)
      marks.visit(17 * i + j);
}

// Its work share is initialised by the first thread to come.
__attribute__((noinline)) void reducing(Marks &marks, int &sum) {
#pragma omp for schedule(nonmonotonic : runtime) reduction(task, + : sum)
  for (int i = 0; i < kTrips; i++) {
    marks.visit(i);
    sum++;
  }
}

class UnlikeSchedules : public testing::TestWithParam<Unlike> {
protected:
  void SetUp() override { omp_set_max_active_levels(2); }
};

INSTANTIATE_TEST_SUITE_P(Of, UnlikeSchedules, testing::ValuesIn(kUnlike),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(UnlikeSchedules, EachIterationRunsOnce) {
  static_assert(kTrips % 17 == 0);
  for (int round = 0; round < kRounds; round++) {
    Marks longs, ulls, both, reduced;
    int sum = 0;
#pragma omp parallel num_threads(kThreads)
    {
      const int thread = omp_get_thread_num();
      GetParam().set(thread, round);
      over_long(longs);
      GetParam().set(thread, round + 1);
      over_ull(ulls);
#pragma omp sections nowait
      {
#pragma omp section
        omp_set_schedule(kind_of(round), 3);
#pragma omp section
        omp_set_schedule(omp_sched_guided, 3);
      }
      collapsed(both);
      reducing(reduced, sum);
      over_long(longs);
    }
    expect_runs(longs, 2);
    expect_runs(ulls, 1);
    expect_runs(both, 1);
    expect_runs(reduced, 1);
    EXPECT_EQ(sum, kTrips);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// The loops of an inner team go by the thread that began it.
TEST_P(UnlikeSchedules, OfTheThreadsThatBeginRegions) {
  for (int round = 0; round < kRounds; round++) {
    std::array<Marks, kThreads> marks, combined;
#pragma omp parallel num_threads(kThreads)
    {
      const int thread = omp_get_thread_num();
      GetParam().set(thread, round);
#pragma omp parallel num_threads(2)
      {
        GetParam().set(omp_get_thread_num(), round + thread);
        over_long(marks[size_t(thread)]);
        over_ull(marks[size_t(thread)]);
      }
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(2)
      for (int i = 0; i < kTrips; i++) {
        if (i == 7)
          omp_set_schedule(kind_of(round), 1);
        combined[size_t(thread)].visit(i);
      }
    }
    for (const Marks &one : marks)
      expect_runs(one, 2);
    for (const Marks &one : combined)
      expect_runs(one, 1);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// What threads set for themselves in a region ends with it, but for a region of one thread.
TEST(Schedule, OfTheRegionsBegin) {
  const auto routed = [] {
    int kind = 0, chunk = 0;
    ompx_amp_get_routed_schedule(&kind, &chunk, nullptr);
    return std::make_pair(kind, chunk);
  };
  const auto guided = [](int chunk) { return std::make_pair(int(omp_sched_guided), chunk); };
  omp_set_schedule(omp_sched_guided, 17);
  for (int inside : {0, 1}) {
    int others = 0;
#pragma omp parallel num_threads(3) reduction(+ : others)
    {
      if (inside)
        omp_set_schedule(omp_sched_dynamic, 1 + omp_get_thread_num());
      others += routed() != guided(17);
    }
    EXPECT_EQ(others, 0) << "set inside: " << inside;
  }
  EXPECT_EQ(routed(), guided(17));
#pragma omp parallel num_threads(1)
  {
    omp_set_schedule(omp_sched_guided, 5);
    EXPECT_EQ(routed(), guided(5));
  }
  EXPECT_EQ(routed(), guided(17));
}

} // namespace
