// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

extern "C" {
#include "fold/fold-ranges.h"
}

namespace {

using Numbers = std::vector<unsigned>;

// How many ids each worker gets; checks that the ranges follow each other.
Numbers counts(unsigned ids, const Numbers &speed) {
  Numbers first(speed.size() + 1, 12345);
  gomp_fold_cut(ids, speed.size(), speed.data(), first.data());
  EXPECT_EQ(first.front(), 0u);
  EXPECT_EQ(first.back(), ids);
  Numbers all;
  for (size_t w = 0; w < speed.size(); w++) {
    EXPECT_LE(first[w], first[w + 1]);
    all.push_back(first[w + 1] - first[w]);
  }
  return all;
}

// The ids at the places of each worker's range.
std::vector<Numbers> spread(unsigned ids, const Numbers &speed) {
  const Numbers all = counts(ids, speed);
  Numbers first(speed.size() + 1), owner(ids), order(ids, 12345);
  gomp_fold_spread(ids, speed.size(), speed.data(), first.data(), owner.data(), order.data());
  std::vector<Numbers> of_workers;
  unsigned at = 0;
  for (size_t w = 0; w < speed.size(); at += all[w++])
    of_workers.emplace_back(order.begin() + at, order.begin() + at + all[w]);
  return of_workers;
}

unsigned automatic(const Numbers &speed) {
  Numbers count(speed.size());
  return gomp_fold_auto(speed.size(), speed.data(), count.data());
}

TEST(FoldCut, TwoWorkersOfWhichOneIsTwiceAsFast) {
  EXPECT_EQ(counts(6, {1024, 512}), (Numbers{4, 2}));
  EXPECT_EQ(counts(3, {1024, 512}), (Numbers{2, 1}));
  EXPECT_EQ(counts(12, {1024, 512}), (Numbers{8, 4}));
  // 3/2 : 1/1 is better than 2/2 : 2/1.
  EXPECT_EQ(counts(4, {1024, 512}), (Numbers{3, 1}));
}

TEST(FoldCut, ASlowWorkerGetsNoneWhereItWouldEndLast) {
  EXPECT_EQ(counts(2, {1024, 300}), (Numbers{2, 0}));
  EXPECT_EQ(counts(8, {1024, 1024, 1024, 1024, 300, 300, 300, 300}),
            (Numbers{2, 2, 2, 2, 0, 0, 0, 0}));
}

TEST(FoldCut, OneEachWhereThatIsAsGood) {
  EXPECT_EQ(counts(2, {1024, 512}), (Numbers{1, 1}));
  EXPECT_EQ(counts(4, {1024, 1024, 512, 512}), (Numbers{1, 1, 1, 1}));
  EXPECT_EQ(counts(4, {512, 1024, 1024, 512}), (Numbers{1, 1, 1, 1}));
}

TEST(FoldCut, EqualWorkersGetEqualRanges) {
  EXPECT_EQ(counts(8, {1024, 1024, 1024, 1024}), (Numbers{2, 2, 2, 2}));
  EXPECT_EQ(counts(5, {7, 7}), (Numbers{3, 2}));
}

TEST(FoldSpread, TheFirstIdsAreOnDifferentWorkersTheFastOnesFirst) {
  EXPECT_EQ(spread(3, {1024, 512}), (std::vector<Numbers>{{0, 2}, {1}}));
  EXPECT_EQ(spread(6, {7, 7}), (std::vector<Numbers>{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(spread(8, {3, 3, 1, 1}), (std::vector<Numbers>{{0, 2, 6}, {1, 3, 7}, {4}, {5}}));
  EXPECT_EQ(spread(3, {1, 3}), (std::vector<Numbers>{{0}, {1, 2}}));
  EXPECT_EQ(spread(2, {1024, 300}), (std::vector<Numbers>{{0, 1}, {}}));
  // Workers that may not run.
  EXPECT_EQ(spread(4, {2, 0, 1, 0}), (std::vector<Numbers>{{0, 2, 3}, {}, {1}, {}}));
}

TEST(FoldCut, TheSlowestFirst) { EXPECT_EQ(counts(6, {512, 1024}), (Numbers{2, 4})); }

TEST(FoldCut, ThreeClasses) {
  // 1 : 2 : 4 of 7.
  EXPECT_EQ(counts(7, {256, 512, 1024}), (Numbers{1, 2, 4}));
}

TEST(FoldCut, OneWorkerAndOneId) {
  EXPECT_EQ(counts(5, {1024}), (Numbers{5}));
  EXPECT_EQ(counts(1, {300, 1024}), (Numbers{0, 1}));
}

TEST(FoldCut, NumbersNearTheLimitDoNotOverflow) {
  EXPECT_EQ(counts(3, {~0u, ~0u / 2}), (Numbers{2, 1}));
}

// Against all ways to cut, for small numbers.
TEST(FoldCut, EndsAsEarlyAsAnyCut) {
  for (unsigned ids = 1; ids <= 9; ids++)
    for (unsigned a = 1; a <= 5; a++)
      for (unsigned b = 1; b <= 5; b++)
        for (unsigned c = 1; c <= 5; c++) {
          const auto last = [&](unsigned x, unsigned y, unsigned z) {
            return std::max({double(x) / a, double(y) / b, double(z) / c});
          };
          double best = 1e9;
          for (unsigned x = 0; x <= ids; x++)
            for (unsigned y = 0; x + y <= ids; y++)
              best = std::min(best, last(x, y, ids - x - y));
          const Numbers cut = counts(ids, {a, b, c});
          ASSERT_DOUBLE_EQ(last(cut[0], cut[1], cut[2]), best)
              << ids << " ids, speeds " << a << ' ' << b << ' ' << c;
        }
}

TEST(FoldAuto, TheSmallestThatLosesLittle) {
  EXPECT_EQ(automatic({1024, 512}), 3u);               // 2 : 1
  EXPECT_EQ(automatic({3, 3, 3, 3, 1, 1, 1, 1}), 16u); // 3 : 1
  EXPECT_EQ(automatic({2, 2, 2, 2, 1, 1, 1, 1}), 12u); // 2 : 1
}

TEST(FoldAuto, WholeNumbersMeetAnOddRatio) {
  // 1024 : 93 is 11.01.
  EXPECT_EQ(automatic({1024, 93}), 12u);
}

TEST(FoldAuto, TheLeastLossWhereNoNumberLosesLittle) {
  // Without the slow worker it is 4.7 %. One id on it and 15 on the other lose 26 %.
  EXPECT_EQ(automatic({1024, 50}), 2u);
}

TEST(FoldAuto, NoneWhereOneEachIsBest) {
  EXPECT_EQ(automatic({1024}), 0u);
  EXPECT_EQ(automatic({1024, 1024}), 0u);
  EXPECT_EQ(automatic({1024, 1000}), 0u);
}

} // namespace
