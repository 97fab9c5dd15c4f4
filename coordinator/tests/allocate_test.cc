// SPDX-License-Identifier: GPL-3.0-or-later
// Allocations of cores to malleable applications: the optimum where there is one, validity always.
#include "model/concave.h"
#include "tests/instances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace coord {
namespace {

std::unique_ptr<Throughput> amdahl(std::mt19937_64 &random, std::size_t classes) {
  std::vector<double> factors{1};
  while (factors.size() < classes)
    factors.push_back(factors.back() * uniform(random, 1, 2.5));
  return std::make_unique<AmdahlThroughput>(factors, uniform(random, 0, 0.5));
}

void expect_valid(const Instance &instance, const Allocation &allocation) {
  ASSERT_EQ(allocation.size(), instance.demands.size());
  Counts used{};
  for (std::size_t i = 0; i < allocation.size(); i++) {
    EXPECT_LE(total(allocation[i]), std::max(instance.demands[i].most, 0));
    for (int c = 0; c < kMaxClasses; c++) {
      EXPECT_GE(allocation[i][c], 0);
      used[c] += allocation[i][c];
    }
  }
  for (std::size_t c = 0; c < kMaxClasses; c++)
    EXPECT_LE(used[c], c < instance.cores.size() ? instance.cores[c] : 0) << "class " << c;
}

double worth(const Instance &instance, const Allocation &allocation) {
  return value(instance.cores, instance.demands, allocation);
}

// Our counterexample to paper 003's theorem, with one big and one little core.
TEST(Allocate, GreedyIsNotOptimalWhereThreadsBind) {
  Instance x;
  x.cores = {1, 1};
  x.add(std::make_unique<TableThroughput>(std::vector{1, 1}, std::vector<double>{0, 10, 9, 19}), 1);
  x.add(std::make_unique<TableThroughput>(std::vector{1, 1}, std::vector<double>{0, 9, 1, 10}), 1);
  EXPECT_EQ(worth(x, a_greedy(x.cores, x.demands)), 11);
  EXPECT_EQ(worth(x, a_exact(x.cores, x.demands)), 18);
  EXPECT_EQ(worth(x, optimum(x.cores, x.demands)), 18);
}

TEST(Allocate, ExactIsTheOptimumOfSeparableConcaveTables) {
  std::mt19937_64 random(1);
  int greedy_behind = 0;
  for (int round = 0; round < 10'000; round++) {
    Instance x;
    x.cores = random_cores(random, 64);
    const int apps = between(random, 1, 5), all = std::reduce(x.cores.begin(), x.cores.end());
    for (int i = 0; i < apps; i++)
      x.add(separable(random, x.cores), between(random, 0, all + 1), between(random, 1, 3));
    const double best = worth(x, optimum(x.cores, x.demands));
    const Allocation exact = a_exact(x.cores, x.demands);
    expect_valid(x, exact);
    ASSERT_NEAR(worth(x, exact), best, 1e-9) << "round " << round;
    greedy_behind += worth(x, a_greedy(x.cores, x.demands)) < best - 1e-9;
  }
  EXPECT_GT(greedy_behind, 0);
}

TEST(Allocate, GreedyIsTheOptimumWhereThreadsDoNotBind) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 1000; round++) {
    Instance x;
    x.cores = random_cores(random, 64);
    const int all = std::reduce(x.cores.begin(), x.cores.end());
    for (int i = between(random, 1, 5); i > 0; i--)
      x.add(separable(random, x.cores), all);
    ASSERT_NEAR(worth(x, a_greedy(x.cores, x.demands)), worth(x, optimum(x.cores, x.demands)),
                1e-9);
  }
}

// AID's throughput is not separable.
TEST(Allocate, ExactIsNearTheOptimumOfAmdahlsLaw) {
  std::mt19937_64 random(3);
  double sum = 0, worst = 1;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; round++) {
    Instance x;
    x.cores = {4, 4};
    for (int i = between(random, 2, 5); i > 0; i--) {
      auto p = amdahl(random, 2);
      const double alone = p->at(x.cores);
      x.add(std::move(p), 8, 1 / alone);
    }
    const double ratio =
        worth(x, a_exact(x.cores, x.demands)) / worth(x, optimum(x.cores, x.demands));
    sum += ratio;
    worst = std::min(worst, ratio);
    ASSERT_LE(ratio, 1 + 1e-12);
  }
  EXPECT_GT(sum / kRounds, 0.998);
  EXPECT_GT(worst, 0.95);
}

TEST(Allocate, AllAreValidOnNonsense) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 3000; round++) {
    Instance x;
    x.cores = random_cores(random, 200);
    std::vector<double> capacity;
    for (std::size_t c = 0; c < x.cores.size(); c++)
      capacity.push_back(uniform(random, 0.5, 4));
    for (int i = between(random, 0, 12); i > 0; i--) {
      const int kind = between(random, 0, 3);
      std::vector<int> small(x.cores.size(), 1), none(x.cores.size(), 0);
      auto p = kind == 0   ? arbitrary(random, x.cores)
               : kind == 1 ? arbitrary(random, small)
               : kind == 2 ? amdahl(random, x.cores.size())
                           : arbitrary(random, none);
      x.add(std::move(p), between(random, 0, 30), uniform(random, 0.01, 100));
    }
    expect_valid(x, a_greedy(x.cores, x.demands));
    expect_valid(x, a_exact(x.cores, x.demands));
    expect_valid(x, equi(x.cores, x.demands));
    expect_valid(x, mts_like(x.cores, x.demands));
    expect_valid(x, share(x.cores, x.demands, capacity));
    if (x.demands.size() < 4)
      expect_valid(x, optimum(x.cores, x.demands));
  }
}

TEST(Allocate, EqualPartitionDealsEachClassInTurn) {
  std::mt19937_64 random(5);
  Instance x;
  x.cores = {4, 4};
  for (int i = 0; i < 3; i++)
    x.add(amdahl(random, 2), 8);
  const Allocation got = equi(x.cores, x.demands);
  EXPECT_EQ(got[0], (Counts{1, 2}));
  EXPECT_EQ(got[1], (Counts{2, 1}));
  EXPECT_EQ(got[2], (Counts{1, 1}));
}

TEST(Allocate, MtsGivesTheFastestApplicationAllItCanUse) {
  Instance x;
  x.cores = {2, 2};
  x.add(std::make_unique<AmdahlThroughput>(std::vector<double>{1, 2}, 0.0), 3);
  x.add(std::make_unique<AmdahlThroughput>(std::vector<double>{1, 3}, 0.0), 3);
  const Allocation got = mts_like(x.cores, x.demands);
  EXPECT_EQ(got[1], (Counts{0, 2}));
  EXPECT_EQ(got[0], (Counts{2, 0}));
}

// Two equal halves, then the big cores go to the one that gains by them.
TEST(Allocate, ShareSwapsWithinItsFloor) {
  Instance x;
  x.cores = {4, 4};
  const std::vector<double> capacity{1, 3};
  x.add(std::make_unique<AmdahlThroughput>(std::vector<double>{1, 1.2}, 0.0), 8);
  x.add(std::make_unique<AmdahlThroughput>(std::vector<double>{1, 4}, 0.0), 8);
  const Allocation equal = share(x.cores, x.demands, capacity, 1, 0.85);
  EXPECT_EQ(equal[0], (Counts{2, 2}));
  EXPECT_EQ(equal[1], (Counts{2, 2}));
  const Allocation shared = share(x.cores, x.demands, capacity);
  EXPECT_GT(shared[1][1], 2);
  for (int i = 0; i < 2; i++)
    EXPECT_GE(at(x.demands[i], shared[i], 2), 0.85 * 0.5 * x.demands[i].p->at(x.cores));
  // More than this would take too much from the first.
  x.throughputs[0] = std::make_unique<AmdahlThroughput>(std::vector<double>{1, 2}, 0.0);
  x.demands[0].p = x.throughputs[0].get();
  EXPECT_EQ(share(x.cores, x.demands, capacity, 0.03, 0)[1], (Counts{0, 4}));
  const Allocation bounded = share(x.cores, x.demands, capacity);
  EXPECT_GE(at(x.demands[0], bounded[0], 2), 0.85 * 0.5 * x.demands[0].p->at(x.cores));
  // Weights are parts of the capacity: 12 of 16.
  x.demands[0].weight = 3;
  const Allocation weighted = share(x.cores, x.demands, capacity, 1, 0.85);
  EXPECT_EQ(weighted[0][1] * 3 + weighted[0][0], 12);
}

TEST(Concave, FitKeepsWhatIsConcaveAndSeparable) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 50; round++) {
    const auto p = separable(random, {4, 4});
    const TableThroughput fit = fit_concave(static_cast<const TableThroughput &>(*p));
    for_each_count(fit.most(), [&](const Counts &n) {
      EXPECT_NEAR(fit.at({n.data(), 2}), p->at(std::span(n.data(), 2)), 1e-9);
    });
  }
}

TEST(Concave, FitOfAnythingIsConcaveAndSeparable) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; round++) {
    const auto p = arbitrary(random, {3, 2, 2});
    const TableThroughput fit = fit_concave(static_cast<const TableThroughput &>(*p));
    for_each_count(fit.most(), [&](const Counts &n) {
      for (int c = 0; c < 3; c++)
        if (n[c] >= 2) {
          Counts one = n, two = n;
          one[c]--;
          two[c] -= 2;
          const auto f = [&](const Counts &m) { return fit.at({m.data(), 3}); };
          // A fit below 0 is cut there.
          if (f(two) > 0) {
            EXPECT_LE(f(n) - f(one), f(one) - f(two) + 1e-9);
          }
        }
    });
  }
}

} // namespace
} // namespace coord
