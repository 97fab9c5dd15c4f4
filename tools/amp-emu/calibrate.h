// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how much slower the CPUs with theft are, and sets the thieves' duties accordingly.
#pragma once

#include "amp-emu/steal.h"
#include "common/cpulist.h"

#include <vector>

namespace amp {

constexpr double tolerance = 0.05; // relative difference from the factor asked for that is reported
constexpr double aim = 0.02;       // and the one that ends the search

constexpr int window_count = 5; // the windows behind a figure that is reported
constexpr int window_ms = 100;  // the length of each

constexpr Nanoseconds longest_period = 1'000'000;

struct Slowed {
  int cpu;
  double asked;       // how many times slower than the reference it is to be, >= 1
  double reached = 0; // how many times slower it is, as measured
};

// Whether CPU is as slow as was asked, within the relative difference WITHIN.
bool is_near(const Slowed &cpu, double within);

// What a thief should do for a CPU to be ASKED times slower than the reference, given that with
// CYCLE it was MEASURED times slower, and NATURAL times without theft; the duty is at most MAXIMUM.
// Waking up takes time too: where that alone is most of what is to be stolen, the period grows, up
// to longest_period, until it is half.
Cycle next_cycle(Cycle cycle, double measured, double natural, double asked, double maximum);

// Measures how much slower each of CPUS is with the thieves' present cycles; sets its `reached`.
// All CPUs compute at the same time, before normal threads. The factor of a window is the speed of
// the reference / that of the CPU, and the result the median of COUNT windows. The speed of the
// reference is the median of the CPUs REFERENCE in that window; if there are none, the median of
// all CPUS in a window without theft just before. Takes COUNT * 0.13 s, or twice that.
void measure(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, int count);

// Sets the cycles of THIEVES, with duties of at most MAXIMUM, so that CPUS (the same as the
// thieves', in their order) reach the factors asked for within `aim`, or as near as ATTEMPTS (at
// least 1) come on a noisy machine, and their `reached` to the figures of a measurement with these
// cycles. Returns how many attempts it took; each is 1 to 4 seconds.
int calibrate(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, double maximum,
              int attempts);

} // namespace amp
