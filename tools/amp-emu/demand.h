// SPDX-License-Identifier: GPL-3.0-or-later
// The memory bandwidth that a program's code demands: the file of --demand.
#pragma once

#include "amp-emu/loop-factors.h"

#include <string>
#include <vector>

namespace amp {

constexpr double max_demand = 1'000'000; // GB/s, also the library's limit

// In GB/s on a core of speed 1 that is alone.
struct Demands {
  double program = 0;             // of all code that is in no loop of LOOPS
  std::vector<LoopFactors> loops; // a loop's demand is its factor of class 0
};

// Parses TEXT, lines `program GB/s` or `MODULE+0xOFFSET GB/s`. A comment starts with '#'. Throws
// std::invalid_argument, whose message starts with the number of the line, for a line of another
// form, a demand outside 0..max_demand, and what already has a line.
Demands parse_demands(const std::string &text);

} // namespace amp
