// SPDX-License-Identifier: GPL-3.0-or-later
// Lord's test (Biometrika 34, 1947): the difference of two means is judged by the mean of the two
// ranges, so that what plain runs differ by among each other counts for nothing.
#include "amp-run/tune/gain.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace amp {

namespace {

// By the number of rounds: how many mean ranges the means of two samples that are alike are apart
// in one of ten thousand cases, simulated with normal, exponential and Student's t distribution of
// three degrees; the largest of these.
constexpr double distance[] = {0, 0, 70, 7, 2.9, 1.8, 1.31, 1.06, .88, .79, .7, .64, .59};

struct Sample {
  double mean = 0, range = 0;
};

Sample sample_of(const std::vector<double> &values) {
  Sample sample;
  double least = INFINITY, most = -INFINITY;
  for (const double value : values) {
    sample.mean += std::log(value) / static_cast<double>(values.size());
    least = std::min(least, std::log(value));
    most = std::max(most, std::log(value));
  }
  sample.range = most - least;
  return sample;
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_gain(const std::vector<double> &plain, const std::vector<double> &way) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::min(plain.size(), way.size()); ++i)
    gains.push_back(plain[i] / way[i]);
  return median(gains);
}

Verdict judge(const std::vector<double> &plain, const std::vector<double> &way) {
  const std::size_t rounds = std::min(plain.size(), way.size());
  const std::vector<double> same(plain.begin(),
                                 plain.begin() + static_cast<std::ptrdiff_t>(rounds));
  if (median_gain(same, way) < least_gain)
    return Verdict::no;
  const Sample a = sample_of(same), b = sample_of(way);
  if (rounds < 2)
    return Verdict::undecided;
  const double needed = distance[std::min(rounds, std::size(distance) - 1)];
  return a.mean - b.mean > needed * (a.range + b.range) / 2 ? Verdict::gains : Verdict::undecided;
}

} // namespace amp
