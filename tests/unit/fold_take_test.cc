// SPDX-License-Identifier: GPL-3.0-or-later
// Ids of called regions taken, stolen and left, by hand.
#include <gtest/gtest.h>

#include <vector>

extern "C" {
#include "fold/fold-take.h"
}

namespace {

using Numbers = std::vector<unsigned>;
using Floats = std::vector<float>;

// A region that is dealt to workers of these speeds.
class Region {
public:
  // FIRST: as in struct gomp_fold_dealt. COSTS: by position. SLOW: 0 where nothing is known.
  Region(Numbers first, const Floats &costs, Floats slow, bool timed, float end_ns = 0)
      : first_(std::move(first)), slow_(std::move(slow)), runs_(costs.size()),
        shares_(gomp_fold_make_shares(unsigned(slow_.size()))) {
    float sum = 0;
    for (unsigned id = 0; id < costs.size(); id++) {
      order_.push_back(id);
      cost_.push_back(sum);
      sum += costs[id];
    }
    cost_.push_back(sum);
    dealt_ = {unsigned(costs.size()), order_.data(), first_.data(), slow_.data(),
              runs_.data(),           cost_.data(),  end_ns,        timed};
  }
  ~Region() { gomp_fold_free_shares(&shares_); }
  Region(const Region &) = delete;
  void operator=(const Region &) = delete;

  void order(Numbers order) {
    order_ = std::move(order);
    dealt_.order = order_.data();
  }
  void start(unsigned long long now, unsigned home = 0) {
    gomp_fold_hand_out(&shares_, &dealt_, home, now);
    gomp_fold_run_first(&shares_, home, now);
  }
  unsigned take(unsigned worker, unsigned long long now) {
    return gomp_fold_take(&shares_, worker, now);
  }
  unsigned count_in(unsigned worker, unsigned long long now) {
    return gomp_fold_count_in(&shares_.share[worker], now);
  }
  gomp_fold_shares *shares() { return &shares_; }
  const gomp_fold_id_time &run(unsigned position) const { return runs_[position]; }

private:
  Numbers order_, first_;
  Floats cost_, slow_;
  std::vector<gomp_fold_id_time> runs_;
  gomp_fold_dealt dealt_;
  gomp_fold_shares shares_;
};

TEST(FoldTake, OwnersTakeFromTheFrontAndOthersFromTheBack) {
  Region region({0, 4, 6}, Floats(6, 1), {1, 1}, false);
  region.start(100);
  EXPECT_EQ(region.take(0, 0), 1U);
  EXPECT_EQ(region.take(1, 100), 4U);
  EXPECT_EQ(region.take(1, 0), 5U);
  EXPECT_EQ(region.take(1, 0), 3U);
  EXPECT_EQ(region.take(0, 0), 2U);
  EXPECT_EQ(region.take(0, 0), GOMP_FOLD_NO_ID);
  EXPECT_EQ(region.take(1, 0), GOMP_FOLD_NO_ID);
  EXPECT_EQ(region.count_in(0, 900), 3U);
  EXPECT_EQ(region.count_in(1, 800), 3U);
  EXPECT_EQ(region.count_in(1, 801), 0U);
  EXPECT_EQ(region.shares()->share[1].first_ns, 100U);
  EXPECT_EQ(region.shares()->share[1].last_ns, 800U);
}

TEST(FoldTake, NothingWasDealt) {
  gomp_fold_shares shares = gomp_fold_make_shares(2);
  EXPECT_EQ(gomp_fold_take(&shares, 1, 5), GOMP_FOLD_NO_ID);
  EXPECT_EQ(gomp_fold_count_in(&shares.share[1], 5), 0U);
  gomp_fold_free_shares(&shares);
}

TEST(FoldTake, PositionsAreIdsByTheOrder) {
  Region region({0, 2, 4}, Floats(4, 1), {1, 1}, false);
  region.order({0, 3, 2, 1});
  region.start(1);
  EXPECT_EQ(region.take(0, 0), 3U);
  EXPECT_EQ(region.take(1, 1), 2U);
  unsigned first, end;
  gomp_fold_take_all(&region.shares()->share[1], &first, &end);
  ASSERT_EQ(first, 3U);
  ASSERT_EQ(end, 4U);
  EXPECT_EQ(gomp_fold_id_at(region.shares(), 3), 1U);
  EXPECT_EQ(region.take(0, 0), GOMP_FOLD_NO_ID);
  gomp_fold_take_all(&region.shares()->share[1], &first, &end);
  EXPECT_EQ(first, end);
}

TEST(FoldTake, HomeIsNotAlwaysTheFirstWorker) {
  Region region({0, 0, 2, 3}, Floats(3, 1), {1, 1, 1}, false);
  region.start(1, 1);
  EXPECT_EQ(region.take(0, 1), 1U);
  EXPECT_EQ(region.take(1, 0), 2U);
  EXPECT_EQ(region.take(1, 0), GOMP_FOLD_NO_ID);
  EXPECT_EQ(region.count_in(1, 2), 2U);
}

// Worker 1 would end its ids at 2 * 30, worker 2 at 3 * 10.
TEST(FoldTake, TheWorkerThatWouldEndLastIsStolenFrom) {
  Region region({0, 1, 3, 6}, Floats(6, 10), {1, 3, 1}, false);
  region.start(1);
  EXPECT_EQ(region.take(0, 1), 2U);
  // 1 * 30 and 3 * 10: of the same the first one.
  EXPECT_EQ(region.take(0, 1), 1U);
  EXPECT_EQ(region.take(0, 1), 5U);
}

TEST(FoldTake, TimesAndWorkersAreRecorded) {
  Region region({0, 1, 2}, {10, 20}, {1, 2}, true, 100);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1005), 1U);
  EXPECT_EQ(region.take(0, 1012), GOMP_FOLD_NO_ID);
  EXPECT_EQ(region.take(1, 1045), GOMP_FOLD_NO_ID);
  EXPECT_EQ(region.run(0).ns, 12);
  EXPECT_EQ(region.run(0).worker, 0U);
  EXPECT_EQ(region.run(1).ns, 40);
  EXPECT_EQ(region.run(1).worker, 1U);
}

// Ids of 100 on worker 0 and 300 on worker 1. Until worker 1 has ended one, worker 0 ends its id
// and two others.
TEST(FoldTake, ASlowWorkerLeavesWhatAFastOneEndsEarlier) {
  Region region({0, 2, 3}, Floats(3, 100), {1, 3}, true);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1000), GOMP_FOLD_LATER);
  EXPECT_EQ(region.take(0, 1100), 1U);
  // Until 1400 worker 0 would end two more after its present one.
  EXPECT_EQ(region.take(1, 1100), GOMP_FOLD_LATER);
  EXPECT_EQ(region.take(0, 1200), 2U);
  EXPECT_EQ(region.take(1, 1200), GOMP_FOLD_NO_ID);
}

TEST(FoldTake, ButNotSoManyThatTheFastOneEndsLater) {
  // Until 1300 worker 0 ends id 0, 1 and 2, and not id 3 nor the last one.
  Region region({0, 4, 5}, Floats(5, 100), {1, 3}, true);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1000), 4U);
}

TEST(FoldTake, NorIfTheFastOneIsLate) {
  Region region({0, 1, 2}, Floats(2, 100), {1, 3}, true);
  region.start(1000);
  // It ends at 1100, and could end the other one until 1200.
  EXPECT_EQ(region.take(1, 1000), GOMP_FOLD_LATER);
  // It is late by 99: it is expected to be done at 1298, and with the other one at 1398.
  EXPECT_EQ(region.take(1, 1199), GOMP_FOLD_LATER);
  // It is late by 201: at 1502 and 1602. The slow one would be done at 1601.
  EXPECT_EQ(region.take(1, 1301), 1U);
}

TEST(FoldTake, NorIfNobodyRuns) {
  Region region({0, 1, 2}, Floats(2, 100), {1, 3}, true);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1000), GOMP_FOLD_LATER);
  // Worker 0's id becomes a thread.
  EXPECT_EQ(region.count_in(0, 1050), 1U);
  EXPECT_EQ(region.take(1, 1051), 1U);
}

TEST(FoldTake, NorBeforeTheExpectedEnd) {
  Region region({0, 1, 2}, Floats(2, 100), {1, 3}, true, 310);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1010), 1U);
  Region other({0, 1, 2}, Floats(2, 100), {1, 3}, true, 310);
  other.start(1000);
  EXPECT_EQ(other.take(1, 1011), GOMP_FOLD_LATER);
}

TEST(FoldTake, NorWhatIsNotTimedNorAsTheFastest) {
  Region region({0, 1, 2}, Floats(2, 100), {1, 3}, false);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1000), 1U);
  Region equal({0, 1, 2}, Floats(2, 100), {1, 1}, true);
  equal.start(1000);
  EXPECT_EQ(equal.take(1, 1000), 1U);
}

// Nothing is known: worker 0's first id takes 100, worker 1's 400.
TEST(FoldTake, FirstIdsShowTheSpeedsWhereNothingIsKnown) {
  Region region({0, 3, 6}, Floats(6, 1), {0, 0}, true);
  region.start(1000);
  EXPECT_EQ(region.take(1, 1000), 3U);
  EXPECT_EQ(region.take(0, 1100), 1U);
  EXPECT_EQ(region.take(0, 1200), 2U);
  EXPECT_EQ(region.take(0, 1300), 5U);
  EXPECT_EQ(region.take(1, 1400), GOMP_FOLD_LATER);
  EXPECT_EQ(region.take(0, 1400), 4U);
}

// Its positions are beyond what was dealt before.
TEST(FoldTake, ALateLookAtALargerRegion) {
  Region region({0, 1, 2}, Floats(2, 100), {1, 3}, true);
  region.start(1000);
  region.shares()->share[0].word = (7000UL << GOMP_FOLD_HALF) | 7009;
  region.shares()->share[1].word = 0;
  EXPECT_EQ(region.take(1, 1001), GOMP_FOLD_LATER);
}

} // namespace
