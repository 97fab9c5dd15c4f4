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
using Units = std::vector<unsigned long long>;

struct Cut {
  Units first;
  double end;
};

Cut cut(unsigned long long units, const Doubles &cost, const Doubles &speed, double turn = 0) {
  Doubles before(cost.size() + 1);
  for (size_t i = 0; i < cost.size(); i++)
    before[i + 1] = before[i] + cost[i];
  const gomp_amp_work work = {units, unsigned(cost.size()),  before.data(),
                              turn,  unsigned(speed.size()), speed.data()};
  Cut result = {Units(speed.size()), 0};
  result.end = gomp_amp_partition(&work, result.first.data());
  return result;
}

// What each of UNITS units takes on a worker of SPEED, where pieces are whole units.
Doubles times(size_t units, const Doubles &cost, double speed, double turn) {
  const size_t length = units / cost.size();
  Doubles result;
  for (size_t i = 0; i < units; i++)
    result.push_back((cost[i / length] / speed + turn) / double(length));
  return result;
}

double sum(const Doubles &all, size_t first, size_t end) {
  double result = 0;
  for (size_t i = first; i < end; i++)
    result += all[i];
  return result;
}

// When the last worker ends with the best of all ranges.
double best(size_t units, const Doubles &cost, const Doubles &speed, double turn) {
  Doubles end(units + 1, std::numeric_limits<double>::infinity());
  end[0] = 0;
  for (const double one : speed) {
    const Doubles time = times(units, cost, one, turn);
    Doubles next(end);
    for (size_t first = 0; first < units; first++)
      for (size_t last = first + 1; last <= units; last++)
        next[last] = std::min(next[last], std::max(end[first], sum(time, first, last)));
    end = next;
  }
  return end[units];
}

// When it does with the ranges that begin at FIRST.
double end_of(const Units &first, size_t units, const Doubles &cost, const Doubles &speed,
              double turn) {
  double last = 0;
  for (size_t w = 0; w < speed.size(); w++)
    last = std::max(last, sum(times(units, cost, speed[w], turn), first[w],
                              w + 1 < speed.size() ? first[w + 1] : units));
  return last;
}

} // namespace

TEST(Partition, WholeUnitsBySpeed) {
  EXPECT_EQ(cut(4, {1, 1, 1, 1}, {1, 1 / 3.}).first, (Units{0, 3}));
  EXPECT_EQ(cut(4, {1, 1, 1, 1}, {1 / 3., 1}).first, (Units{0, 1}));
  // A third of the speed is not worth one unit of two.
  EXPECT_EQ(cut(2, {1, 1}, {1, 1 / 3.}).first, (Units{0, 2}));
  EXPECT_EQ(cut(1, {1}, {.5, 1, 1}).first[1], 0u);
}

TEST(Partition, CostsThatDiffer) {
  // 1 2 3 4 | 5 6 | 7: 10, 11, 7.
  const Cut found = cut(7, {1, 2, 3, 4, 5, 6, 7}, {1, 1, 1});
  EXPECT_EQ(found.first, (Units{0, 4, 6}));
  EXPECT_NEAR(found.end, 11, 1e-5);
}

TEST(Partition, PiecesAreCutBetweenUnits) {
  // Ten units of 1 and ten of 3: 13 are 19, the other seven 21; with 14 it would be 22 and 18.
  const Cut found = cut(20, {10, 30}, {1, 1});
  EXPECT_EQ(found.first, (Units{0, 13}));
  EXPECT_NEAR(found.end, 21, 1e-5);
  // More pieces than units: one unit of four, and one of 12.
  EXPECT_EQ(cut(2, {1, 3, 5, 7}, {1, 2}).first, (Units{0, 1}));
  EXPECT_NEAR(cut(2, {1, 3, 5, 7}, {1, 2}).end, 6, 1e-5);
}

TEST(Partition, ATurnCostsAllWorkersTheSame) {
  // Units take 2 and 3. Three and one: 6 and 3; two and two would be 4 and 6, which is no better.
  EXPECT_NEAR(cut(4, {1, 1, 1, 1}, {1, .5}, 1).end, 6, 1e-5);
  // Without turns a speed of 1/9 is worth one of ten units, with long ones half of them.
  EXPECT_EQ(cut(10, Doubles(10, 1), {1, 1 / 9.}).first, (Units{0, 9}));
  EXPECT_EQ(cut(10, Doubles(10, 1), {1, 1 / 9.}, 1000).first, (Units{0, 5}));
}

TEST(Partition, NothingToDo) {
  for (const Units &first : {cut(3, {0, 0, 0}, {1, 1}).first, cut(3, {5, 0, 0}, {1, 1}).first}) {
    EXPECT_EQ(first[0], 0u);
    EXPECT_LE(first[1], 3u);
  }
  EXPECT_NEAR(cut(3, {5, 0, 0}, {1, 1}).end, 5, 1e-5);
}

TEST(Partition, VeryManyUnits) {
  constexpr unsigned long long many = ~0ULL;
  const Cut found = cut(many, Doubles(128, 1), {1, 1, 2});
  EXPECT_EQ(found.first[0], 0u);
  EXPECT_NEAR(double(found.first[1]), double(many) / 4, double(many) * 1e-6);
  EXPECT_NEAR(double(found.first[2]), double(many) / 2, double(many) * 1e-6);
}

TEST(Partition, NoRangesAreBetter) {
  std::mt19937_64 random(3);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 5000; round++) {
    const size_t pieces = 1 + random() % 12, units = pieces * (1 + random() % 3);
    Doubles cost(pieces), speed(1 + random() % 6);
    for (double &one : cost)
      one = random() % 5 == 0 ? 0 : random() % 3 == 0 ? 10 : between(0, 1);
    for (double &one : speed)
      one = random() % 2 ? 1 : between(.05, 1);
    const double turn = random() % 2 ? 0 : between(0, 2);
    const Cut found = cut(units, cost, speed, turn);
    const double least = best(units, cost, speed, turn);
    const double all = (sum(cost, 0, pieces) + turn * double(pieces)) * 20;
    ASSERT_TRUE(std::is_sorted(found.first.begin(), found.first.end()));
    ASSERT_EQ(found.first[0], 0u);
    ASSERT_LE(found.first.back(), units);
    ASSERT_NEAR(end_of(found.first, units, cost, speed, turn), least, 1e-6 * (1 + all)) << round;
    ASSERT_NEAR(found.end, least, 1e-6 * (1 + all)) << round;
  }
}
