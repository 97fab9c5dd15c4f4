// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate.h"

#include <algorithm>
#include <cmath>

namespace coord {

namespace {

// The largest speedup factor that is believed; the runtime's sf_max.
constexpr double kMostFactor = 32;
// An efficiency below which it is no measurement.
constexpr double kLeastEfficiency = 0.01;

// The serial share of an application that has not run yet. Without one all cores would be worth the
// same to it, and it could get all or none.
constexpr double kFirstSerial = 0.02;
// Samples whose median counts.
constexpr int kEnough = 3;
// The longest time between two samples.
constexpr double kMostSeconds = 1e6;

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
    : remembered_(factors.size() == machine.classes.size() &&
                  std::ranges::all_of(factors, believable)),
      first_(factors), factors_(machine.classes.size()) {
  if (!remembered_) {
    first_.clear();
    for (int c = 0; c < machine.class_count(); c++)
      first_.push_back(machine.clock_ratio(c));
  }
}

bool Estimate::known() const { return remembered_ || serial_.count() >= kEnough; }

void Estimate::add(const Sample &sample, std::span<const int> cores) {
  if (sample.factors.size() == first_.size() && std::ranges::all_of(sample.factors, believable))
    for (std::size_t c = 0; c < first_.size(); c++)
      factors_[c].add(sample.factors[c] / sample.factors[0]);
  if (!sample.progress)
    return;
  const Progress progress = *sample.progress;
  const AmdahlThroughput now = throughput();
  double capacity = 0, master = 0;
  for (std::size_t c = 0; c < first_.size(); c++)
    if (cores[c] > 0) {
      capacity += cores[c] * now.factors()[c];
      master = std::max(master, now.factors()[c]);
    }
  // Of a unit of work, seconds on class 0: outside parallel regions, and what cores lost inside
  // them. The latter counts as serial: on one core nothing is lost, and more cores lose more.
  const double serial = progress.serial_s * master / progress.work_s;
  const double ideal = 1 / capacity, took = progress.parallel_s / progress.work_s;
  const double lost = std::max(took - ideal, 0.0) * master;
  // False if any of them is not a number.
  if (progress.work_s > 0 && progress.serial_s >= 0 && progress.parallel_s > 0 &&
      progress.serial_s + progress.parallel_s <= kMostSeconds && ideal / took >= kLeastEfficiency &&
      ideal / took <= kMostFactor)
    serial_.add((serial + lost) / (1 + serial + lost));
}

AmdahlThroughput Estimate::throughput() const {
  std::vector<double> factors = first_;
  for (std::size_t c = 0; c < factors.size(); c++)
    if (factors_[c].count() > 0)
      factors[c] = factors_[c].get();
  return {std::move(factors), serial_.count() > 0 ? serial_.get() : kFirstSerial};
}

} // namespace coord
