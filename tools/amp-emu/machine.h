// SPDX-License-Identifier: GPL-3.0-or-later
// A machine of unequal cores, in the user's notation: 4x3.0+4x1.0.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace amp {

constexpr int max_cores = 1024;
constexpr std::size_t max_classes = 64; // also the library's limit
constexpr double min_speed = 0.001, max_speed = 1000;

// Cores of equal speed. Only the ratios of speeds have a meaning.
struct CoreClass {
  int cores;
  double speed;
};

// From the fastest class, whose cores have the lowest numbers, to the slowest. Speeds are strictly
// decreasing. The last class is the runtime's class number 0.
using Machine = std::vector<CoreClass>;

// Parses classes COUNTxSPEED joined by '+'. There are at most max_classes. Counts are 1 or more and
// at most max_cores together. Speeds are decimals in min_speed..max_speed, each lower than the one
// before. Otherwise throws std::invalid_argument, which says which piece of TEXT is wrong and what
// is accepted.
Machine parse_machine(const std::string &text);

// The shortest text that parse_machine turns into MACHINE.
std::string format_machine(const Machine &machine);

} // namespace amp
