// SPDX-License-Identifier: GPL-3.0-or-later
// Which samples of a speedup factor are of one phase (paper 004, algorithm 2): the running average
// counts once it has settled.
#pragma once

#include <cmath>

namespace coord {

class Settling {
public:
  // TRANSITION: the change of the average, relative, that begins a new phase. STABLE: intervals
  // without one after which the average counts. AVERAGE: weight of a new sample. RESTARTS: a new
  // phase has an average of its own, which suits samples that are short beside phases.
  Settling(double transition, int stable, double average, bool restarts = false)
      : transition_(transition), average_weight_(average), stable_(stable), restarts_(restarts) {}

  // An interval with SAMPLE, for which FACTOR(average) predicts the speedup factor. Returns whether
  // factor() is new.
  //
  // Changes are those of the predicted gain, factor - 1. Where misses are many this is the change
  // of the misses; where they are few, and one more doubles them, it is small, as is what they
  // cost.
  template <typename Factor> bool add(double sample, Factor factor) {
    const double before = average_;
    average_ = average_ < 0 ? sample : before + average_weight_ * (sample - before);
    if (before < 0)
      return false;
    const double now = factor(average_);
    // A drift has steps that are small; it shows against the value that counts.
    const bool moved = differ(now, factor(before)) || (settled_ && differ(now, factor_));
    if (moved) {
      if (restarts_)
        average_ = sample;
      quiet_ = 0;
      settled_ = false;
    } else if (++quiet_ >= stable_ && !settled_) {
      settled_ = true;
      factor_ = now;
      return true;
    }
    return false;
  }
  // 1, the lowest that there is, until a first phase has settled: newcomers push nobody out.
  double factor() const { return factor_; }

private:
  bool differ(double a, double b) const { return std::abs(a - b) > transition_ * std::abs(b - 1); }

  double transition_, average_weight_;
  int stable_;
  bool restarts_;
  double average_ = -1; // no sample yet
  int quiet_ = 0;       // intervals since the last transition
  bool settled_ = false;
  double factor_ = 1;
};

} // namespace coord
