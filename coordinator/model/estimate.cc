// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate.h"

#include <algorithm>
#include <cmath>

namespace coord {

namespace {

// The largest speedup factor that is believed; the runtime's GOMP_AID_SF_MAX.
constexpr double kMostFactor = 32;
// A share of the efficiency below which a number is no measurement.
constexpr double kLeastEfficiency = 0.01;

bool believable(double factor) { return factor >= 1 / kMostFactor && factor <= kMostFactor; }

} // namespace

void MedianOfFive::add(double value) {
  last_[next_] = value;
  next_ = (next_ + 1) % static_cast<int>(last_.size());
  count_ = std::min(count_ + 1, static_cast<int>(last_.size()));
}

double MedianOfFive::get() const {
  std::array<double, 5> sorted = last_;
  std::nth_element(sorted.begin(), sorted.begin() + count_ / 2, sorted.begin() + count_);
  return sorted[count_ / 2];
}

Estimate::Estimate(const Machine &machine, const std::vector<double> &factors)
    : known_(factors), factors_(machine.classes.size()) {
  if (known_.size() != machine.classes.size() || !std::ranges::all_of(known_, believable)) {
    known_.clear();
    for (int c = 0; c < machine.class_count(); c++)
      known_.push_back(machine.clock_ratio(c));
  }
}

void Estimate::add(const Sample &sample, std::span<const int> cores) {
  if (sample.factors.size() == known_.size() && std::ranges::all_of(sample.factors, believable))
    for (std::size_t c = 0; c < known_.size(); c++)
      factors_[c].add(sample.factors[c] / sample.factors[0]);
  if (!sample.progress)
    return;
  const Progress progress = *sample.progress;
  const AmdahlThroughput now = throughput();
  double capacity = 0, master = 0;
  for (std::size_t c = 0; c < known_.size(); c++)
    if (cores[c] > 0) {
      capacity += cores[c] * now.factors()[c];
      master = std::max(master, now.factors()[c]);
    }
  const double serial = progress.serial_s * master; // on class 0
  const double share = serial / (serial + progress.work_s);
  const double efficiency = progress.work_s / (progress.parallel_s * capacity);
  // False if any of them is not a number.
  if (progress.serial_s >= 0 && share >= 0 && share < 1 && efficiency >= kLeastEfficiency &&
      efficiency <= kMostFactor) {
    serial_.add(share);
    efficiency_.add(std::min(efficiency, 1.0));
  }
}

AmdahlThroughput Estimate::throughput() const {
  std::vector<double> factors = known_;
  for (std::size_t c = 0; c < factors.size(); c++)
    if (factors_[c].count() > 0)
      factors[c] = factors_[c].get();
  return {std::move(factors), serial_.count() > 0 ? serial_.get() : 0,
          efficiency_.count() > 0 ? efficiency_.get() : 1};
}

} // namespace coord
