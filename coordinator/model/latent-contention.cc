// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/latent-contention.h"

#include <algorithm>
#include <cmath>

namespace coord {

namespace {

// At most; of 1000 intervals on 5 cores.
constexpr std::size_t kMembers = 5000;
constexpr int kRounds = 5; // after each interval, from where the last ones ended

} // namespace

// What each member of INTERVAL feels of the others, before its theta.
std::vector<double> LatentContention::felt(const Interval &interval) const {
  std::vector<double> near(llcs_), far(llcs_), felt(interval.size());
  double all = 0;
  const auto presses = [&](const Member &member, bool other_llc) {
    if (member.trait < 0)
      return 0.0;
    const Trait &trait = traits_[member.trait];
    return other_llc ? trait.presses_far : trait.presses;
  };
  for (const Member &member : interval) {
    near[member.llc] += presses(member, false);
    far[member.llc] += presses(member, true);
    all += presses(member, true);
  }
  for (std::size_t i = 0; i < interval.size(); i++) {
    const int llc = interval[i].llc;
    felt[i] = std::max(0.0, near[llc] - presses(interval[i], false) + all - far[llc]);
  }
  return felt;
}

// ln(1 + sd)
double LatentContention::measured(const Member &member) const {
  return std::max(0.0, member.time - traits_[member.trait].alone);
}

void LatentContention::observe(const Machine &machine, std::span<const Resident> residents,
                               std::span<const double> times) {
  llcs_ = machine.llcs.size();
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
  members_ += interval.size();
  intervals_.push_back(std::move(interval));
  while (members_ > kMembers && intervals_.size() > 1) {
    members_ -= intervals_.front().size();
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
    void operator+=(const Sums &other) {
      slope += other.slope;
      curvature += other.curvature;
    }
    Sums operator-(const Sums &other) const {
      return {slope - other.slope, curvature - other.curvature};
    }
  };
  std::vector<Sums> near(traits_.size()), far(traits_.size());
  std::vector<Sums> by_llc(llcs_);
  for (const Interval &interval : intervals_) {
    const std::vector<double> felt = this->felt(interval);
    std::vector<Sums> rows(interval.size()); // what each member says of the others
    std::ranges::fill(by_llc, Sums{});
    Sums all;
    for (std::size_t i = 0; i < interval.size(); i++) {
      if (std::isnan(interval[i].time))
        continue;
      const double theta = traits_[interval[i].trait].feels;
      rows[i] = {theta * (measured(interval[i]) - theta * felt[i]),
                 theta * theta * static_cast<double>(interval.size() - 1)};
      by_llc[interval[i].llc] += rows[i];
      all += rows[i];
    }
    for (std::size_t j = 0; j < interval.size(); j++) {
      const Sums &here = by_llc[interval[j].llc];
      near[interval[j].trait] += here - rows[j];
      far[interval[j].trait] += all - here;
    }
  }
  const auto step = [this](double &value, const Sums &sums) {
    value = std::max(0.0, value + (sums.slope - ridge_ * value) /
                                      (std::max(0.0, sums.curvature) + ridge_));
  };
  for (std::size_t t = 0; t < traits_.size(); t++) {
    step(traits_[t].presses, near[t]);
    step(traits_[t].presses_far, far[t]);
  }
}

// The ridge regression of each theta, phi and psi fixed.
void LatentContention::learn_feelings() {
  std::vector<double> product(traits_.size(), ridge_), square(traits_.size(), ridge_);
  for (const Interval &interval : intervals_) {
    const std::vector<double> felt = this->felt(interval);
    for (std::size_t i = 0; i < interval.size(); i++)
      if (!std::isnan(interval[i].time)) {
        product[interval[i].trait] += felt[i] * measured(interval[i]);
        square[interval[i].trait] += felt[i] * felt[i];
      }
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
  if (traits_.empty()) {
    std::ranges::fill(percent, 0);
    return;
  }
  const std::vector<double> felt = this->felt(interval);
  for (std::size_t i = 0; i < interval.size(); i++) {
    const double theta = interval[i].trait >= 0 ? traits_[interval[i].trait].feels : 1;
    percent[i] = clamp_slowdown(100 * std::expm1(theta * felt[i]));
  }
}

} // namespace coord
