// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/latent-contention.h"

#include <algorithm>
#include <cmath>

namespace coord {

namespace {

constexpr std::size_t kIntervals = 1000;
constexpr int kRounds = 5; // after each interval, from where the last ones ended

} // namespace

// What member I of INTERVAL feels of the others, before its theta.
double LatentContention::felt(const Interval &interval, std::size_t i) const {
  double sum = 0;
  for (std::size_t j = 0; j < interval.size(); j++)
    if (j != i && interval[j].trait >= 0) {
      const Trait &other = traits_[interval[j].trait];
      sum += interval[j].llc == interval[i].llc ? other.presses : other.presses_far;
    }
  return sum;
}

// ln(1 + sd)
double LatentContention::measured(const Member &member) const {
  return std::max(0.0, member.time - traits_[member.trait].alone);
}

void LatentContention::observe(const Machine &machine, std::span<const Resident> residents,
                               std::span<const double> times) {
  Interval interval;
  for (std::size_t i = 0; i < residents.size(); i++) {
    const Core &core = machine.cores[residents[i].core];
    const auto [place, added] = index_.try_emplace({residents[i].app->name, core.core_class},
                                                   static_cast<int>(traits_.size()));
    if (added)
      traits_.emplace_back();
    const double time = std::isfinite(times[i]) && times[i] > 0 ? std::log(times[i]) : NAN;
    interval.push_back({place->second, core.llc, time});
    std::vector<double> &all = traits_[place->second].times;
    if (!std::isnan(time))
      all.insert(std::ranges::upper_bound(all, time), time);
  }
  intervals_.push_back(std::move(interval));
  if (intervals_.size() > kIntervals) {
    for (const Member &member : intervals_.front())
      if (!std::isnan(member.time)) {
        std::vector<double> &all = traits_[member.trait].times;
        all.erase(std::ranges::lower_bound(all, member.time));
      }
    intervals_.pop_front();
  }
  for (Trait &trait : traits_)
    if (!trait.times.empty())
      trait.alone = trait.times[trait.times.size() / 20];
  for (int round = 0; round < kRounds; round++) {
    learn_pressures();
    learn_feelings();
  }
}

// A step of ridge regression of all phi and psi, theta fixed. The curvature of a row with k others
// counts k times, so that the sum of squares falls although all step at once.
void LatentContention::learn_pressures() {
  struct Sums {
    double slope = 0, curvature = 0;
  };
  std::vector<Sums> near(traits_.size()), far(traits_.size());
  for (const Interval &interval : intervals_)
    for (std::size_t i = 0; i < interval.size(); i++) {
      if (std::isnan(interval[i].time))
        continue;
      const double theta = traits_[interval[i].trait].feels;
      const double left = measured(interval[i]) - theta * felt(interval, i);
      for (std::size_t j = 0; j < interval.size(); j++)
        if (j != i) {
          Sums &sums = (interval[j].llc == interval[i].llc ? near : far)[interval[j].trait];
          sums.slope += theta * left;
          sums.curvature += theta * theta * static_cast<double>(interval.size() - 1);
        }
    }
  const auto step = [this](double &value, const Sums &sums) {
    value = std::max(0.0, value + (sums.slope - ridge_ * value) / (sums.curvature + ridge_));
  };
  for (std::size_t t = 0; t < traits_.size(); t++) {
    step(traits_[t].presses, near[t]);
    step(traits_[t].presses_far, far[t]);
  }
}

// The ridge regression of each theta, phi and psi fixed.
void LatentContention::learn_feelings() {
  std::vector<double> product(traits_.size(), ridge_), square(traits_.size(), ridge_);
  for (const Interval &interval : intervals_)
    for (std::size_t i = 0; i < interval.size(); i++)
      if (!std::isnan(interval[i].time)) {
        const double all = felt(interval, i);
        product[interval[i].trait] += all * measured(interval[i]);
        square[interval[i].trait] += all * all;
      }
  for (std::size_t t = 0; t < traits_.size(); t++)
    traits_[t].feels = product[t] / square[t];
}

void LatentContention::predict(const Machine &machine, std::span<const Resident> residents,
                               std::span<double> percent) const {
  Interval interval;
  for (const Resident &resident : residents) {
    const Core &core = machine.cores[resident.core];
    const auto found = index_.find({resident.app->name, core.core_class});
    interval.push_back({found != index_.end() ? found->second : -1, core.llc, NAN});
  }
  for (std::size_t i = 0; i < interval.size(); i++) {
    const double theta = interval[i].trait >= 0 ? traits_[interval[i].trait].feels : 1;
    percent[i] = clamp_slowdown(100 * std::expm1(theta * felt(interval, i)));
  }
}

} // namespace coord
