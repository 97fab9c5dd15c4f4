// SPDX-License-Identifier: GPL-3.0-or-later
// What pools know of called regions (libgomp/amp/fold/fold-known.h). Addresses in the test's code
// stand for regions.
extern "C" {
#include "fold/fold-follow.h"
#include "fold/fold-known.h"
#include "fold/fold-move.h"
#include "options/options.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

// As fold-move.c's: workers that are equally fast.
extern "C" double *gomp_fold_known_speeds(const gomp_fold_pool *, unsigned workers,
                                          const struct gomp_fold_allowed *) {
  auto *speed = static_cast<double *>(std::malloc(workers * sizeof(double)));
  std::fill(speed, speed + workers, 1);
  return speed;
}

namespace {

// Each test has regions of its own: they are never forgotten.
template <int> void region(void *) {}

// A pool with a team of IDS ids on WORKERS workers.
struct Pool {
  explicit Pool(unsigned ids = 6, unsigned workers = 2) {
    team.ids = ids;
    team.workers = workers;
    team.allowed = &allowed;
  }
  ~Pool() { gomp_fold_free_knowns(&knowns); }
  Pool(const Pool &) = delete;
  void operator=(const Pool &) = delete;

  gomp_fold_known *find(gomp_fold_region_fn fn) {
    return gomp_fold_find_known(&knowns, fn, team.ids, &team);
  }
  gomp_fold_deal *take(gomp_fold_region_fn fn) {
    return gomp_fold_take_deal(&fold, find(fn), &team);
  }
  size_t longest_list() const {
    size_t longest = 0;
    for (unsigned i = 0; i < 1U << knowns.bits; i++) {
      size_t length = 0;
      for (const gomp_fold_known *known = knowns.list[i]; known; known = known->next)
        length++;
      longest = std::max(longest, length);
    }
    return longest;
  }

  static struct gomp_fold_allowed allowed, others;
  gomp_fold_pool fold = {};
  gomp_fold_team team = {};
  gomp_fold_knowns knowns = {};
};
struct gomp_fold_allowed Pool::allowed, Pool::others;

struct FoldKnown : testing::Test {
  void SetUp() override { gomp_amp_options.fold_calls = GOMP_AMP_CALLS_ALL; }
  void TearDown() override { gomp_amp_options.fold_calls = GOMP_AMP_CALLS_AUTO; }
};

TEST_F(FoldKnown, PoolsShareASite) {
  Pool one, other;
  EXPECT_NE(one.find(region<0>), other.find(region<0>));
  gomp_fold_deal *const deal = one.take(region<0>);
  ASSERT_NE(deal, nullptr);
  gomp_fold_give_deal(deal);
  EXPECT_EQ(other.take(region<0>), deal);
  gomp_fold_give_deal(deal);
  EXPECT_EQ(one.take(region<0>), deal);
  gomp_fold_give_deal(deal);
}

TEST_F(FoldKnown, NotAtTheSameTime) {
  Pool one, other, third;
  gomp_fold_deal *const deal = one.take(region<1>), *const second = other.take(region<1>);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, deal);
  gomp_fold_give_deal(deal);
  // Each keeps its own, and the third has the one that is not taken.
  EXPECT_EQ(third.take(region<1>), deal);
  gomp_fold_give_deal(second);
  EXPECT_EQ(other.take(region<1>), second);
}

TEST_F(FoldKnown, NotWithOtherNumbers) {
  Pool one, ids(5), workers(6, 3);
  gomp_fold_deal *const deal = one.take(region<2>);
  gomp_fold_give_deal(deal);
  EXPECT_NE(ids.take(region<2>), deal);
  EXPECT_NE(workers.take(region<2>), deal);
  one.team.home = 1;
  EXPECT_NE(one.take(region<2>), deal);
}

TEST_F(FoldKnown, AnotherSetOfWorkersStartsASiteAnew) {
  Pool one, other;
  gomp_fold_deal *deal = one.take(region<3>);
  const std::vector<unsigned> first(deal->dealt.first, deal->dealt.first + 3);
  deal->learner.known = true;
  deal->phase = GOMP_FOLD_TRIAL;
  deal->woken = 1;
  deal->dealt.first[1] = 6;
  gomp_fold_give_deal(deal);
  EXPECT_EQ(other.take(region<3>), deal);
  EXPECT_TRUE(deal->learner.known);
  gomp_fold_give_deal(deal);
  other.team.allowed = &Pool::others;
  EXPECT_EQ(other.take(region<3>), deal);
  EXPECT_FALSE(deal->learner.known);
  EXPECT_EQ(deal->phase, GOMP_FOLD_STEADY);
  EXPECT_EQ(deal->woken, 2U);
  EXPECT_EQ(std::vector<unsigned>(deal->dealt.first, deal->dealt.first + 3), first);
}

TEST_F(FoldKnown, ARegionThatRanWithMoreIdsHasRun) {
  Pool pool;
  pool.find(region<4>)->ran = true;
  pool.team.ids = 5;
  EXPECT_TRUE(pool.find(region<4>)->ran);
  pool.team.ids = 7;
  EXPECT_FALSE(pool.find(region<4>)->ran);
}

// To find a region, or that there is no room for it, takes as long however many there are.
TEST_F(FoldKnown, ManyRegionsAreFoundAtOnceAndAreBounded) {
  static char code[4 << 20];
  const auto fn = [](size_t i) { return reinterpret_cast<gomp_fold_region_fn>(code + 16 * i); };
  std::vector<gomp_fold_deal *> deals;
  size_t bytes = 0, known = 0;
  {
    Pool pool(64, 8);
    for (size_t i = 0; i < 20000; i++) {
      if (!pool.find(fn(i)))
        continue;
      known++;
      if (gomp_fold_deal *const deal = pool.take(fn(i))) {
        deals.push_back(deal);
        bytes += gomp_fold_deal_size(64, 8);
      }
    }
    EXPECT_GT(deals.size(), 1000U);
    EXPECT_LE(bytes + known * sizeof(gomp_fold_known), GOMP_FOLD_MOST_KNOWN);
    EXPECT_LT(known, 20000U);
    EXPECT_LT(pool.longest_list(), 16U);
    EXPECT_EQ(pool.find(fn(19999)), nullptr);
  }
  // A pool that has ended leaves its room, but not that of the deals.
  Pool pool(64, 8);
  EXPECT_NE(pool.find(fn(19999)), nullptr);
  for (gomp_fold_deal *deal : deals)
    gomp_fold_give_deal(deal);
  EXPECT_EQ(pool.take(fn(0)), deals[0]);
}

} // namespace
