// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of folded teams learned from times, by hand.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

extern "C" {
#include "fold/fold-ranges.h"
}

namespace {

using Numbers = std::vector<unsigned>;
using Times = std::vector<double>;

// A program whose ids do WORK at each barrier, on workers of true SPEED.
struct Program {
  Times work, speed;
  double turn = 0, least = 0;
};

class Learner {
public:
  Learner(const Times &believed, const Numbers &ranges)
      : learner_(gomp_fold_make_ranges(ranges.back(), unsigned(believed.size()), believed.data(),
                                       ranges.data()),
                 gomp_fold_free_ranges) {}

  bool learn(const Program &program) {
    Times times;
    for (size_t w = 0; w < program.speed.size(); w++)
      for (unsigned id = learner_->first[w]; id < learner_->first[w + 1]; id++)
        times.push_back(program.work[id] / program.speed[w]);
    return gomp_fold_better_ranges(learner_.get(), times.data(), program.turn, program.least);
  }

  // Batches until the ranges change, this one counted; 0 if they do not in MOST.
  int batches_to_change(const Program &program, int most) {
    for (int batch = 1; batch <= most; batch++)
      if (learn(program))
        return batch;
    return 0;
  }

  Numbers ranges() const {
    return Numbers(learner_->first, learner_->first + learner_->learner.workers + 1);
  }

  double speed(size_t worker) const { return 1 / learner_->learner.slow[worker]; }

  unsigned long batch_ns() const { return (unsigned long)learner_->learner.batch_ns; }

private:
  std::unique_ptr<gomp_fold_ranges, void (*)(gomp_fold_ranges *)> learner_;
};

TEST(FoldLearn, NothingIsKnownAndOneCoreIsThreeTimesAsFast) {
  Learner learner({1, 1}, {0, 8, 16});
  EXPECT_TRUE(learner.learn({Times(16, 10), {3, 1}}));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 12, 16}));
  EXPECT_FALSE(learner.learn({Times(16, 10), {3, 1}}));
}

TEST(FoldLearn, OneOddBatchIsNotBelieved) {
  Times odd(8, 10);
  odd[0] = 10000;
  Learner learner({1, 1}, {0, 4, 8});
  EXPECT_FALSE(learner.learn({odd, {1, 1}}));
  EXPECT_FALSE(learner.learn({Times(8, 10), {1, 1}}));
  Learner twice({1, 1}, {0, 4, 8});
  EXPECT_FALSE(twice.learn({odd, {1, 1}}));
  EXPECT_TRUE(twice.learn({odd, {1, 1}}));
}

TEST(FoldLearn, WhatIsEvenStays) {
  Learner learner({3, 1}, {0, 6, 8});
  EXPECT_FALSE(learner.learn({Times(8, 10), {3, 1}}));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 6, 8}));
}

TEST(FoldLearn, ATriangle) {
  // Of 1 + ... + 6 = 21 the fast worker can do 14 while the slow one does 7: 15 and 6 are nearest.
  Learner learner({2, 1}, {0, 4, 6});
  EXPECT_TRUE(learner.learn({{1, 2, 3, 4, 5, 6}, {2, 1}}));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 5, 6}));
}

TEST(FoldLearn, AHeavyIdIsAlone) {
  Learner learner({1.01, 1}, {0, 2, 4});
  EXPECT_TRUE(learner.learn({{9, 3, 3, 3}, {1.01, 1}}));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 1, 4}));
}

TEST(FoldLearn, NoMoreThanThreePercent) {
  // 4 and 2 ids of 100 would end at 200 instead of 204.
  Learner learner({2, 1}, {0, 4, 6});
  EXPECT_FALSE(learner.learn({{100, 100, 100, 100, 104, 100}, {2, 1}}));
  Learner other({2, 1}, {0, 3, 6});
  EXPECT_TRUE(other.learn({Times(6, 100), {2, 1}}));
}

TEST(FoldLearn, NoLessThanTheLeast) {
  // 4 and 2 ids save 100 of 300.
  Learner learner({2, 1}, {0, 3, 6});
  EXPECT_FALSE(learner.learn({Times(6, 100), {2, 1}, 0, 101}));
  EXPECT_TRUE(learner.learn({Times(6, 100), {2, 1}, 0, 99}));
}

TEST(FoldLearn, HandOversCount) {
  // Without them 4 and 2 ids are even. With 10 for each id the fast worker ends at 45, so 3 and 3,
  // which end at 37.5 and 45, are no better; with 100 each 3 and 3 are: 315 instead of 420.
  Learner learner({2, 1}, {0, 4, 6});
  EXPECT_FALSE(learner.learn({Times(6, 10), {2, 1}, 10}));
  EXPECT_TRUE(learner.learn({Times(6, 10), {2, 1}, 100}));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 3, 6}));
}

// A boundary is crossed by one id, which tells that the fast core is not as fast as was believed.
// By what is believed that lasts 90 instead of 70, and 1 % of 29 batches of 70 is 20.3.
TEST(FoldLearn, WrongSpeedsAreFoundOut) {
  const Program program = {Times(8, 30), {3, 1}};
  Learner learner({6, 1}, {0, 7, 8});
  EXPECT_EQ(learner.batches_to_change(program, 100), 29);
  EXPECT_EQ(learner.ranges(), (Numbers{0, 6, 8}));
  EXPECT_FALSE(learner.learn(program));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 6, 8}));
  EXPECT_NEAR(learner.speed(1) / learner.speed(0), 1 / 3., .06);
}

// The same with four cores of each class. An id that crossed the boundary between them is believed
// for all slow cores, though the ids of the others take as long as before.
TEST(FoldLearn, OneCrossedIdCorrectsAllCoresBehindIt) {
  const Program program = {Times(32, 30), {3, 3, 3, 3, 1, 1, 1, 1}};
  Learner learner({5, 5, 5, 5, 1, 1, 1, 1}, {0, 7, 14, 21, 28, 29, 30, 31, 32});
  ASSERT_NE(learner.batches_to_change(program, 100), 0);
  EXPECT_EQ(learner.ranges(), (Numbers{0, 7, 14, 21, 27, 29, 30, 31, 32}));
  EXPECT_TRUE(learner.learn(program));
  EXPECT_EQ(learner.ranges(), (Numbers{0, 6, 12, 18, 24, 26, 28, 30, 32}));
}

TEST(FoldLearn, AnIdleWorkerIsTriedSeldom) {
  // Believed to be too slow for any of three ids; it is not. To try it would last 25 instead of 15.
  Learner wrong({5, 1}, {0, 3, 3});
  EXPECT_EQ(wrong.batches_to_change({Times(3, 10), {2, 1}}, 100), 67);
  EXPECT_EQ(wrong.ranges(), (Numbers{0, 2, 3}));
  EXPECT_FALSE(wrong.learn({Times(3, 10), {2, 1}}));
  EXPECT_EQ(wrong.ranges(), (Numbers{0, 2, 3}));
  // It is.
  Learner right({5, 1}, {0, 3, 3});
  EXPECT_EQ(right.batches_to_change({Times(3, 10), {5, 1}}, 100), 67);
  EXPECT_TRUE(right.learn({Times(3, 10), {5, 1}}));
  EXPECT_EQ(right.ranges(), (Numbers{0, 3, 3}));
  int moves = 0;
  for (int batch = 0; batch < 1000; batch++)
    moves += right.learn({Times(3, 10), {5, 1}});
  EXPECT_LE(moves, 2 * 5);
  EXPECT_EQ(right.ranges(), (Numbers{0, 3, 3}));
  // It is not any more.
  for (int batch = 0; batch < 2000; batch++)
    right.learn({Times(3, 10), {2, 1}});
  EXPECT_EQ(right.ranges(), (Numbers{0, 2, 3}));
}

TEST(FoldLearn, ACoreThatSomebodyElseUsesHasFewer) {
  const Times work(12, 10);
  Learner learner({1, 1, 1, 1.01}, {0, 3, 6, 9, 12});
  EXPECT_FALSE(learner.learn({work, {1, 1, 1, 1}}));
  for (int batch = 0; batch < 6; batch++)
    learner.learn({work, {1, 1, .5, 1}});
  const Numbers ranges = learner.ranges();
  EXPECT_LE(ranges[3] - ranges[2], 2u);
  // And gets them back, when boundaries are probed again.
  for (int batch = 0; batch < 70; batch++)
    learner.learn({work, {1, 1, 1, 1}});
  EXPECT_EQ(learner.ranges(), (Numbers{0, 3, 6, 9, 12}));
}

TEST(FoldLearn, NoTimesAtAll) {
  Learner learner({2, 1}, {0, 4, 6});
  EXPECT_FALSE(learner.learn({Times(6, 0), {2, 1}}));
  Learner unknown({1, 1}, {0, 3, 6});
  EXPECT_FALSE(unknown.learn({Times(6, 0), {2, 1}}));
  EXPECT_EQ(unknown.ranges(), (Numbers{0, 3, 6}));
}

TEST(FoldLearn, BatchesGrow) {
  Learner told({2, 1}, {0, 4, 6}), unknown({1, 1}, {0, 3, 6});
  EXPECT_EQ(told.batch_ns(), GOMP_FOLD_FIRST_BATCH_NS + 0ul);
  unsigned long total = 0;
  EXPECT_LT(unknown.batch_ns(), GOMP_FOLD_FIRST_BATCH_NS + 0ul);
  for (int batch = 0; batch < 7; batch++) {
    total += unknown.batch_ns();
    unknown.learn({Times(6, 10), {1, 1}});
  }
  EXPECT_LE(total, 30000000u);
  EXPECT_EQ(unknown.batch_ns(), GOMP_FOLD_LONGEST_BATCH_NS + 0ul);
  unknown.learn({Times(6, 10), {1, 1}});
  EXPECT_EQ(unknown.batch_ns(), GOMP_FOLD_LONGEST_BATCH_NS + 0ul);
}

} // namespace
