// SPDX-License-Identifier: GPL-3.0-or-later
// Allocations that policies choose from measured operating points, held against the best of all:
// nothing is modelled.
#pragma once

#include "model/points_file.h"

#include <functional>

namespace coord {

// One way to share the cores among some measured programs.
struct Chooser {
  const char *name, *how;
  std::function<Allocation(std::span<const int> cores,
                           std::span<const MeasuredProgram *const> programs)>
      choose;
};

// The policies, on the points as they are or on the concave sum nearest to them, and the optima
// for each objective.
std::vector<Chooser> choosers();

// What an allocation is worth.
struct Worth {
  double stp = 0;    // sum of seconds alone on all cores / seconds
  double antt = 0;   // mean of seconds / seconds alone; without those left out
  double joules = 0; // mean of joules of a run / its least; without those left out
  int left_out = 0;  // programs without a core
};
Worth worth(std::span<const MeasuredProgram *const> programs, const Allocation &allocation);

// Means over all sets of SIZE programs; the best is the first chooser's STP.
struct Summary {
  const char *name, *how;
  double stp = 0, of_best = 0, worst = 1; // the worst: of all ratios to the best
  double antt = 0, joules = 0;
  int left_out = 0; // sets in which a program has no core
};
std::vector<Summary> summarise(std::span<const MeasuredProgram> programs, int size);

// In Markdown, for all pairs and triples of what read_points reads of FILE. Throws as it does.
std::string replay(std::istream &file, const std::string &name);

} // namespace coord
