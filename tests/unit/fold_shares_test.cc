// SPDX-License-Identifier: GPL-3.0-or-later
// How called regions are dealt by what their runs took, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include "fold/fold-shares.h"
}

namespace {

using Numbers = std::vector<unsigned>;
using Times = std::vector<double>;

// A region whose ids do WORK, on workers of true SPEED. CLOCK: what an id takes longer if it is
// timed. APART: what it takes longer if others than the initial thread run ids. LATE: how much
// later the region ends if the last worker runs ids.
struct Program {
  Times work, speed;
  unsigned long long publish = 0, wake = 0, arrive = 0, clock = 0, apart = 0, late = 0;
};

class Deal {
public:
  Deal(unsigned ids, const Times &speed, unsigned home = 0)
      : home_(home), shares_(gomp_fold_make_shares(unsigned(speed.size()))),
        deal_(gomp_fold_make_deal(ids, unsigned(speed.size()), home, speed.data()),
              gomp_fold_free_deal) {}
  ~Deal() { gomp_fold_free_shares(&shares_); }
  Deal(const Deal &) = delete;
  void operator=(const Deal &) = delete;

  const gomp_fold_deal *operator->() const { return deal_.get(); }

  Numbers counts() const {
    Numbers counts;
    for (unsigned w = 0; w < deal_->workers; w++)
      counts.push_back(deal_->dealt.first[w + 1] - deal_->dealt.first[w]);
    return counts;
  }
  Numbers order() const { return {deal_->dealt.order, deal_->dealt.order + deal_->ids}; }

  // A run in which each worker runs its own ids. Returns how long it takes.
  unsigned long long run(const Program &program) {
    const bool measured = gomp_fold_measured(deal_.get());
    const unsigned long long begin = clock_;
    gomp_fold_hand_out(&shares_, &deal_->dealt, home_, begin);
    const bool alone = deal_->woken == 1;
    unsigned long long last = 0;
    for (unsigned w = 0; w < deal_->workers; w++) {
      gomp_fold_share &share = shares_.share[w];
      const unsigned first = deal_->dealt.first[w], end = deal_->dealt.first[w + 1];
      unsigned long long now = begin;
      if (!alone)
        now += w == home_ ? program.publish : program.wake;
      if (w == home_)
        gomp_fold_run_first(&shares_, home_, now);
      for (unsigned at = first; at < end; at++) {
        if (at > first || w != home_)
          gomp_fold_take(&shares_, w, now);
        now += (unsigned long long)(program.work[deal_->dealt.order[at]] / program.speed[w]) +
               (deal_->dealt.timed ? program.clock : 0) + (alone ? 0 : program.apart);
      }
      // It notes the time of the last one, and takes nothing.
      if (first < end) {
        std::vector<unsigned long> words;
        for (unsigned v = 0; v < deal_->workers; v++) {
          words.push_back(shares_.share[v].word);
          shares_.share[v].word = 0;
        }
        gomp_fold_take(&shares_, w, now);
        for (unsigned v = 0; v < deal_->workers; v++)
          shares_.share[v].word = words[v];
        gomp_fold_count_in(&share, now);
        last = std::max(last, now);
      }
    }
    const unsigned long long end =
        last + (alone ? 0 : program.arrive) + (counts().back() == 0 ? 0 : program.late);
    if (measured)
      gomp_fold_note(deal_.get(), &shares_, begin, end);
    clock_ = end + 1000;
    return end - begin;
  }
  void run(const Program &program, int times) {
    while (times-- > 0)
      run(program);
  }

private:
  unsigned home_;
  gomp_fold_shares shares_;
  std::unique_ptr<gomp_fold_deal, void (*)(gomp_fold_deal *)> deal_;
  unsigned long long clock_ = 1000000;
};

TEST(FoldShares, AtFirstBySpeed) {
  EXPECT_EQ(Deal(6, {2, 1}).counts(), (Numbers{4, 2}));
  EXPECT_EQ(Deal(6, {1, 1, 1}).counts(), (Numbers{2, 2, 2}));
  EXPECT_EQ(Deal(7, {1, 2, 4}).counts(), (Numbers{1, 2, 4}));
  // The initial thread has one even if others would end it earlier.
  EXPECT_EQ(Deal(2, {1, 9}).counts(), (Numbers{1, 1}));
  EXPECT_EQ(Deal(4, {1, 9, 9}, 1).counts(), (Numbers{0, 2, 2}));
  EXPECT_EQ(Deal(1, {1, 9}).counts(), (Numbers{1, 0}));
  EXPECT_EQ(Deal(3, {1}).counts(), (Numbers{3}));
  EXPECT_TRUE(Deal(6, {2, 1})->next_timed);
  // As good as alone: then each has one, as the costs of ids are not known.
  EXPECT_EQ(Deal(2, {2.05, 1}).counts(), (Numbers{1, 1}));
  EXPECT_EQ(Deal(2, {2.2, 1}).counts(), (Numbers{2, 0}));
}

TEST(FoldShares, TheInitialThreadAlwaysHasIdZero) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> tenfold(1, 10);
  for (int i = 0; i < 3000; i++) {
    const unsigned ids = 2 + random() % 11, workers = 2 + random() % 3;
    const unsigned home = random() % (workers - 1);
    Program program;
    program.publish = random() % 3 * 100;
    program.wake = random() % 3 * 1000;
    for (unsigned w = 0; w < workers; w++)
      program.speed.push_back(tenfold(random));
    for (unsigned id = 0; id < ids; id++)
      program.work.push_back(1000 * tenfold(random));
    // With much more of it than the rest it ends last.
    program.work[0] *= tenfold(random);
    Deal deal(ids, i % 2 ? program.speed : Times(workers, 1), home);
    for (int run = 0; run < 20; run++) {
      ASSERT_EQ(deal->dealt.first[home], 0u) << i << ", run " << run;
      ASSERT_GE(deal->dealt.first[home + 1], 1u) << i << ", run " << run;
      ASSERT_EQ(deal.order()[0], 0u) << i << ", run " << run;
      deal.run(program);
    }
  }
}

TEST(FoldShares, WrongOrNoSpeedsAreCorrected) {
  const Program program = {Times(8, 30000), {3, 1}};
  // Nothing told: the first run shows it.
  Deal unknown(8, {1, 1});
  EXPECT_EQ(unknown.counts(), (Numbers{4, 4}));
  unknown.run(program);
  EXPECT_EQ(unknown.counts(), (Numbers{6, 2}));
  // Believed to be six times as fast: the ids that move show it.
  Deal wrong(8, {6, 1});
  EXPECT_EQ(wrong.counts(), (Numbers{7, 1}));
  wrong.run(program, 200);
  EXPECT_EQ(wrong.counts(), (Numbers{6, 2}));
}

TEST(FoldShares, NeighboursStayTogetherWhereThatIsAsGood) {
  // Two and one end at 30000, and so do the heaviest one and the rest.
  Deal deal(3, {1.01, 1});
  deal.run({{10000, 20000, 30000}, {1.01, 1}});
  EXPECT_EQ(deal.order(), (Numbers{0, 1, 2}));
  EXPECT_EQ(deal.counts(), (Numbers{2, 1}));
  // 51000 in order, and else 50000, which is 2 % less.
  Deal other(4, {1.001, 1});
  other.run({{21000, 30000, 20000, 29000}, {1.001, 1}});
  EXPECT_EQ(other.order(), (Numbers{0, 1, 2, 3}));
}

TEST(FoldShares, HeavyIdsGoToTheFastWorkerFirst) {
  // In order the fast worker ends at 40000. With ids 0 and 3 it ends at 30000, and so does the slow
  // one with the others.
  Deal deal(5, {2, 1});
  deal.run({{10000, 10000, 10000, 50000, 10000}, {2, 1}});
  EXPECT_EQ(deal.counts(), (Numbers{2, 3}));
  EXPECT_EQ(deal.order(), (Numbers{0, 3, 1, 2, 4}));
}

TEST(FoldShares, ASlowWorkerWithoutAnIdIsNotWoken) {
  Deal deal(3, {5, 5, 1});
  EXPECT_EQ(deal.counts(), (Numbers{2, 1, 0}));
  EXPECT_EQ(deal->woken, 2U);
}

TEST(FoldShares, WorkersThatComeLateGetLess) {
  // Each id takes 2000. Worker 1 comes 8000 late: 10 ids end at 14000 with 7 and 3.
  Deal deal(10, {1, 1});
  const Program program = {Times(10, 2000), {1, 1}, 0, 8000, 500};
  EXPECT_EQ(deal.run(program), 18500U);
  deal.run(program, 5);
  EXPECT_EQ(deal.counts(), (Numbers{7, 3}));
  EXPECT_DOUBLE_EQ(deal->wake_ns, 8000);
  EXPECT_DOUBLE_EQ(deal->arrive_ns, 500);
}

// It still asked for ids of the last region, and read the clock before this one began.
TEST(FoldShares, AWorkerThatComesTooEarlyIsNotLate) {
  Deal deal(4, {1, 1});
  const unsigned long long none = 0;
  for (int run = 0; run < 20; run++) {
    deal.run({Times(4, 50000), {1, 1}, 0, none - 100, 0});
    EXPECT_EQ(deal.counts(), (Numbers{2, 2})) << run;
  }
}

TEST(FoldShares, TheEndIsNotBeforeIdZeroEnds) {
  Deal deal(3, {2, 1});
  deal.run({{3000000, 1000, 1000}, {2, 1}});
  EXPECT_EQ(deal->woken, 2U);
  EXPECT_NEAR(deal->dealt.end_ns, 1500000, 15000);
}

TEST(FoldShares, AloneWhereWakingAndMeetingCostMore) {
  // 8000 alone. Together it would be 1000 + 4 * 1000 at least, and with 2500 to meet 8500.
  const Program program = {Times(8, 1000), {1, 1}, 1000, 2500, 2500};
  Deal deal(8, {1, 1});
  deal.run(program, 6);
  EXPECT_EQ(deal.counts(), (Numbers{8, 0}));
  EXPECT_EQ(deal->woken, 1U);
  EXPECT_EQ(deal.run(program), 8000U);
  // Twelve times the work.
  deal.run({Times(8, 12000), {1, 1}, 1000, 2500, 2500}, 500);
  EXPECT_EQ(deal.counts(), (Numbers{4, 4}));
}

// The initial thread alone needs 180 ns, 700 if the run is timed, and both together 430. So what
// counts is how long runs took that are not timed.
TEST(FoldShares, AloneWhereTheClockTakesLongerThanIds) {
  for (const unsigned long long wake : {0, 20, 60, 100, 200})
    for (const Times &told : {Times{1, 1}, Times{2, 1}}) {
      const Program program = {Times(12, 15), told, 50, wake, 80, 45, 35};
      Deal deal(12, told);
      deal.run(program, 20000);
      int together = 0;
      for (int run = 0; run < 20000; run++) {
        together += deal->woken > 1;
        deal.run(program);
      }
      EXPECT_LT(together, 20000 / 50) << "woken after " << wake;
    }
}

// Where both together are faster they stay so: to try the initial thread alone costs little.
TEST(FoldShares, TogetherWhereThatIsFaster) {
  const Program program = {Times(12, 600), {1, 1}, 50, 200, 100, 45, 0};
  Deal deal(12, {1, 1});
  deal.run(program, 20000);
  int alone = 0;
  for (int run = 0; run < 20000; run++) {
    alone += deal->woken == 1;
    deal.run(program);
  }
  EXPECT_LT(alone, 20000 / 100);
}

// All need 9 us and the end; the fast ones alone need 12 us, which only a trial shows.
TEST(FoldShares, FastWorkersOnlyWhereTheOthersEndTheRegionLate) {
  Program program{Times(8, 9000), {3, 3, 1, 1}};
  program.late = 6000;
  Deal deal(8, {3, 3, 1, 1});
  EXPECT_EQ(deal.counts(), (Numbers{3, 3, 1, 1}));
  deal.run(program, 10000);
  EXPECT_EQ(deal.counts(), (Numbers{4, 4, 0, 0}));
  // All are tried again after a while.
  program.late = 0;
  deal.run(program, 10000);
  EXPECT_EQ(deal.counts(), (Numbers{3, 3, 1, 1}));
}

// The same in runs that are too long for it to matter.
TEST(FoldShares, AllWorkersInLongRuns) {
  const Program program{Times(8, 900000), {3, 3, 1, 1}};
  Deal deal(8, {3, 3, 1, 1});
  for (int run = 0; run < 1000; run++) {
    deal.run(program);
    ASSERT_EQ(deal.counts(), (Numbers{3, 3, 1, 1})) << run;
  }
}

TEST(FoldShares, TheFirstRunCountsForNoWaits) {
  Deal deal(8, {1, 1});
  deal.run({Times(8, 1000), {1, 1}, 3000, 30000, 500});
  deal.run({Times(8, 1000), {1, 1}, 100, 500, 500}, 5);
  EXPECT_EQ(deal.counts(), (Numbers{4, 4}));
}

TEST(FoldShares, TriedAgainAfterAWhile) {
  // Of the shorter runs one of 16 is measured.
  for (const double work : {1000., 500.}) {
    // The others sleep at first.
    Deal deal(8, {1, 1});
    deal.run({Times(8, work), {1, 1}, 3000, 30000, 500}, 6);
    EXPECT_EQ(deal->woken, 1U);
    const Program awake = {Times(8, work), {1, 1}, 100, 500, 500};
    deal.run(awake, 100);
    EXPECT_EQ(deal->woken, 1U);
    deal.run(awake, 16000);
    EXPECT_EQ(deal.counts(), (Numbers{4, 4})) << work;
  }
}

// A dynamic loop: whichever ids come first have all of its work.
TEST(FoldShares, OthersAreTriedWhereIdZeroHadAllWork) {
  Deal deal(3, {1, 1});
  int together = 0;
  for (int run = 0; run < 3000; run++) {
    deal.run(deal->woken == 1 ? Program{{300000, 0, 0}, {1, 1}}
                              : Program{{100000, 50000, 150000}, {1, 1}});
    together += run >= 2000 && deal->woken > 1;
  }
  EXPECT_GT(together, 900);
}

TEST(FoldShares, TrialsCostLittle) {
  const Program asleep = {Times(8, 1e5), {1, 1}, 2000000, 30000000, 500};
  Deal deal(8, {1, 1});
  deal.run(asleep, 6);
  double spent = 0;
  for (int run = 0; run < 40000; run++)
    spent += double(deal.run(asleep));
  EXPECT_LE(spent, 40000 * 8e5 * 1.02);
  // There are some.
  EXPECT_GE(spent, 40000 * 8e5 * 1.001);
}

TEST(FoldShares, AnIdleWorkerIsTriedAgain) {
  // Another program has had worker 1 for some runs.
  Deal deal(4, {1, 1});
  deal.run({Times(4, 100000), {1, .05}}, 20);
  EXPECT_EQ(deal.counts(), (Numbers{4, 0}));
  deal.run({Times(4, 100000), {1, 1}}, 4000);
  EXPECT_EQ(deal.counts(), (Numbers{2, 2}));
}

// As in john: while it tests itself id 0 has all work, and the times of the others are noise.
TEST(FoldShares, TrivialIdsSayNothingOfSpeeds) {
  Deal deal(3, {2, 1});
  for (int run = 0; run < 300; run++) {
    const double noise = run % 2 ? 400 : 100;
    deal.run({{1000000, noise, noise}, {2, 1}});
  }
  EXPECT_NEAR(deal->learner.slow[1], 2, .1);
  deal.run({Times(3, 1000000), {2, 1}}, 80);
  EXPECT_EQ(deal.counts(), (Numbers{2, 1}));
}

TEST(FoldShares, ShortIdsAreTimedNowAndThen) {
  Deal deal(8, {1, 1});
  const Program program = {Times(8, 900), {1, 1}, 0, 0, 0};
  deal.run(program, 5);
  int timed = 0;
  for (int run = 0; run < 160; run++) {
    deal.run(program);
    timed += deal->dealt.timed;
  }
  EXPECT_GE(timed, 8);
  EXPECT_LE(timed, 20);
  Deal other(8, {1, 1});
  const Program longer = {Times(8, 1100), {1, 1}, 0, 0, 0};
  for (int run = 0; run < 50; run++) {
    other.run(longer);
    EXPECT_TRUE(other->dealt.timed) << run;
  }
}

TEST(FoldShares, FewOfTheShortestRunsAreMeasured) {
  gomp_fold_deal *deal = nullptr;
  const double speed[] = {1, 1};
  deal = gomp_fold_make_deal(1, 2, 0, speed);
  ASSERT_NE(deal, nullptr);
  gomp_fold_shares shares = gomp_fold_make_shares(2);
  int measured = 0;
  unsigned long long now = 1000;
  for (int run = 0; run < 1600; run++) {
    const bool m = gomp_fold_measured(deal);
    measured += m;
    gomp_fold_hand_out(&shares, &deal->dealt, 0, m ? now : 0);
    EXPECT_TRUE(m || !deal->dealt.timed);
    gomp_fold_run_first(&shares, 0, m ? now : 0);
    EXPECT_EQ(gomp_fold_take(&shares, 0, m ? now + 100 : 0), GOMP_FOLD_NO_ID);
    EXPECT_EQ(gomp_fold_count_in(&shares.share[0], m ? now + 100 : 0), 1U);
    if (m)
      gomp_fold_note(deal, &shares, now, now + 120);
    now += 200;
  }
  // One of 16, and those of the first batch that is a trial.
  EXPECT_EQ(measured, 104);
  gomp_fold_free_shares(&shares);
  gomp_fold_free_deal(deal);
}

} // namespace
