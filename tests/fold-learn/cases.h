// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated programs on simulated cores: what fold-learn.c makes of the times of a folded team.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "draw.h"

extern "C" {
#include "fold/fold-ranges.h"
}

namespace learn {

// One phase: each id works, then all meet at a barrier.
struct Phase {
  // The work of each id, in nanoseconds of a core of speed 1.
  Times work;
  Times speed; // of each worker
};

struct Case {
  std::string costs, machine, known, change;
  double phase_ns = 0;       // of static on all cores
  size_t ids = 0, phases = 0;
  Times believed;            // the speeds that the library was told
  std::function<Phase(size_t)> phase;
  double noise = 0;          // each time is off by up to so much of it
};

// What each id costs its worker at a barrier in addition to its work, and what a change of ranges
// costs the team for each id, in nanoseconds.
constexpr double turn_ns = 50, move_ns = 10000;

struct Outcome {
  // The time that the best ranges of each phase take, known before, over that which the learned
  // ones took: from the beginning, and in the last third.
  double share = 0, share_at_end = 0;
  // The time that the ranges of the beginning take, over that which the learned ones took.
  double gain = 0;
  size_t moves = 0;
};

// A learner that is told SPEEDS, and begins with the ranges that follow from them.
class Learner {
public:
  Learner(const Times &speeds, size_t ids);
  const gomp_fold_ranges *operator->() const { return learner_.get(); }
  gomp_fold_ranges *get() const { return learner_.get(); }
  // The id at each place of its ranges.
  const std::vector<unsigned> &order() const { return order_; }

private:
  std::vector<unsigned> order_;
  std::unique_ptr<gomp_fold_ranges, void (*)(gomp_fold_ranges *)> learner_;
};

Case random_case(std::mt19937_64 &random);

Outcome play(const Case &program, std::mt19937_64 &random);

} // namespace learn
