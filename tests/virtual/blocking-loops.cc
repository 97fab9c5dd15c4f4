// SPDX-License-Identifier: GPL-3.0-or-later
// Worksharing constructs whose threads wait for each other: ordered, doacross, single, copyprivate,
// sections, masked, and loops under every schedule in flight together.
#include <omp.h>

#include <atomic>
#include <numeric>

#include "../omp/loops.h"

namespace {

constexpr int kTrips = 300;

std::vector<int> counting(int from, int to) {
  std::vector<int> numbers(to - from);
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

class Loops : public testing::TestWithParam<Kind> {
protected:
  void SetUp() override { omp_set_schedule(GetParam().value, 0); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Loops, testing::ValuesIn(kKinds),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(Loops, Ordered) {
  std::vector<int> order;
#pragma omp parallel for ordered schedule(runtime)
  for (int i = 0; i < kTrips; i++) {
#pragma omp ordered
    order.push_back(i);
  }
  EXPECT_EQ(order, counting(0, kTrips));
}

// Iterations that leave the ordered region out.
TEST_P(Loops, OrderedInPlaces) {
  std::vector<int> order;
#pragma omp parallel for ordered schedule(runtime)
  for (int i = 0; i < kTrips; i++)
    if (i % 3 == 0) {
#pragma omp ordered
      order.push_back(i / 3);
    }
  EXPECT_EQ(order, counting(0, kTrips / 3));
}

TEST_P(Loops, Doacross) {
  std::vector<long> value(kTrips, 0);
#pragma omp parallel for ordered(1) schedule(runtime)
  for (int i = 1; i < kTrips; i++) {
#pragma omp ordered depend(sink : i - 1)
    value[i] = value[i - 1] + i;
#pragma omp ordered depend(source)
  }
  EXPECT_EQ(value[kTrips - 1], long(kTrips) * (kTrips - 1) / 2);
}

TEST_P(Loops, DoacrossOfTwo) {
  constexpr int kRows = 20, kColumns = 15;
  // Paths from the corner: binomial numbers, modulo a prime.
  constexpr long kPrime = 1000003;
  std::vector<long> paths((kRows + 1) * (kColumns + 1), 0), expected = paths;
  auto at = [](int i, int j) { return i * (kColumns + 1) + j; };
  paths[at(0, 1)] = expected[at(0, 1)] = 1;
  for (int i = 1; i <= kRows; i++)
    for (int j = 1; j <= kColumns; j++)
      expected[at(i, j)] = (expected[at(i - 1, j)] + expected[at(i, j - 1)]) % kPrime;
#pragma omp parallel for ordered(2) schedule(runtime)
  for (int i = 1; i <= kRows; i++)
    for (int j = 1; j <= kColumns; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      paths[at(i, j)] = (paths[at(i - 1, j)] + paths[at(i, j - 1)]) % kPrime;
#pragma omp ordered depend(source)
    }
  EXPECT_EQ(paths, expected);
}

TEST_P(Loops, InFlightTogether) {
  constexpr int kLoops = 40;
  std::vector<std::atomic<int>> counts(kLoops);
#pragma omp parallel
  for (int loop = 0; loop < kLoops; loop++) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < kTrips; i++)
      counts[loop]++;
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < kTrips; i++)
      counts[loop]++;
  }
  for (const auto &count : counts)
    EXPECT_EQ(count, 2 * kTrips);
}

TEST_P(Loops, Reduction) {
  long sum = 0;
#pragma omp parallel for schedule(nonmonotonic : runtime) reduction(+ : sum)
  for (int i = 0; i < kTrips; i++)
    sum += i;
  EXPECT_EQ(sum, long(kTrips) * (kTrips - 1) / 2);
}

TEST(Single, RunsOnce) {
  int runs = 0, waited = 0;
#pragma omp parallel reduction(+ : waited)
  for (int round = 1; round <= 100; round++) {
#pragma omp single
    runs++;
    waited += runs == round;
#pragma omp barrier
  }
  EXPECT_EQ(runs, 100);
  EXPECT_EQ(waited, 100 * omp_get_max_threads());
}

TEST(Single, CopyPrivate) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int round = 0; round < 100; round++) {
    int value = -1;
#pragma omp single copyprivate(value)
    value = round;
    sum += value;
  }
  EXPECT_EQ(sum, 4950L * omp_get_max_threads());
}

TEST(Single, Nowait) {
  std::atomic<int> runs{0};
#pragma omp parallel
  for (int round = 0; round < 100; round++) {
#pragma omp single nowait
    runs++;
  }
  EXPECT_EQ(runs, 100);
}

TEST(Single, Masked) {
  int value = 0, seen = 0;
#pragma omp parallel reduction(+ : seen)
  {
#pragma omp masked
    value = 3;
#pragma omp barrier
    seen += value;
  }
  EXPECT_EQ(seen, 3 * omp_get_max_threads());
}

TEST(Sections, EachOnce) {
  int runs[5] = {};
  int last = 0;
#pragma omp parallel
  for (int round = 0; round < 50; round++) {
#pragma omp sections lastprivate(last)
    {
#pragma omp section
      runs[0]++;
#pragma omp section
      runs[1]++;
#pragma omp section
      runs[2]++;
#pragma omp section
      runs[3]++;
#pragma omp section
      {
        runs[4]++;
        last = round;
      }
    }
  }
  for (int run : runs)
    EXPECT_EQ(run, 50);
  EXPECT_EQ(last, 49);
}

TEST(Sections, Combined) {
  std::atomic<int> sum{0};
#pragma omp parallel sections
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 10;
#pragma omp section
    sum += 100;
  }
  EXPECT_EQ(sum, 111);
}

} // namespace
