// SPDX-License-Identifier: GPL-3.0-or-later
// A machine of unequal cores, as the user describes it: 4x3.0+4x1.0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace amp {

constexpr int max_cores = 1024;
constexpr std::size_t max_classes = 64; // of the library, too
constexpr double min_speed = 0.001, max_speed = 1000;

// Cores of equal speed; only the ratios of speeds mean anything.
struct CoreClass {
  int cores;
  double speed;
};

// From the fastest class, whose cores have the lowest numbers, to the slowest; speeds are strictly
// falling. Class number 0, in the words of the runtime, is the last one.
using Machine = std::vector<CoreClass>;

// Parses classes COUNTxSPEED joined by '+'. Throws std::invalid_argument, saying which piece of
// TEXT is wrong and what is accepted, unless there are at most max_classes, counts are 1 or more
// and at most max_cores together, and speeds are decimals in min_speed..max_speed, each lower than
// the one before.
Machine parse_machine(const std::string &text);

// The shortest text that parse_machine turns into MACHINE.
std::string format_machine(const Machine &machine);

} // namespace amp
