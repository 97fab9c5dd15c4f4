// SPDX-License-Identifier: GPL-3.0-or-later
// Contention without counters: how much programs press on others and feel others' pressure is
// learned from how fast they run.
//
// An interval is a time during which the same programs run on the same cores. Of each program it
// has the time per instruction (or per unit of any other progress). The time alone is not known;
// the 5th percentile of all times of the program on a class stands for it. With sd the slowdown
// against that,
//     ln(1 + sd_i) = theta_i * (sum phi_j over the same LLC + sum psi_j over other LLCs),  j != i
// by alternating ridge regression over the last intervals: 1000 of them on 5 cores, fewer on more.
// All three are >= 0 and belong to a program and a core class.
#pragma once

#include "model/contention.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace coord {

class LatentContention final : public SlowdownModel {
public:
  // RIDGE > 0 draws theta to 1, phi and psi to 0.
  explicit LatentContention(double ridge) : ridge_(ridge) {}

  // TIMES[i] of RESIDENTS[i], of any unit that is the same for all runs of a program; what is not
  // positive and finite was not measured. Learns from it at once.
  void observe(const Machine &machine, std::span<const Resident> residents,
               std::span<const double> times);
  void predict(const Machine &machine, std::span<const Resident> residents,
               std::span<double> percent) const override;

private:
  struct Trait {
    double feels = 1, presses = 0, presses_far = 0; // theta, phi, psi
    double alone = 0;                               // the 5th percentile of times
    std::vector<double> times; // logarithms, sorted, of the intervals that are kept
  };
  struct Member {
    int trait; // -1: nothing is known
    int llc;
    double time; // logarithm; NaN: not measured
  };
  using Interval = std::vector<Member>;

  std::vector<double> felt(const Interval &interval) const;
  double measured(const Member &member) const;
  void learn_pressures();
  void learn_feelings();

  double ridge_;
  std::map<std::pair<std::string, int>, int> index_; // by name and class
  std::vector<Trait> traits_;
  std::deque<Interval> intervals_;
  std::size_t members_ = 0; // of all intervals
  std::size_t llcs_ = 0;    // of the machine, the same at all calls
};

} // namespace coord
