// SPDX-License-Identifier: GPL-3.0-or-later
// What policies share that place single threads. A partition is the cores of one class; a team is
// as many entities as it has threads, with one speedup factor.
#pragma once

#include "core/policy.h"

#include <span>
#include <vector>

namespace coord {

// SF by class of an application that is known offline by its factors, else by its misses, else by
// the clocks of the classes alone. What is not positive and finite is not known.
std::vector<double> offline_factors(const Machine &machine, const Profile &profile);

// Threads of STATE that want to run, by class; a thread is in the class where its place has it.
class Partitions {
public:
  Partitions(const Machine &machine, const State &state);

  // -1: thread I of applications in order has no class yet.
  int class_of(const ThreadState &thread) const;
  int threads(int c) const { return counts_[c]; }
  double load(int c) const { return static_cast<double>(counts_[c]) / machine_.classes[c].cores; }
  void move(int from, int to); // -1: from nowhere
  // The class where one more thread has the most of a core; the fastest of those.
  int emptiest() const;
  // A class with fewer threads than cores exists.
  bool idle() const;
  bool idle(int c) const { return counts_[c] < machine_.classes[c].cores; }

private:
  const Machine &machine_;
  std::vector<int> counts_;
};

} // namespace coord
