// SPDX-License-Identifier: GPL-3.0-or-later
// Random machines and throughputs, for the tests of allocations.
#pragma once

#include "policies/allocate.h"

#include <algorithm>
#include <memory>
#include <random>

namespace coord {

struct Instance {
  std::vector<int> cores;
  std::vector<std::unique_ptr<Throughput>> throughputs;
  std::vector<Demand> demands;

  void add(std::unique_ptr<Throughput> p, int most, double weight = 1) {
    throughputs.push_back(std::move(p));
    demands.push_back({throughputs.back().get(), most, weight});
  }
};

inline int between(std::mt19937_64 &random, int least, int most) {
  return std::uniform_int_distribution(least, most)(random);
}

inline double uniform(std::mt19937_64 &random, double least, double most) {
  return std::uniform_real_distribution(least, most)(random);
}

// A sum of a concave function of each class. Few different gains, so that there are ties.
inline std::unique_ptr<Throughput> separable(std::mt19937_64 &random,
                                             const std::vector<int> &cores) {
  std::vector<std::vector<double>> f;
  for (const int n : cores) {
    std::vector<double> gains(n);
    for (double &gain : gains)
      gain = between(random, 0, 12) * 0.1;
    std::ranges::sort(gains, std::greater());
    f.push_back({0});
    for (const double gain : gains)
      f.back().push_back(f.back().back() + gain);
  }
  std::vector<double> values;
  for_each_count(cores, [&](const Counts &n) {
    double sum = 0;
    for (std::size_t c = 0; c < cores.size(); c++)
      sum += f[c][n[c]];
    values.push_back(sum);
  });
  return std::make_unique<TableThroughput>(cores, values);
}

// Any numbers at all.
inline std::unique_ptr<Throughput> arbitrary(std::mt19937_64 &random,
                                             const std::vector<int> &cores) {
  std::vector<double> values;
  for_each_count(cores, [&](const Counts &) { values.push_back(uniform(random, 0, 1)); });
  return std::make_unique<TableThroughput>(cores, values);
}

// 2 to 4 classes of up to 6 cores; as many different sets of cores as MOST_STATES at most.
inline std::vector<int> random_cores(std::mt19937_64 &random, int most_states) {
  std::vector<int> cores(between(random, 2, 4));
  for (;;) {
    int states = 1;
    for (int &n : cores)
      states *= 1 + (n = between(random, 0, 6));
    if (states <= most_states)
      return cores;
  }
}

} // namespace coord
