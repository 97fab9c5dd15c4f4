// SPDX-License-Identifier: GPL-3.0-or-later
// The AID schedules within the rest of OpenMP: loops in flight together, nested teams,
// cancellation, threads that come late, reductions, lastprivate, ordered and doacross.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "loops.h"

namespace {

constexpr int kThreads = 4;

class Constructs : public testing::TestWithParam<Kind> {
protected:
  void SetUp() override { set_chunk(0); }
  void set_chunk(int chunk) { omp_set_schedule(GetParam().value, chunk); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Constructs, testing::ValuesIn(kKinds),
                         [](const auto &info) { return std::string(info.param.name); });

using Counts = std::vector<std::atomic<int>>;

testing::AssertionResult all_are(const Counts &counts, int expected) {
  for (size_t i = 0; i < counts.size(); i++)
    if (counts[i] != expected)
      return testing::AssertionFailure()
             << "iteration " << i << " ran " << counts[i] << " times instead of " << expected;
  return testing::AssertionSuccess();
}

// More loops than a team has work shares at first, so that they are reused while others are in
// flight; other constructs that use work shares in between.
TEST_P(Constructs, NowaitChain) {
  constexpr int kLoops = 60, kTrips = 97;
  Counts counts(kLoops * kTrips);
  std::atomic<int> singles{0}, sections{0};
#pragma omp parallel num_threads(kThreads)
  for (int loop = 0; loop < kLoops; loop++) {
    // Threads drift apart, each at its own time.
    if (loop % 7 == omp_get_thread_num())
      std::this_thread::sleep_for(std::chrono::microseconds(300));
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < kTrips; i++)
      counts[loop * kTrips + i]++;
#pragma omp single nowait
    singles++;
#pragma omp sections nowait
    {
#pragma omp section
      sections++;
#pragma omp section
      sections++;
    }
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < kTrips; i++)
      counts[loop * kTrips + i]++;
  }
  EXPECT_TRUE(all_are(counts, 2));
  EXPECT_EQ(singles, kLoops);
  EXPECT_EQ(sections, 2 * kLoops);
}

// The outer loop's per-thread state has to survive the inner regions.
TEST_P(Constructs, NestedTeams) {
  constexpr int kOuter = 50, kInner = 40;
  for (int chunk : {0, 3}) {
    set_chunk(chunk);
    omp_set_max_active_levels(3);
    Counts outer(kOuter), inner(kOuter * kInner), innermost(kOuter * kInner);
#pragma omp parallel num_threads(3)
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < kOuter; i++) {
      outer[i]++;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(runtime)
      for (int j = 0; j < kInner; j++) {
        inner[i * kInner + j]++;
        if (j % 16 == 0) {
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(2)
          for (int k = 0; k < kInner; k++)
            if (k >= j && k < j + 16)
              innermost[i * kInner + k]++;
        }
      }
    }
    EXPECT_TRUE(all_are(outer, 1));
    EXPECT_TRUE(all_are(inner, 1));
    EXPECT_TRUE(all_are(innermost, 1));
  }
}

TEST_P(Constructs, TeamsOfChangingSize) {
  for (int round = 0; round < 200; round++) {
    Counts counts(333);
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(1 + round % 9)
    for (int i = 0; i < 333; i++)
      counts[i]++;
    ASSERT_TRUE(all_are(counts, 1)) << "round " << round;
  }
}

// Threads that OpenMP did not make, each with teams of its own.
TEST_P(Constructs, ForeignThreads) {
  const Kind kind = GetParam();
  std::atomic<int> bad{0};
  auto work = [&] {
    omp_set_schedule(kind.value, 0);
    for (int round = 0; round < 50; round++) {
      Counts counts(500);
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(3)
      for (int i = 0; i < 500; i++)
        counts[i]++;
      bad += !all_are(counts, 1);
    }
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  EXPECT_EQ(bad, 0);
}

// Loops met outside of any region, where one thread is the team.
void __attribute__((noinline)) orphaned(Counts &counts, int repeat) {
  for (int round = 0; round < repeat; round++) {
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < int(counts.size()); i++)
      counts[i]++;
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < int(counts.size()); i++)
      counts[i]++;
  }
}

TEST_P(Constructs, OrphanedLoops) {
  for (int chunk : {0, 5}) {
    set_chunk(chunk);
    Counts serial(100), team(100);
    orphaned(serial, 20);
    EXPECT_TRUE(all_are(serial, 40));
#pragma omp parallel num_threads(kThreads)
    orphaned(team, 20);
    EXPECT_TRUE(all_are(team, 40));
  }
}

// A thread that is away until the others have run the whole loop: no thread may wait for it. A loop
// that ran before may be shared out when it begins, as a static one.
TEST_P(Constructs, AbsentThread) {
  // With all threads of one class, aid_static and aid_hybrid are static.
  const omp_sched_t kind = GetParam().value;
  if (kind == omp_sched_static ||
      (!std::getenv("GOMP_AMP_THREAD_CLASSES") && (kind == omp_sched_t(ompx_amp_sched_aid_static) ||
                                                   kind == omp_sched_t(ompx_amp_sched_aid_hybrid))))
    GTEST_SKIP() << "static gives the absent thread iterations of its own";
  const char *plans = std::getenv("GOMP_AMP_TEST_PLANS");
  if ((!plans || std::string(plans) != "none") && (kind == omp_sched_t(ompx_amp_sched_aid_hybrid) ||
                                                   kind == omp_sched_t(ompx_amp_sched_aid_dynamic)))
    GTEST_SKIP() << "so does a loop that ran before";
  for (int chunk : {0, 7}) {
    set_chunk(chunk);
    Counts counts(2000);
    std::atomic<int> done{0};
#pragma omp parallel num_threads(kThreads)
    {
      if (omp_get_thread_num() == 1)
        while (done < 2000)
          std::this_thread::yield();
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < 2000; i++) {
        counts[i]++;
        done++;
      }
    }
    EXPECT_TRUE(all_are(counts, 1));
  }
}

TEST_P(Constructs, LateThread) {
  for (int late = 0; late < kThreads; late++) {
    Counts counts(5000);
#pragma omp parallel num_threads(kThreads)
    {
      if (omp_get_thread_num() == late)
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 5000; i++)
        counts[i]++;
    }
    EXPECT_TRUE(all_are(counts, 1));
  }
}

TEST_P(Constructs, Cancellation) {
  if (!omp_get_cancellation())
    GTEST_SKIP() << "OMP_CANCELLATION is not set";
  for (int chunk : {0, 5})
    for (int at : {0, 1, 500, 4999}) {
      set_chunk(chunk);
      Counts counts(5000), after(700);
#pragma omp parallel num_threads(kThreads)
      {
#pragma omp for schedule(nonmonotonic : runtime)
        for (int i = 0; i < 5000; i++) {
          counts[i]++;
          if (i == at) {
#pragma omp cancel for
          }
#pragma omp cancellation point for
        }
#pragma omp for schedule(nonmonotonic : runtime)
        for (int i = 0; i < 700; i++)
          after[i]++;
      }
      for (int i = 0; i < 5000; i++)
        EXPECT_LE(counts[i], 1) << i;
      EXPECT_EQ(counts[at], 1);
      EXPECT_TRUE(all_are(after, 1));
    }
}

TEST_P(Constructs, CancelledRegion) {
  if (!omp_get_cancellation())
    GTEST_SKIP() << "OMP_CANCELLATION is not set";
  for (int round = 0; round < 20; round++) {
    Counts counts(3000);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (int i = 0; i < 3000; i++)
        counts[i]++;
#pragma omp cancel parallel if (omp_get_thread_num() == 1)
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 3000; i++)
        counts[i]++;
    }
    for (int i = 0; i < 3000; i++)
      ASSERT_LE(counts[i], 2) << i;
  }
}

TEST_P(Constructs, ReductionAndLastprivate) {
  for (int chunk : {0, 1, 64})
    for (int trips : {1, 3, 1001}) {
      set_chunk(chunk);
      long sum = 5, last = -1, conditional = -1;
      int highest = -1;
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(kThreads) \
    reduction(+ : sum) reduction(max : highest) lastprivate(last)
      for (int i = 0; i < trips; i++) {
        sum += i;
        highest = std::max(highest, i);
        last = 10L * i;
      }
#pragma omp parallel for schedule(runtime) num_threads(kThreads) lastprivate(conditional           \
                                                                             : conditional)
      for (int i = 0; i < trips; i++)
        if (i % 10 == 0)
          conditional = i;
      EXPECT_EQ(sum, 5 + long(trips) * (trips - 1) / 2);
      EXPECT_EQ(highest, trips - 1);
      EXPECT_EQ(last, 10L * (trips - 1));
      EXPECT_EQ(conditional, (trips - 1) / 10 * 10);
    }
}

// The other ways in: a monotonic loop, and every combined parallel loop, old and new.
template <typename T> void monotonic(Counts &counts) {
#pragma omp parallel num_threads(kThreads)
#pragma omp for schedule(monotonic : runtime)
  for (T i = 0; i < T(counts.size()); i++)
    counts[i]++;
}

void combined_region(void *data) {
  Counts &counts = *static_cast<Counts *>(data);
  long first, last;
  while (GOMP_loop_nonmonotonic_runtime_next(&first, &last))
    for (long i = first; i < last; i++)
      counts[i]++;
  GOMP_loop_end_nowait();
}

TEST_P(Constructs, EntryPoints) {
  for (int chunk : {0, 3}) {
    set_chunk(chunk);
    Counts counts(1000);
    monotonic<long>(counts);
    monotonic<unsigned long long>(counts);
    for (ParallelLoop *start :
         {GOMP_parallel_loop_runtime, GOMP_parallel_loop_maybe_nonmonotonic_runtime,
          GOMP_parallel_loop_nonmonotonic_runtime})
      start(combined_region, &counts, kThreads, 0, 1000, 1, 0);
    GOMP_parallel_loop_runtime_start(combined_region, &counts, kThreads, 0, 1000, 1);
    combined_region(&counts);
    GOMP_parallel_end();
    EXPECT_TRUE(all_are(counts, 6));
  }
}

// GOMP_loop_start and GOMP_loop_ull_start.
template <typename T> void task_reduction() {
  long sum = 0;
  Counts counts(300);
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp for schedule(nonmonotonic : runtime) reduction(task, + : sum)
    for (T i = 0; i < 300; i++) {
      counts[i]++;
#pragma omp task in_reduction(+ : sum)
      sum += long(i);
    }
#pragma omp for schedule(runtime) reduction(task, + : sum)
    for (T i = 0; i < 300; i++)
      sum += 1;
  }
  EXPECT_EQ(sum, 300 * 299 / 2 + 300);
  EXPECT_TRUE(all_are(counts, 1));
}

TEST_P(Constructs, TaskReduction) {
  for (int chunk : {0, 7}) {
    set_chunk(chunk);
    task_reduction<int>();
    task_reduction<unsigned long long>();
  }
}

template <typename T> void ordered() {
  std::vector<int> order;
#pragma omp parallel for ordered schedule(runtime) num_threads(kThreads)
  for (T i = 0; i < 400; i++) {
#pragma omp ordered
    order.push_back(int(i));
  }
  std::vector<int> expected(400);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);

  // With a reduction over tasks the loop starts by GOMP_loop_ordered_start.
  long sum = 0;
  order.clear();
#pragma omp parallel num_threads(kThreads)
#pragma omp for ordered schedule(runtime) reduction(task, + : sum)
  for (T i = 0; i < 400; i++) {
    sum += long(i);
#pragma omp ordered
    order.push_back(int(i));
  }
  EXPECT_EQ(order, expected);
  EXPECT_EQ(sum, 400 * 399 / 2);
}

TEST_P(Constructs, Ordered) {
  for (int chunk : {0, 7}) {
    set_chunk(chunk);
    ordered<int>();
    ordered<unsigned long long>();
  }
}

// Upstream's static loop without iterations leaves a turn to the next loop.
template <typename T> void ordered_after_an_empty_one() {
  volatile T none = 0;
  std::vector<int> order;
  long sum = 0;
#pragma omp parallel num_threads(kThreads)
  for (int repeat = 0; repeat < 20; repeat++) {
    omp_set_schedule(omp_sched_static, repeat % 2);
#pragma omp for ordered schedule(runtime)
    for (T i = 0; i < none; i++) {
#pragma omp ordered
      order.push_back(-1);
    }
#pragma omp for ordered schedule(runtime) reduction(task, + : sum)
    for (T i = 0; i < none; i++) {
#pragma omp ordered
      order.push_back(-1);
    }
    omp_set_schedule(omp_sched_guided, 1);
#pragma omp for ordered schedule(runtime)
    for (T i = 0; i < 50; i++) {
#pragma omp ordered
      order.push_back(int(i));
    }
  }
  for (size_t i = 0; i < order.size(); i++)
    ASSERT_EQ(order[i], int(i % 50));
  EXPECT_EQ(order.size(), 1000u);
}

TEST_P(Constructs, OrderedAfterAnEmptyOne) {
  ordered_after_an_empty_one<int>();
  ordered_after_an_empty_one<unsigned long long>();
}

// Few iterations: upstream waits for another iteration by spinning, which on fewer cores than
// threads takes a time slice.
template <typename T> void doacross() {
  constexpr int kTrips = 40;
  std::vector<long> value(kTrips, 0);
#pragma omp parallel num_threads(kThreads)
#pragma omp for ordered(1) schedule(runtime)
  for (T i = 1; i < kTrips; i++) {
#pragma omp ordered depend(sink : i - 1)
    value[i] = value[i - 1] + long(i);
#pragma omp ordered depend(source)
  }
  for (long i = 1; i < kTrips; i++)
    EXPECT_EQ(value[i], i * (i + 1) / 2);

  long sum = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp for ordered(1) schedule(runtime) reduction(task, + : sum)
  for (T i = 1; i < kTrips; i++) {
#pragma omp ordered depend(sink : i - 1)
    value[i] = value[i - 1] + 1;
#pragma omp ordered depend(source)
    sum += value[i] - value[i - 1];
  }
  EXPECT_EQ(value[kTrips - 1], kTrips - 1);
  EXPECT_EQ(sum, kTrips - 1);
}

TEST_P(Constructs, Doacross) {
  for (int chunk : {0, 3}) {
    set_chunk(chunk);
    doacross<int>();
    doacross<unsigned long long>();
  }
}

// A static loop without work share, then every other kind of loop, in one thread: none may take the
// marker that it left for its own.
TEST_P(Constructs, AfterStatic) {
  const omp_sched_t kind = GetParam().value;
  Counts counts(500), crossed(20);
  std::atomic<int> order{0};
#pragma omp parallel num_threads(kThreads)
  for (int round = 0; round < 10; round++) {
    omp_set_schedule(omp_sched_static, round % 2 ? 0 : 3);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 500; i++)
      counts[i]++;
    omp_set_schedule(kind, 0);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 500; i++)
      counts[i]++;
    omp_set_schedule(omp_sched_static, 0);
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < 500; i++)
      counts[i]++;
    omp_set_schedule(kind, 2);
#pragma omp for schedule(runtime) ordered
    for (int i = 0; i < 500; i++) {
      counts[i]++;
#pragma omp ordered
      order++;
    }
#pragma omp for schedule(runtime) ordered(1)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
      crossed[i]++;
#pragma omp ordered depend(source)
    }
  }
  EXPECT_TRUE(all_are(counts, 40));
  EXPECT_TRUE(all_are(crossed, 10));
  EXPECT_EQ(order, 5000);
}

} // namespace
