// SPDX-License-Identifier: GPL-3.0-or-later
// The environment variables that describe an emulated machine to an OpenMP program.
#pragma once

#include "common/cpulist.h"

#include <string>
#include <utility>
#include <vector>

namespace amp {

// A CPU and how many times slower it is than the fastest, >= 1.
struct CpuSpeed {
  int cpu;
  double factor;
};

// CPUS with factors of which the smallest is 1.
std::vector<CpuSpeed> relative_to_fastest(std::vector<CpuSpeed> cpus);

// GOMP_AMP_TOPOLOGY for CPUS: "0=1024,1=517", in ascending order of the CPUs.
std::string topology_of(std::vector<CpuSpeed> cpus);

// OMP_PLACES for CPUS: one place a CPU, the fastest first, equal ones in ascending order.
std::string places_of(std::vector<CpuSpeed> cpus);

using Variables = std::vector<std::pair<std::string, std::string>>;

// The variables that a program on CPUS gets; with BIND also those that bind its threads, of
// whatever OpenMP runtime, to one CPU each, the first ones to the fastest.
Variables variables_for(const std::vector<CpuSpeed> &cpus, bool bind);

// Sets those of VARIABLES that the environment does not have, and none of those that bind threads
// if it has any such (GOMP_AMP_AFFINITY, GOMP_CPU_AFFINITY and KMP_AFFINITY are some as well).
// Returns those it set.
Variables set_unset(const Variables &variables);

} // namespace amp
