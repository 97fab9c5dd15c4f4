// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how much slower the CPUs with theft are, and sets the thieves' duties accordingly.
#pragma once

#include "amp-emu/cpulist.h"
#include "amp-emu/steal.h"

#include <vector>

namespace amp {

constexpr double tolerance = 0.05; // relative difference from the factor asked for

constexpr int window_count = 5; // the windows behind a figure that is reported
constexpr int window_ms = 100;  // the length of each

struct Slowed {
  int cpu;
  double asked;       // how many times slower than the other CPUs it is to be, >= 1
  double reached = 0; // how many times slower it is, as measured
};

// Whether CPU is as slow as was asked, within TOLERANCE.
bool is_near(const Slowed &cpu, double within);

// The duty with which a CPU should be as slow as asked, given that it was MEASURED times slower
// than the others with DUTY, and NATURAL times slower without theft: between 0 and MAXIMUM.
double next_duty(double duty, double measured, double natural, double asked, double maximum);

// Measures, with the thieves' present duties, how much slower than those of REFERENCE each of
// CPUS is; sets its `reached`. All CPUs of both lists compute at the same time, before normal
// threads; the factor of a window is the median speed of REFERENCE / that of the CPU, and the
// result the median of COUNT windows. Takes COUNT * 0.12 s.
void measure(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, int count);

// Sets the duty of THIEVES, at most MAXIMUM, so that CPUS (the same as the thieves', in their
// order) reach the factors asked for within `tolerance`, as far as the machine's noise permits, and
// their `reached` to the figures of a measurement with the final duties. Takes 2 to 7 seconds.
void calibrate(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference,
               double maximum);

} // namespace amp
