// SPDX-License-Identifier: GPL-3.0-or-later
// The speedup factor from cache misses (paper 004, 1.1): T(m, f) = 4096 * CPI0 / f + m * L for 4096
// instructions.
#pragma once

#include "core/machine.h"

#include <span>
#include <vector>

namespace coord {

constexpr double kCpi0 = 1.5; // cycles per instruction without misses

// Nanoseconds that 4096 instructions with MISSES (>= 0) take at GHZ, with MEMORY_NS a miss.
double miss_time_ns(double misses, double ghz, double memory_ns);

// SF by class from MISSES per 4096 instructions; the first is 1.
std::vector<double> miss_factors(const Machine &machine, double misses);

// The inverse: the misses at which the fastest class of MACHINE is FACTOR times as fast as the
// slowest. 0 if FACTOR is the ratio of their clocks or more. FACTOR > 1.
double misses_of_factor(const Machine &machine, double factor);

// Instructions that the slowest class executes in a second with MISSES per 4096. IPC: instructions
// per cycle without misses, over those of the model.
double instructions_per_slow_second(const Machine &machine, double misses, double ipc = 1);

} // namespace coord
