// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how much slower the CPUs with theft are, and sets the thieves' duties from that.
#pragma once

#include "amp-emu/steal.h"
#include "common/cpulist.h"

#include <vector>

namespace amp {

constexpr double tolerance = 0.05; // relative difference from the factor asked for that is reported
constexpr double aim = 0.02;       // relative difference that ends the search

constexpr int window_count = 5; // the number of windows for a figure that is reported
constexpr int window_ms = 100;  // the length of each

constexpr Nanoseconds longest_period = 1'000'000;

struct Slowed {
  int cpu;
  double asked;       // how many times slower than the reference it must be, >= 1
  double reached = 0; // how many times slower it is, as measured
};

// Whether CPU is as slow as asked, with a relative difference of at most WITHIN.
bool is_near(const Slowed &cpu, double within);

// The cycle of a thief that makes a CPU ASKED times slower than the reference. With CYCLE the CPU
// was MEASURED times slower, and without theft NATURAL times. The duty is at most MAXIMUM.
// Waking up takes time, too. If it alone takes most of the time to steal, the period grows until it
// takes half, but at most to longest_period.
Cycle next_cycle(Cycle cycle, double measured, double natural, double asked, double maximum);

// Measures how much slower each of CPUS is with the thieves' current cycles, and sets its
// `reached`. All CPUs compute at the same time, before normal threads. The factor of a window is
// the speed of the reference / the speed of the CPU; the result is the median of COUNT windows. The
// speed of the reference is the median of the CPUs REFERENCE in that window. If there are none, it
// is the median of all CPUS in a window without theft just before. Takes COUNT * 0.13 s, or twice
// that.
void measure(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, int count);

// Sets the cycles of THIEVES, with duties of at most MAXIMUM, so that CPUS reach the factors asked
// for within `aim`. CPUS are those of the thieves, in their order. On a noisy machine the result is
// the best of ATTEMPTS (at least 1). Sets `reached` to the figures of a measurement with these
// cycles. Returns the number of attempts; each takes 1 to 4 seconds.
int calibrate(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, double maximum,
              int attempts);

} // namespace amp
