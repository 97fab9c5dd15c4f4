// SPDX-License-Identifier: GPL-3.0-or-later
// The environment variables that describe an emulated machine to an OpenMP program.
#pragma once

#include "common/cpulist.h"

#include <string>
#include <utility>
#include <vector>

namespace amp {

// A CPU and how many times slower than the fastest CPU it is, >= 1.
struct CpuSpeed {
  int cpu;
  double factor;
};

// CPUS with their factors scaled so that the smallest is 1.
std::vector<CpuSpeed> relative_to_fastest(std::vector<CpuSpeed> cpus);

// GOMP_AMP_TOPOLOGY for CPUS: "0=1024,1=517", in ascending order of the CPUs.
std::string topology_of(std::vector<CpuSpeed> cpus);

// OMP_PLACES for CPUS: one place for each CPU, the fastest first, equal CPUs in ascending order.
std::string places_of(std::vector<CpuSpeed> cpus);

using Variables = std::vector<std::pair<std::string, std::string>>;

// The variables for a program on CPUS. With BIND also those that bind its threads, in every OpenMP
// runtime, to one CPU each: the first threads to the fastest CPUs.
Variables variables_for(const std::vector<CpuSpeed> &cpus, bool bind);

// Sets those of VARIABLES that the environment does not have. If the environment has a variable
// that binds threads (also GOMP_AMP_AFFINITY, GOMP_CPU_AFFINITY or KMP_AFFINITY), it sets none of
// those that bind threads. Returns the variables that it set.
Variables set_unset(const Variables &variables);

} // namespace amp
