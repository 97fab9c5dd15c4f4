// SPDX-License-Identifier: GPL-3.0-or-later
// Every iteration of a schedule(runtime) loop runs exactly once, in increasing order within a
// thread, for all kinds, types, increments, bounds, chunks and team sizes.
#include <omp.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

#include "loops.h"

namespace {

using Ull = unsigned long long;

// Marks iterations and checks the marks. A thread's own order is checked as it goes.
class Marks {
public:
  explicit Marks(Ull trips) : trips_(trips), mark_(new unsigned char[trips ? trips : 1]()) {}

  void run(Ull index, Ull &previous) {
    if (index >= trips_) {
#pragma omp atomic
      outside_++;
      return;
    }
    if (previous != ULLONG_MAX && index <= previous) {
#pragma omp atomic
      backward_++;
    }
    previous = index;
#pragma omp atomic
    mark_[index]++;
  }

  testing::AssertionResult once() const {
    if (outside_)
      return testing::AssertionFailure() << outside_ << " iterations outside of the loop";
    if (backward_)
      return testing::AssertionFailure() << backward_ << " steps back within a thread";
    for (Ull i = 0; i < trips_; i++)
      if (mark_[i] != 1)
        return testing::AssertionFailure()
               << "iteration " << i << " ran " << int(mark_[i]) << " times";
    return testing::AssertionSuccess();
  }

private:
  Ull trips_;
  std::unique_ptr<unsigned char[]> mark_;
  Ull outside_ = 0, backward_ = 0;
};

// A loop from start to before end: upwards by step, or downwards.
template <typename T> struct Loop {
  T start, end;
  Ull step;
  bool up;

  Ull index(T value) const {
    return (up ? Ull(value) - Ull(start) : Ull(start) - Ull(value)) / step;
  }
};

// The three ways in: a combined parallel loop (of long; there is none of unsigned long long); a
// loop with its barrier; two loops in flight at once.
enum class Form { Combined, Barrier, Nowait };

#define AMP_BODY marks.run(loop.index(i), previous)

template <typename T> void barrier(const Loop<T> &loop, int threads, Marks &marks) {
  const T start = loop.start, end = loop.end;
  const std::make_signed_t<T> step = loop.step;
#pragma omp parallel num_threads(threads)
  {
    Ull previous = ULLONG_MAX;
    if (loop.up) {
#pragma omp for schedule(runtime)
      for (T i = start; i < end; i += step)
        AMP_BODY;
    } else {
#pragma omp for schedule(runtime)
      for (T i = start; i > end; i -= step)
        AMP_BODY;
    }
  }
}

// GCC combines the region and the loop only where the bounds are constants, so that this is what it
// would compile, written out: every thread asks for its blocks without having started the loop.
struct Combined {
  const Loop<long> &loop;
  Marks &marks;

  static void region(void *data) {
    auto &self = *static_cast<Combined *>(data);
    Ull previous = ULLONG_MAX;
    long first, last;
    while (GOMP_loop_nonmonotonic_runtime_next(&first, &last)) {
      if (self.loop.up)
        for (long i = first; i < last; i += self.loop.step)
          self.marks.run(self.loop.index(i), previous);
      else
        for (long i = first; i > last; i -= self.loop.step)
          self.marks.run(self.loop.index(i), previous);
    }
    GOMP_loop_end_nowait();
  }
};

void combined(const Loop<long> &loop, int threads, Marks &marks) {
  Combined data{loop, marks};
  const long step = loop.up ? long(loop.step) : -long(loop.step);
  GOMP_parallel_loop_nonmonotonic_runtime(Combined::region, &data, threads, loop.start, loop.end,
                                          step, 0);
}

template <typename T> void nowait(const Loop<T> &loop, int threads, Marks &marks, Marks &more) {
  const T start = loop.start, end = loop.end;
  const std::make_signed_t<T> step = loop.step;
#pragma omp parallel num_threads(threads)
  {
    Ull previous = ULLONG_MAX, other = ULLONG_MAX;
    if (loop.up) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (T i = start; i < end; i += step)
        AMP_BODY;
#pragma omp for schedule(runtime) nowait
      for (T i = start; i < end; i += step)
        more.run(loop.index(i), other);
    } else {
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (T i = start; i > end; i -= step)
        AMP_BODY;
#pragma omp for schedule(runtime) nowait
      for (T i = start; i > end; i -= step)
        more.run(loop.index(i), other);
    }
  }
}

template <typename T> void check(const Loop<T> &loop, Ull trips, int threads, Form form) {
  Marks marks(trips), more(trips);
  switch (form) {
  case Form::Combined:
    if constexpr (std::is_same_v<T, long>)
      combined(loop, threads, marks);
    break;
  case Form::Barrier:
    barrier(loop, threads, marks);
    break;
  case Form::Nowait:
    nowait(loop, threads, marks, more);
    EXPECT_TRUE(more.once());
    break;
  }
  EXPECT_TRUE(marks.once());
}

// Where a loop lies: it starts or ends exactly at an end of the type, or lies about zero (for an
// unsigned type: a million), with an end that the step does not hit.
enum class Place { Lowest, Highest, Zero, Startless };

template <typename T> Loop<T> place(Place where, Ull trips, Ull step, bool up) {
  constexpr Ull lowest = Ull(std::numeric_limits<T>::min());
  constexpr Ull highest = Ull(std::numeric_limits<T>::max());
  const Ull length = trips * step;
  Ull first, last;
  switch (where) {
  case Place::Lowest:
    first = up ? lowest : lowest + length;
    break;
  case Place::Highest:
    first = up ? highest - length : highest;
    break;
  case Place::Startless:
    first = up ? 0 : length;
    break;
  default:
    first = std::is_signed_v<T> ? -(length / 2) : 1000000;
  }
  last = up ? first + length : first - length;
  if (where == Place::Zero && trips > 0)
    last = up ? last - (step - 1) : last + (step - 1);
  return {T(first), T(last), step, up};
}

// The greatest trip count: less where instructions are emulated.
Ull most_trips() {
  const char *set = std::getenv("AMP_TEST_TRIPS");
  return set ? std::strtoull(set, nullptr, 10) : 100003;
}

const std::vector<Ull> &trip_counts(int threads, std::vector<Ull> &store) {
  const Ull t = threads;
  store = {0, 1, 2, t - 1, t, t + 1, 1000, most_trips()};
  return store;
}

class ExactlyOnce : public testing::TestWithParam<std::tuple<Kind, int>> {};

template <typename T> void all_loops(const Kind &kind, int threads) {
  std::vector<Ull> store;
  for (Ull trips : trip_counts(threads, store))
    for (int chunk : {0, 1, 7, int(trips) + 1})
      for (auto [step, up] : {std::pair<Ull, bool>{1, true}, {1, false}, {3, true}, {7, false}})
        for (Place where : {Place::Lowest, Place::Highest, Place::Zero, Place::Startless})
          for (Form form : {Form::Combined, Form::Barrier, Form::Nowait}) {
            if (std::is_unsigned_v<T> && form == Form::Combined)
              continue;
            // A down-counting unsigned loop about zero would wrap its own condition.
            if (std::is_unsigned_v<T> && where == Place::Zero && !up && trips * step > 1000000)
              continue;
            // The slow corner, a million removals by eight threads on few cores, once.
            if (trips > 1000 && chunk == 1 && form != Form::Barrier)
              continue;
            omp_set_schedule(kind.value, chunk);
            SCOPED_TRACE(std::string(kind.name) + "," + std::to_string(chunk) + " trips " +
                         std::to_string(trips) + " step " + (up ? "" : "-") + std::to_string(step) +
                         " place " + std::to_string(int(where)) + " form " +
                         std::to_string(int(form)));
            check(place<T>(where, trips, step, up), trips, threads, form);
            if (testing::Test::HasFailure())
              return;
          }
}

TEST_P(ExactlyOnce, Long) { all_loops<long>(std::get<0>(GetParam()), std::get<1>(GetParam())); }

TEST_P(ExactlyOnce, UnsignedLongLong) {
  all_loops<Ull>(std::get<0>(GetParam()), std::get<1>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExactlyOnce,
                         testing::Combine(testing::ValuesIn(kKinds), testing::Values(1, 2, 3, 8)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_T" +
                                  std::to_string(std::get<1>(info.param));
                         });

// What the threads of a team of four get first of a loop that is too long to run: START takes the
// two ends of the first block, NEXT those of the following ones.
template <typename T> using Blocks = std::vector<std::pair<T, T>>;

template <typename T, typename Start, typename Next>
Blocks<T> first_blocks(Start start, Next next) {
  Blocks<T> blocks;
#pragma omp parallel num_threads(4)
  {
    T first, last;
    bool more = start(&first, &last);
    for (int taken = 0; more && taken < 50; taken++) {
#pragma omp critical
      blocks.emplace_back(first, last);
      more = next(&first, &last);
    }
    GOMP_loop_end();
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

template <typename T> void expect_apart(const Blocks<T> &blocks, const char *kind) {
  ASSERT_FALSE(blocks.empty());
  for (size_t i = 0; i < blocks.size(); i++) {
    EXPECT_LT(blocks[i].first, blocks[i].second) << kind;
    if (i) {
      EXPECT_LE(blocks[i - 1].second, blocks[i].first) << kind;
    }
  }
}

// A trip count at which a 64-bit counter could wrap.
TEST(HugeLoops, BlocksDoNotOverlap) {
  for (const Kind &kind : kKinds)
    for (int chunk : {0, 1 << 30}) {
      omp_set_schedule(kind.value, chunk);
      expect_apart(first_blocks<Ull>(
                       [](Ull *first, Ull *last) {
                         return GOMP_loop_ull_nonmonotonic_runtime_start(true, 0, ULLONG_MAX, 1,
                                                                         first, last);
                       },
                       GOMP_loop_ull_nonmonotonic_runtime_next),
                   kind.name);
    }
}

// More trips than a long holds. Upstream's dynamic and guided can't count them.
TEST(HugeLoops, BlocksOfLongDoNotOverlap) {
  for (const Kind &kind : kKinds)
    for (int chunk : {0, 1 << 28}) {
      if (kind.value == omp_sched_dynamic || kind.value == omp_sched_guided)
        continue;
      omp_set_schedule(kind.value, chunk);
      expect_apart(first_blocks<long>(
                       [](long *first, long *last) {
                         return GOMP_loop_nonmonotonic_runtime_start(LONG_MIN, LONG_MAX, 1, first,
                                                                     last);
                       },
                       GOMP_loop_nonmonotonic_runtime_next),
                   kind.name);
    }
}

// The value after the last iteration is beyond the type's end: no block may wrap around to it.
TEST(LastStep, IsNotTaken) {
  for (const Kind &kind : kKinds)
    for (int chunk : {0, 1}) {
      if ((kind.value == omp_sched_dynamic || kind.value == omp_sched_guided) && chunk == 0)
        continue;
      omp_set_schedule(kind.value, chunk);
      Ull ran = 0;
#pragma omp parallel num_threads(2) reduction(+ : ran)
      {
        Ull first, last;
        bool more = GOMP_loop_ull_nonmonotonic_runtime_start(true, ULLONG_MAX - 100, ULLONG_MAX, 7,
                                                             &first, &last);
        for (; more; more = GOMP_loop_ull_nonmonotonic_runtime_next(&first, &last)) {
          EXPECT_LT(first, last) << kind.name;
          EXPECT_GE(first, ULLONG_MAX - 100) << kind.name;
          ran += (last - first + 6) / 7;
        }
        GOMP_loop_end();
      }
      EXPECT_EQ(ran, 15) << kind.name;
    }
}

} // namespace
