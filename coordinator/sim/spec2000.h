// SPDX-License-Identifier: GPL-3.0-or-later
// The machines, programs and workloads of paper 004.
#pragma once

#include "sim/memory.h"
#include "sim/scenario.h"

#include <array>
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

// What no paper says of the programs. A seed draws, for each of them, its instructions per cycle
// without misses (of which the policies' model assumes one value for all), the lengths of its
// phases and its misses in smaller caches; for mcf the length of a cycle of its two phases; for the
// machine the latency of remote memory.
struct SpecDraw {
  std::uint64_t seed = 0;
  double ipc_spread = 0.2; // to both sides
  double remote = 0;       // latency of memory of another chip over the own one; 0: drawn
  double swing = 0.15;     // of instructions per cycle and of misses, from phase to phase
};

// The program NAME as it runs on MACHINE, with WORK seconds on a slow core. Its speedup on the fast
// cores is fitted to the seven gains of best static in figure 2; on Intel half of its misses are
// left for the larger cache. Policies are told its misses.
Program spec_program(const Machine &machine, std::string_view name, double work,
                     const SpecDraw &draw = {});

// Memory of another chip of AMD-12,4 over the own one: 1.15 to 1.2, chosen with A6 and A11 in view.
double spec_remote(const SpecDraw &draw);

// art in caches of 16 ways, as paper 004 prints it, in the sizes of MemoryUse::misses.
constexpr std::array<double, 11> kArt = {427, 427, 427, 427, 427, 424, 337, 107, 11, 0, 0};

// What a shared cache sees of the program NAME.
MemoryUse spec_memory_use(const Machine &machine, std::string_view name, const SpecDraw &draw);

// Its speedup factor there.
double spec_factor(const Machine &machine, std::string_view name);

} // namespace coord
