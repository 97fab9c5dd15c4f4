// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of the AID schedules against values worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

extern "C" {
#include "loops/aid-math.h"
}

namespace {

using Tally = std::vector<gomp_aid_tally>;
using Count = unsigned long long;

std::vector<double> speedups(const Tally &tally, double max = 32) {
  std::vector<double> sf(tally.size(), -1);
  gomp_aid_speedups(tally.size(), tally.data(), max, sf.data());
  return sf;
}

std::vector<Count> shares(const Tally &tally, const std::vector<double> &sf, Count ni,
                          unsigned percent = 100) {
  std::vector<Count> share(tally.size(), 999);
  gomp_aid_shares(tally.size(), tally.data(), sf.data(), ni, percent, share.data());
  return share;
}

Count handed_out(const Tally &tally, const std::vector<Count> &share) {
  Count sum = 0;
  for (size_t c = 0; c < tally.size(); c++)
    sum += tally[c].threads * share[c];
  return sum;
}

TEST(Speedups, OneClass) { EXPECT_EQ(speedups({{4, 4000, 40}}), (std::vector<double>{1})); }

TEST(Speedups, TwoClasses) {
  // 400 ns an iteration against 150: 2.666...
  auto sf = speedups({{4, 16000, 40}, {4, 6000, 40}});
  EXPECT_DOUBLE_EQ(sf[0], 1);
  EXPECT_DOUBLE_EQ(sf[1], 8.0 / 3);
}

TEST(Speedups, MeanOverUnequalSamples) {
  // Small: 900 ns in 3 iterations; big: two threads, 100 + 500 ns in 1 + 5 iterations.
  auto sf = speedups({{1, 900, 3}, {2, 600, 6}});
  EXPECT_DOUBLE_EQ(sf[1], 3);
}

TEST(Speedups, ThreeClasses) {
  EXPECT_EQ(speedups({{1, 8000, 10}, {3, 12000, 30}, {4, 4000, 40}}),
            (std::vector<double>{1, 2, 8}));
}

TEST(Speedups, FiveClassesOneAbsent) {
  // Class 0 has no thread: class 1 is the slowest of the team.
  EXPECT_EQ(speedups({{0, 0, 0}, {1, 600, 1}, {0, 0, 0}, {2, 400, 2}, {1, 100, 1}}),
            (std::vector<double>{0, 1, 0, 3, 6}));
}

TEST(Speedups, ABigCoreMayBeSlower) {
  EXPECT_EQ(speedups({{1, 100, 1}, {1, 400, 1}}), (std::vector<double>{1, 0.25}));
}

TEST(Speedups, HeldWithinTheMaximum) {
  EXPECT_EQ(speedups({{1, 1000000, 1}, {1, 1, 1}}), (std::vector<double>{1, 32}));
  EXPECT_EQ(speedups({{1, 1, 1}, {1, 1000000, 1}}), (std::vector<double>{1, 1.0 / 32}));
  EXPECT_EQ(speedups({{1, 1000000, 1}, {1, 1, 1}}, 1), (std::vector<double>{1, 1}));
}

TEST(Speedups, ATimeOfZeroSaysNothing) {
  EXPECT_EQ(speedups({{1, 0, 1}, {1, 400, 1}, {1, 0, 3}}), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(speedups({{1, 800, 1}, {1, 400, 1}, {1, 0, 3}}), (std::vector<double>{1, 2, 1}));
}

TEST(Speedups, TimesOfZeroAreNoDivision) {
  for (const Tally &tally :
       {Tally{{1, 0, 1}, {1, 0, 1}}, Tally{{1, 0, 0}, {1, 0, 0}}, Tally{{1, 500, 1}, {1, 0, 3}}})
    for (double sf : speedups(tally)) {
      EXPECT_TRUE(std::isfinite(sf));
      EXPECT_GE(sf, 1.0 / 32);
      EXPECT_LE(sf, 32);
    }
}

TEST(Shares, OneClassIsEven) {
  EXPECT_EQ(shares({{4, 0, 0}}, {1}, 1003), (std::vector<Count>{250}));
}

TEST(Shares, PapersFormulaForTwo) {
  // k = NI / (N_B SF + N_S); a big core's share is SF k, a small one's k (ICPP 2020, section 4.2).
  for (unsigned big : {1, 2, 4, 7})
    for (unsigned small : {1, 3, 4})
      for (double sf : {1.0, 1.5, 2.25, 3.0, 8.9})
        for (Count ni : {100ULL, 4096ULL, 1000003ULL}) {
          const double k = ni / (big * sf + small);
          auto share = shares({{small, 0, 0}, {big, 0, 0}}, {1, sf}, ni);
          EXPECT_NEAR(share[0], k, 1);
          EXPECT_NEAR(share[1], sf * k, 1);
          EXPECT_LE(share[0], k);
          EXPECT_LE(share[1], sf * k * (1 + 1e-12));
        }
}

TEST(Shares, TwoClassesByHand) {
  // 4 small, 4 big, SF 3: k = 1600 / 16 = 100.
  EXPECT_EQ(shares({{4, 0, 0}, {4, 0, 0}}, {1, 3}, 1600), (std::vector<Count>{100, 300}));
  EXPECT_EQ(shares({{4, 0, 0}, {4, 0, 0}}, {1, 3}, 1600, 80), (std::vector<Count>{80, 240}));
}

TEST(Shares, ThreeClassesByHand) {
  // 4 + 3 * 2 + 1 * 4 = 14 slow cores: k = 1400 / 14 = 100.
  EXPECT_EQ(shares({{4, 0, 0}, {3, 0, 0}, {1, 0, 0}}, {1, 2, 4}, 1400),
            (std::vector<Count>{100, 200, 400}));
}

TEST(Shares, FiveClassesByHand) {
  // 2 * 1 + 2 * 1.5 + 1 * 2 + 1 * 3 + 2 * 5 = 20: k = 1000 / 20 = 50; half of it at 50 percent.
  const Tally tally{{2, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const std::vector<double> sf{1, 1.5, 2, 3, 5};
  EXPECT_EQ(shares(tally, sf, 1000), (std::vector<Count>{50, 75, 100, 150, 250}));
  EXPECT_EQ(shares(tally, sf, 1000, 50), (std::vector<Count>{25, 37, 50, 75, 125}));
}

TEST(Shares, OnlyRatiosMatter) {
  const Tally tally{{4, 0, 0}, {4, 0, 0}};
  EXPECT_EQ(shares(tally, {1, 3}, 4321), shares(tally, {2, 6}, 4321));
}

TEST(Shares, AbsentClassesGetNothing) {
  EXPECT_EQ(shares({{0, 0, 0}, {2, 0, 0}}, {0, 1}, 10), (std::vector<Count>{0, 5}));
  EXPECT_EQ(shares({{0, 0, 0}}, {0}, 10), (std::vector<Count>{0}));
  EXPECT_EQ(shares({{3, 0, 0}, {1, 0, 0}}, {0, 0}, 10), (std::vector<Count>{0, 0}));
}

TEST(Shares, NeverMoreThanThereIs) {
  for (Count ni : {0ULL, 1ULL, 2ULL, 17ULL, 1ULL << 53, (1ULL << 63) + 12345, ~0ULL})
    for (unsigned percent : {1, 80, 100})
      for (const Tally &tally :
           {Tally{{1, 0, 0}}, Tally{{3, 0, 0}, {5, 0, 0}}, Tally{{1, 0, 0}, {1000, 0, 0}}}) {
        auto share =
            shares(tally, tally.size() == 1 ? std::vector<double>{1} : std::vector<double>{1, 2.7},
                   ni, percent);
        for (Count s : share)
          EXPECT_LE(s, ni);
        if (ni <= 1ULL << 53) {
          EXPECT_LE(handed_out(tally, share), ni);
        }
      }
}

TEST(Adjust, DividesByThePhaseTimes) {
  // Small cores took 1000 ns for M = 10, the big one 2000 ns for R M = 30: R = 3 has to be 1.5.
  std::vector<double> r{1, 3};
  gomp_aid_adjust(2, Tally{{2, 2000, 20}, {1, 2000, 30}}.data(), 32, r.data());
  EXPECT_EQ(r, (std::vector<double>{1, 1.5}));
}

TEST(Adjust, ThreeClassesOneAbsent) {
  // Of M = 10: 1500 ns each for 10 iterations, 750 for 40, so that R = 4 becomes 8.
  std::vector<double> r{0, 1, 4};
  gomp_aid_adjust(3, Tally{{0, 0, 0}, {2, 3000, 20}, {3, 2250, 120}}.data(), 32, r.data());
  EXPECT_EQ(r, (std::vector<double>{0, 1, 8}));
}

TEST(Adjust, StaysWithinTheMaximum) {
  std::vector<double> r{1, 30};
  gomp_aid_adjust(2, Tally{{1, 5000, 1}, {1, 1, 1}}.data(), 32, r.data());
  EXPECT_EQ(r[1], 32);
  gomp_aid_adjust(2, Tally{{1, 1, 1}, {1, 1000000000, 1}}.data(), 32, r.data());
  EXPECT_EQ(r[1], 1.0 / 32);
}

TEST(Adjust, ATimeOfZeroSaysNothing) {
  std::vector<double> r{1, 3};
  gomp_aid_adjust(2, Tally{{1, 0, 1}, {1, 1000, 1}}.data(), 32, r.data());
  gomp_aid_adjust(2, Tally{{1, 1000, 1}, {1, 0, 1}}.data(), 32, r.data());
  EXPECT_EQ(r, (std::vector<double>{1, 3}));
}

TEST(Time, IsInTicks) {
  EXPECT_EQ(gomp_aid_time(100, 4, ~0ULL), 25u * GOMP_AID_TICK);
  // A third of a nanosecond.
  EXPECT_EQ(gomp_aid_time(100, 300, ~0ULL), 85u);
  EXPECT_EQ(gomp_aid_time(5, 0, ~0ULL), 5u * GOMP_AID_TICK);
}

TEST(Time, ZeroOnlyIfNoneIsKnown) {
  EXPECT_EQ(gomp_aid_time(0, 4, ~0ULL), 0u);
  EXPECT_EQ(gomp_aid_time(1, 1 << 30, ~0ULL), 1u);
}

TEST(Time, HeldToTheMaximum) {
  EXPECT_EQ(gomp_aid_time(1000, 1, 1000), 1000u);
  EXPECT_EQ(gomp_aid_time((1ULL << 54) - 1, 1, ~0ULL), ((1ULL << 54) - 1) * GOMP_AID_TICK);
}

// Both samples of a thread, as one.
gomp_aid_tally settled(gomp_aid_tally first, gomp_aid_tally second) {
  gomp_aid_settle(first.ns, first.iterations, &second.ns, &second.iterations);
  return second;
}

bool same(gomp_aid_tally a, gomp_aid_tally b) {
  return a.ns == b.ns && a.iterations == b.iterations;
}

TEST(Settle, AddsSamplesThatAgree) {
  EXPECT_TRUE(same(settled({1, 900, 3}, {1, 500, 1}), {1, 1400, 4}));
  EXPECT_TRUE(same(settled({1, 200, 1}, {1, 400, 4}), {1, 600, 5}));
}

TEST(Settle, DropsAnOutlier) {
  EXPECT_TRUE(same(settled({1, 3000000000, 4}, {1, 4000, 4}), {1, 4000, 4}));
  EXPECT_TRUE(same(settled({1, 4000, 4}, {1, 2004, 1}), {1, 4000, 4}));
  EXPECT_TRUE(same(settled({1, 2004, 1}, {1, 4000, 4}), {1, 4000, 4}));
}

TEST(Settle, TheLargestTimesAreNoOverflow) {
  const Count longest = 1ULL << 48;
  EXPECT_TRUE(same(settled({1, longest, 1ULL << 40}, {1, longest, 1ULL << 40}),
                   {1, 2 * longest, 1ULL << 41}));
  EXPECT_TRUE(same(settled({1, longest, 1}, {1, 100, 1}), {1, 100, 1}));
}

TEST(Phase, RoundsAndSums) {
  std::vector<Count> share(3);
  EXPECT_EQ(gomp_aid_phase(3, Tally{{4, 0, 0}, {3, 0, 0}, {1, 0, 0}}.data(),
                           std::vector<double>{1, 1.5, 4}.data(), 5, share.data()),
            4 * 5 + 3 * 8 + 20u);
  EXPECT_EQ(share, (std::vector<Count>{5, 8, 20}));
}

TEST(Phase, AtLeastOneAndNoOverflow) {
  std::vector<Count> share(2);
  EXPECT_EQ(gomp_aid_phase(2, Tally{{1, 0, 0}, {1, 0, 0}}.data(),
                           std::vector<double>{1, 1.0 / 32}.data(), 1, share.data()),
            2u);
  EXPECT_EQ(share, (std::vector<Count>{1, 1}));
  EXPECT_EQ(gomp_aid_phase(2, Tally{{8, 0, 0}, {8, 0, 0}}.data(), std::vector<double>{1, 32}.data(),
                           1ULL << 62, share.data()),
            ~0ULL);
}

TEST(TimedChunk, OneHundredthForTheRemoval) {
  // A removal is taken to cost 300 ns: 30 us of work make it one percent.
  EXPECT_EQ(gomp_aid_timed_chunk(100, 1, 2), 300u);
  EXPECT_EQ(gomp_aid_timed_chunk(1000, 10, 2), 300u);
  EXPECT_EQ(gomp_aid_timed_chunk(30000, 1, 2), 1u);
  EXPECT_EQ(gomp_aid_timed_chunk(29999, 1, 2), 2u);
  EXPECT_EQ(gomp_aid_timed_chunk(1000000000, 1, 2), 1u);
  EXPECT_EQ(gomp_aid_timed_chunk(5, 0, 2), 1u);
  EXPECT_GE(gomp_aid_timed_chunk(1, ~0ULL, 2), 1u);
}

TEST(TimedChunk, NoTimeSaysNothing) {
  EXPECT_EQ(gomp_aid_timed_chunk(0, 4, 2), 4u);
  EXPECT_EQ(gomp_aid_timed_chunk(0, 0, 2), 1u);
}

TEST(TimedChunk, TenthOfTheTimeForThePool) {
  // 100 ns for each thread's removal, ten times over: 30 threads want no more than one thread does.
  EXPECT_EQ(gomp_aid_timed_chunk(100, 1, 30), 300u);
  EXPECT_EQ(gomp_aid_timed_chunk(100, 1, 64), 640u);
  EXPECT_EQ(gomp_aid_timed_chunk(50000, 1, 1024), 21u);
  EXPECT_EQ(gomp_aid_timed_chunk(1, 1, ~0u), 1000ULL * ~0u);
}

TEST(Major, FiveChunksOrTheSample) {
  // 1 us an iteration on the slowest class: a timed chunk is 30, five are 150 = 150 us.
  const Tally tally{{1, 4000, 4}, {1, 2000, 4}};
  const double r[] = {1, 2};
  EXPECT_EQ(gomp_aid_major(2, tally.data(), r, 1 << 30, 2000), 150u);
  EXPECT_EQ(gomp_aid_major(2, tally.data(), r, 1 << 30, 1000000), 1000u);
  // A phase is 3 M here; sixteen of them have to fit.
  EXPECT_EQ(gomp_aid_major(2, tally.data(), r, 4800, 2000), 100u);
  // But never less than m, a timed chunk.
  EXPECT_EQ(gomp_aid_major(2, tally.data(), r, 480, 2000), 30u);
  EXPECT_EQ(gomp_aid_major(2, tally.data(), r, 10, 2000), 30u);
}

} // namespace
