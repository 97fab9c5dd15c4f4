// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of work for workers of different speeds: by hand, and against the best of all ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

extern "C" {
#include "base/partition.h"
}

namespace {

using Doubles = std::vector<double>;
using Units = std::vector<unsigned>;

// The first unit of each worker.
Units cut(const Doubles &cost, const Doubles &speed, double turn = 0) {
  Doubles before(cost.size() + 1), slow;
  for (size_t i = 0; i < cost.size(); i++)
    before[i + 1] = before[i] + cost[i];
  for (const double one : speed)
    slow.push_back(1 / one);
  const gomp_amp_work work = {unsigned(cost.size()), before.data(), turn, unsigned(speed.size()),
                              slow.data()};
  Units first(speed.size() + 1);
  gomp_amp_partition(&work, first.data());
  EXPECT_EQ(first.back(), cost.size());
  first.pop_back();
  return first;
}

double sum(const Doubles &all, size_t first, size_t end) {
  double result = 0;
  for (size_t i = first; i < end; i++)
    result += all[i];
  return result;
}

// How long a worker takes for the units [FIRST, END).
double end_of_worker(const Doubles &cost, double speed, double turn, size_t first, size_t end) {
  return sum(cost, first, end) / speed + turn * double(end - first);
}

// When the last worker ends with the best of all ranges.
double best(const Doubles &cost, const Doubles &speed, double turn) {
  const size_t units = cost.size();
  Doubles end(units + 1, std::numeric_limits<double>::infinity());
  end[0] = 0;
  for (const double one : speed) {
    Doubles next(end);
    for (size_t first = 0; first < units; first++)
      for (size_t last = first + 1; last <= units; last++)
        next[last] =
            std::min(next[last], std::max(end[first], end_of_worker(cost, one, turn, first, last)));
    end = next;
  }
  return end[units];
}

// When it does with the ranges that begin at FIRST.
double end_of(const Units &first, const Doubles &cost, const Doubles &speed, double turn) {
  double last = 0;
  for (size_t w = 0; w < speed.size(); w++)
    last = std::max(last, end_of_worker(cost, speed[w], turn, first[w],
                                        w + 1 < speed.size() ? first[w + 1] : cost.size()));
  return last;
}

} // namespace

TEST(Partition, WholeUnitsBySpeed) {
  EXPECT_EQ(cut({1, 1, 1, 1}, {1, 1 / 3.}), (Units{0, 3}));
  EXPECT_EQ(cut({1, 1, 1, 1}, {1 / 3., 1}), (Units{0, 1}));
  // A third of the speed is not worth one unit of two.
  EXPECT_EQ(cut({1, 1}, {1, 1 / 3.}), (Units{0, 2}));
  EXPECT_EQ(cut({1}, {.5, 1, 1})[1], 0u);
}

TEST(Partition, CostsThatDiffer) {
  // 1 2 3 4 | 5 6 | 7: 10, 11, 7.
  EXPECT_EQ(cut({1, 2, 3, 4, 5, 6, 7}, {1, 1, 1}), (Units{0, 4, 6}));
}

TEST(Partition, ATurnCostsAllWorkersTheSame) {
  // Units take 2 and 3. Three and one: 6 and 3; two and two would be 4 and 6, which is no better.
  EXPECT_EQ(cut({1, 1, 1, 1}, {1, .5}, 1)[0], 0u);
  EXPECT_GE(cut({1, 1, 1, 1}, {1, .5}, 1)[1], 2u);
  // Without turns a speed of 1/9 is worth one of ten units, with long ones half of them.
  EXPECT_EQ(cut(Doubles(10, 1), {1, 1 / 9.}), (Units{0, 9}));
  EXPECT_EQ(cut(Doubles(10, 1), {1, 1 / 9.}, 1000), (Units{0, 5}));
}

TEST(Partition, NothingToDo) {
  for (const Units &first : {cut({0, 0, 0}, {1, 1}), cut({5, 0, 0}, {1, 1})}) {
    EXPECT_EQ(first[0], 0u);
    EXPECT_LE(first[1], 3u);
  }
}

TEST(Partition, NoRangesAreBetter) {
  std::mt19937_64 random(3);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 5000; round++) {
    Doubles cost(1 + random() % 30), speed(1 + random() % 6);
    for (double &one : cost)
      one = random() % 5 == 0 ? 0 : random() % 3 == 0 ? 10 : between(0, 1);
    for (double &one : speed)
      one = random() % 2 ? 1 : between(.05, 1);
    const double turn = random() % 2 ? 0 : between(0, 2);
    const Units found = cut(cost, speed, turn);
    const double least = best(cost, speed, turn);
    const double all = (sum(cost, 0, cost.size()) + turn * double(cost.size())) * 20;
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
    ASSERT_EQ(found[0], 0u);
    ASSERT_NEAR(end_of(found, cost, speed, turn), least, 1e-6 * (1 + all)) << round;
  }
}
