// SPDX-License-Identifier: GPL-3.0-or-later
// The machines, programs and workloads of paper 004.
#pragma once

#include "sim/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace coord {

// "AMD-2,2", "Intel-2,2", "AMD-12,4".
Machine spec_machine(std::string_view name);

struct SpecWorkload {
  const char *name;
  std::vector<const char *> programs;
  int copies; // of each on AMD-12,4
};

// Set 1: HH1 to MH4; set 2: W1 to W8, on AMD-12,4 only.
const std::vector<SpecWorkload> &spec_set1();
const std::vector<SpecWorkload> &spec_set2();

// Instructions per cycle of real programs rise and fall within seconds; how, the paper does not
// say. Ours do by this much to both sides.
constexpr double kUsualSwing = 0.15;

// The program NAME as it runs on MACHINE, with WORK seconds on a slow core. Its speedup on the fast
// cores is fitted to the seven gains of best static in figure 2; on Intel it follows from the
// misses of that by the model, half of them for the larger cache.
Program spec_program(const Machine &machine, std::string_view name, double work,
                     double swing = kUsualSwing);

// Its speedup factor there.
double spec_factor(const Machine &machine, std::string_view name);

} // namespace coord
