// SPDX-License-Identifier: GPL-3.0-or-later
// P(n) of an application without a profile of it: Amdahl's law with what a runtime measures while
// the application runs, in the order of trust: its samples, speedup factors remembered from earlier
// runs, the classes' clocks.
#pragma once

#include "core/policy.h"

#include <array>

namespace coord {

// The median of the last five numbers, so that one that is wrong does not count.
class MedianOfFive {
public:
  void add(double value);
  int count() const { return count_; }
  double get() const; // needs a number

private:
  std::array<double, 5> last_{};
  int count_ = 0, next_ = 0;
};

class Estimate {
public:
  // FACTORS: remembered speedup factors by class, or empty.
  Estimate(const Machine &machine, const std::vector<double> &factors);

  // CORES, by class, are those that the application had since the last sample. Numbers that cannot
  // be are ignored.
  void add(const Sample &sample, std::span<const int> cores);

  // Whether there is more to go by than the clocks.
  bool known() const;
  AmdahlThroughput throughput() const;

private:
  bool remembered_;
  std::vector<double> first_; // factors, without samples
  std::vector<MedianOfFive> factors_;
  MedianOfFive serial_;
};

} // namespace coord
