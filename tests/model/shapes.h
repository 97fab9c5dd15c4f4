// SPDX-License-Identifier: GPL-3.0-or-later
// Loops whose iterations cost different times, in every way that a program's may, on machines with
// fast and slow cores: as many as wanted, each made of a number.
#pragma once

#include <string>
#include <vector>

#include "simulation.h"

namespace model {

struct Shape {
  std::string name; // how the cost changes along the loop
  // Speeds and classes of the threads, as a team's numbers go; the slowest core's speed is 1.
  std::vector<double> speeds;
  std::vector<unsigned> classes;
  std::vector<double> cost; // of each iteration on a core of speed 1, in ns
  // The least time that the loop can take on these cores, of which no iteration can be on two.
  double bound = 0;
  // When it ends under inline static code: the threads' equal blocks.
  double inline_static = 0;
  // The longest iteration on the fastest core is longer than all of the work could take.
  bool one_decides = false;

  // To be run under `kind` without a chunk.
  Loop loop(int kind) const;
};

// Which shapes to make.
struct Family {
  // Those named in it; all if it is empty.
  std::vector<std::string> names;
  double shortest_ns = 20e3, longest_ns = 20e6; // what the work takes on all cores
  unsigned max_threads = 32;
};

extern const std::vector<std::string> shape_names;

// Number `seed` of the family.
Shape make_shape(uint64_t seed, const Family &family = {});

} // namespace model
