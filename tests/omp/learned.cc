// SPDX-License-Identifier: GPL-3.0-or-later
// Loops that run so often that aid_auto learns them: each iteration runs once in each invocation,
// whatever the library has learned by then, and whatever else goes on in the region.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "loops.h"

namespace {

constexpr int kTimes = 60;

class Learned : public testing::TestWithParam<int> {
protected:
  void SetUp() override { omp_set_schedule(omp_sched_t(ompx_amp_sched_aid_auto), 0); }
  int threads() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Threads, Learned, testing::Values(2, 3, 4, 8));

// How often each iteration ran.
class Marks {
public:
  explicit Marks(int trips) : marks_(trips) {}
  void mark(long i) { marks_[i].fetch_add(1, std::memory_order_relaxed); }
  // All of them ran TIMES times.
  testing::AssertionResult all(int times) const {
    for (size_t i = 0; i < marks_.size(); i++)
      if (marks_[i] != times)
        return testing::AssertionFailure() << "iteration " << i << " of " << marks_.size()
                                           << " ran " << marks_[i] << " times, not " << times;
    return testing::AssertionSuccess();
  }
  testing::AssertionResult at_most(int times) const {
    for (size_t i = 0; i < marks_.size(); i++)
      if (marks_[i] > times)
        return testing::AssertionFailure()
               << "iteration " << i << " of " << marks_.size() << " ran " << marks_[i] << " times";
    return testing::AssertionSuccess();
  }

private:
  std::vector<std::atomic<int>> marks_;
};

// Some costs, most of them near 0, so that parts are uneven and change.
void work(long i) {
  std::atomic<int> spun{0};
  for (long n = i % 97 == 0 ? 2000 : i; n > 0; n--)
    spun.store(int(n), std::memory_order_relaxed);
}

TEST_P(Learned, Combined) {
  Marks marks(1000);
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(threads())
    for (int i = 0; i < 1000; i++) {
      work(i);
      marks.mark(i);
    }
  EXPECT_TRUE(marks.all(kTimes));
}

TEST_P(Learned, OfEveryTypeAndDirection) {
  Marks up(403), down(403), wide(403), steps(403);
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel num_threads(threads())
  {
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < 403; i++)
      up.mark(i);
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 402; i >= 0; i--)
      down.mark(i);
#pragma omp for schedule(runtime) nowait
    for (unsigned long long i = ~0ULL - 403; i < ~0ULL; i++)
      wide.mark(long(i - (~0ULL - 403)));
#pragma omp for schedule(monotonic : runtime)
    for (long i = -1000; i < -1000 + 3 * 403; i += 3)
      steps.mark((i + 1000) / 3);
  }
  for (const Marks *marks : {&up, &down, &wide, &steps})
    EXPECT_TRUE(marks->all(kTimes));
}

// Multigrid's levels, a triangle's rows, nothing at all.
TEST_P(Learned, TripCountsThatChange) {
  constexpr int kMost = 1 << 12;
  std::vector<int> ran(kMost), expected(kMost);
  std::mt19937 random(1);
  for (int time = 0; time < 4 * kTimes; time++) {
    const int trips = time % 3 == 0   ? kMost >> (time / 3 % 13)
                      : time % 3 == 1 ? time
                                      : int(random() % 100);
#pragma omp parallel num_threads(threads())
    for (int level = 0; level < 3; level++) {
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < trips >> level; i++)
        ran[i]++;
    }
    for (int level = 0; level < 3; level++)
      for (int i = 0; i < trips >> level; i++)
        expected[i]++;
  }
  EXPECT_EQ(ran, expected);
}

// A loop may be in flight in one thread and learned by now in another.
TEST_P(Learned, ChainsWithoutBarriers) {
  Marks first(50), second(1);
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel num_threads(threads())
    for (int n = 0; n < 20; n++) {
      if (n % 8 == omp_get_thread_num())
        work(20000);
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (int i = 0; i < 50; i++)
        first.mark(i);
#pragma omp single nowait
      second.mark(0);
      if (n % 5 == 4) {
#pragma omp barrier
      }
    }
  EXPECT_TRUE(first.all(20 * kTimes));
  EXPECT_TRUE(second.all(20 * kTimes));
}

struct Bounds {
  Marks *marks;
  long trips;
};

void iterate(const Bounds &bounds, bool more, long begin, long end) {
  while (more) {
    for (long i = begin; i < end; i++)
      bounds.marks->mark(i);
    more = GOMP_loop_nonmonotonic_runtime_next(&begin, &end);
  }
  GOMP_loop_end();
}

// As a compiler may copy a loop's code: one loop, started by two calls.
[[gnu::noinline]] void copy_one(const Bounds &bounds) {
  long begin, end;
  const bool more = GOMP_loop_nonmonotonic_runtime_start(0, bounds.trips, 1, &begin, &end);
  iterate(bounds, more, begin, end);
}

[[gnu::noinline]] void copy_two(const Bounds &bounds) {
  long begin = 0, end = 0;
  if (GOMP_loop_nonmonotonic_runtime_start(0, bounds.trips, 1, &begin, &end))
    iterate(bounds, true, begin, end);
  else
    iterate(bounds, false, 0, 0);
}

TEST_P(Learned, CopiesOfOneLoop) {
  Marks marks(333);
  const Bounds bounds = {&marks, 333};
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel num_threads(threads())
    for (int n = 0; n < 6; n++)
      if (omp_get_thread_num() % 2 == (time > 20 && n > 2))
        copy_one(bounds);
      else
        copy_two(bounds);
  EXPECT_TRUE(marks.all(6 * kTimes));
}

void orphan(Marks &marks, int trips) {
#pragma omp for schedule(nonmonotonic : runtime)
  for (int i = 0; i < trips; i++)
    marks.mark(i);
}

// Another order of loops in each region.
TEST_P(Learned, OrdersThatChange) {
  Marks marks[4] = {Marks(10), Marks(100), Marks(100), Marks(1000)};
  const int trips[4] = {10, 100, 100, 1000};
  int times[4] = {};
  std::mt19937 random(7);
  for (int time = 0; time < kTimes; time++) {
    int order[12];
    for (int &one : order)
      times[one = int(random() % 4)]++;
#pragma omp parallel num_threads(threads())
    for (const int one : order)
      orphan(marks[one], trips[one]);
  }
  for (int i = 0; i < 4; i++)
    EXPECT_TRUE(marks[i].all(times[i]));
}

TEST_P(Learned, TeamsOfOtherSizesBetween) {
  Marks marks(500);
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel num_threads(time % 5 == 4 ? 2 : threads())
    orphan(marks, 500);
  EXPECT_TRUE(marks.all(kTimes));
}

TEST_P(Learned, RegionsWithin) {
  Marks outer(40), inner(60);
  omp_set_max_active_levels(2);
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel num_threads(threads())
  {
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < 40; i++) {
      outer.mark(i);
      if (i % 13 == 0)
#pragma omp parallel num_threads(2)
        orphan(inner, 60);
    }
  }
  EXPECT_TRUE(outer.all(kTimes));
  EXPECT_TRUE(inner.all(4 * kTimes));
  omp_set_max_active_levels(1);
}

// The barrier after a loop runs them.
TEST_P(Learned, TasksAtTheBarrier) {
  Marks marks(200), tasks(200);
  for (int time = 0; time < kTimes; time++)
#pragma omp parallel num_threads(threads())
    for (int n = 0; n < 3; n++) {
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 200; i++) {
        marks.mark(i);
#pragma omp task shared(tasks) firstprivate(i)
        tasks.mark(i);
      }
    }
  EXPECT_TRUE(marks.all(3 * kTimes));
  EXPECT_TRUE(tasks.all(3 * kTimes));
}

TEST_P(Learned, CancelledLoops) {
  if (!omp_get_cancellation())
    GTEST_SKIP() << "OMP_CANCELLATION is not true";
  Marks marks(200);
  for (int time = 0; time < kTimes; time++) {
    Marks cancelled(300);
#pragma omp parallel num_threads(threads())
    {
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 300; i++) {
        cancelled.mark(i);
        if (i == 100) {
#pragma omp cancel for
        }
#pragma omp cancellation point for
      }
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < 200; i++)
        marks.mark(i);
    }
    EXPECT_TRUE(cancelled.at_most(1));
  }
  EXPECT_TRUE(marks.all(kTimes));
}

TEST_P(Learned, SchedulesThatChange) {
  Marks marks(150);
  for (int time = 0; time < kTimes; time++) {
    omp_set_schedule(time % 4 == 3 ? omp_sched_dynamic : omp_sched_t(ompx_amp_sched_aid_auto),
                     time % 8 == 6 ? 7 : 0);
#pragma omp parallel num_threads(threads())
    {
      orphan(marks, 150);
      omp_set_schedule(
          omp_sched_t(time % 4 == 1 ? ompx_amp_sched_aid_dynamic : ompx_amp_sched_aid_auto), 0);
      orphan(marks, 150);
    }
  }
  EXPECT_TRUE(marks.all(2 * kTimes));
}

TEST_P(Learned, ReductionsAndLastPrivates) {
  for (int time = 0; time < kTimes; time++) {
    long sum = 0;
    int last = -1;
#pragma omp parallel num_threads(threads())
    {
#pragma omp for schedule(nonmonotonic : runtime) reduction(+ : sum) lastprivate(last)
      for (int i = 0; i < 777; i++) {
        sum += i;
        last = i;
      }
    }
    ASSERT_EQ(sum, 776L * 777 / 2);
    ASSERT_EQ(last, 776);
  }
}

// Each thread has one part, in the order of the threads: what caches rely on. With the chunks of
// other schedules that would hardly ever be.
class OnePartAThread : public Learned {
protected:
  void SetUp() override {
    Learned::SetUp();
    if (!getenv("GOMP_AMP_THREAD_CLASSES"))
      GTEST_SKIP() << "on cores of one class parts are even from the start";
  }
  // Whether any of many invocations of LOOP, which stores who runs what, is so.
  template <typename Loop> bool any(Loop loop) {
    bool found = false;
    for (int time = 0; time < 400; time++) {
      loop();
      found |= std::is_sorted(std::begin(owner_), std::end(owner_)) &&
               std::set<int>(std::begin(owner_), std::end(owner_)).size() == size_t(threads());
    }
    return found;
  }
  void run(int i) {
    work(100);
    owner_[i] = omp_get_thread_num();
  }
  static constexpr int kTrips = 6400;

private:
  int owner_[kTrips];
};

INSTANTIATE_TEST_SUITE_P(Threads, OnePartAThread, testing::Values(2, 3, 4, 8));

TEST_P(OnePartAThread, OfALoopInARegion) {
  const bool found = any([&] {
#pragma omp parallel num_threads(threads())
    {
      // A region of one loop alone would start together with it.
      work(1);
#pragma omp for schedule(nonmonotonic : runtime)
      for (int i = 0; i < kTrips; i++)
        run(i);
    }
  });
  EXPECT_TRUE(found);
}

// It starts together with its team, and has a work share.
TEST_P(OnePartAThread, OfALoopThatIsARegion) {
  const bool found = any([&] {
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(threads())
    for (int i = 0; i < kTrips; i++)
      run(i);
  });
  EXPECT_TRUE(found);
}

} // namespace
