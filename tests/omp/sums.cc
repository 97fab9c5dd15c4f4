// SPDX-License-Identifier: GPL-3.0-or-later
// What docs promise of floating-point sums: within the rounding of any order under every schedule,
// and the same bits where the program fixes the order itself.
#include <omp.h>

#include <cmath>
#include <cstring>
#include <string>

#include "loops.h"

namespace {

constexpr int kTerms = 20011;

// Terms of both signs and of all their bits, so that nearly every addition rounds.
std::vector<double> terms() {
  std::vector<double> result(kTerms);
  unsigned long long state = 88172645463325252ULL;
  for (double &term : result) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    term = double(state >> 11) * 0x1p-53 + 0.5;
    if (state & 1)
      term = -term;
  }
  return result;
}

class Sums : public testing::TestWithParam<Kind> {
protected:
  void SetUp() override { setChunk(0); }
  void setChunk(int chunk) { omp_set_schedule(GetParam().value, chunk); }
  const std::vector<double> x = terms();
};

INSTANTIATE_TEST_SUITE_P(Kinds, Sums, testing::ValuesIn(kKinds),
                         [](const auto &info) { return std::string(info.param.name); });

// n terms in any order are off by (n - 1) roundings of at most half an epsilon of the sum of their
// magnitudes. Each term is larger than twice that: one that is missing or counted twice shows.
TEST_P(Sums, WithinTheRoundingOfAnyOrder) {
  // What each addition rounds away is exact too, and added up apart (Neumaier's summation).
  double high = 0, low = 0, magnitude = 0;
  for (double term : x) {
    const double sum = high + term;
    low += std::fabs(high) >= std::fabs(term) ? (high - sum) + term : (term - sum) + high;
    high = sum;
    magnitude += std::fabs(term);
  }
  const double bound = kTerms * std::numeric_limits<double>::epsilon() * magnitude;
  ASSERT_LT(2 * bound, 0.5);
  for (int chunk : {0, 1, 7})
    for (int threads = 1; threads <= 6; threads++) {
      setChunk(chunk);
      double sum = 0;
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(threads) reduction(+ : sum)
      for (int i = 0; i < kTerms; i++)
        sum += x[i];
      EXPECT_LE(std::fabs((sum - high) - low), bound) << threads << " threads, chunk " << chunk;
    }
}

// Sums of blocks that the program cuts, each in order, added in order: nothing in it depends on who
// runs a block.
double sumOfBlocks(const std::vector<double> &x, int threads) {
  constexpr int kBlock = 128, kBlocks = (kTerms + kBlock - 1) / kBlock;
  std::vector<double> part(kBlocks);
#pragma omp parallel for schedule(nonmonotonic : runtime) num_threads(threads)
  for (int block = 0; block < kBlocks; block++)
    for (int i = block * kBlock; i < std::min((block + 1) * kBlock, kTerms); i++)
      part[block] += x[i];
  double sum = 0;
  for (double each : part)
    sum += each;
  return sum;
}

TEST_P(Sums, OfBlocksHaveTheSameBits) {
  omp_set_schedule(omp_sched_static, 0);
  const double serial = sumOfBlocks(x, 1);
  for (int chunk : {0, 1, 7})
    for (int threads = 1; threads <= 6; threads++) {
      setChunk(chunk);
      double sum = sumOfBlocks(x, threads);
      EXPECT_EQ(std::memcmp(&sum, &serial, sizeof sum), 0)
          << sum << " instead of " << serial << " with " << threads << " threads, chunk " << chunk;
    }
}

// Under static, a sum for each thread, added in the threads' order.
TEST(StaticSums, OfThreadsHaveTheSameBits) {
  const std::vector<double> x = terms();
  for (int chunk : {0, 7}) {
    omp_set_schedule(omp_sched_static, chunk);
    double first = 0;
    for (int round = 0; round < 50; round++) {
      double part[5] = {}, sum = 0;
#pragma omp parallel num_threads(5)
      {
        double mine = 0;
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < kTerms; i++)
          mine += x[i];
        part[omp_get_thread_num()] = mine;
      }
      for (double each : part)
        sum += each;
      if (round == 0)
        first = sum;
      ASSERT_EQ(std::memcmp(&sum, &first, sizeof sum), 0) << "chunk " << chunk;
    }
  }
}

} // namespace
