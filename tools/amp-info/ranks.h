// SPDX-License-Identifier: GPL-3.0-or-later
// The cores of each MPI rank of a node, and how launchers are told them.
#pragma once

#include "common/cpulist.h"

#include <cstddef>
#include <string>
#include <vector>

namespace amp {

// What goes to one rank as a whole: a physical core, or one hardware thread of it.
struct Core {
  CpuList cpus;     // those that may be used
  int cls = 0;      // its core class; 0 is the slowest
  int capacity = 0; // of all its CPUs together; 0 = unknown
  int number = -1;  // its place among the node's cores in the order of their lowest CPUs
};

// What one rank has.
struct RankShare {
  CpuList cpus;
  std::vector<int> cores; // their numbers, ascending; empty if the rank has hardware threads
  int capacity = 0;       // of all its cores together; 0 = unknown
};

// The rank that owns each of CORES, of RANKS ranks; 1 <= RANKS <= CORES.size (). Each rank owns a
// core, and none has more capacity than another one by more than that of its own slowest core. If
// the capacity of any core is unknown, numbers of cores count instead, and fast cores are dealt out
// first. Of cores that are alike a rank owns neighbours in CORES.
std::vector<std::size_t> owners_of(const std::vector<Core> &cores, int ranks);

// The shares of RANKS ranks in CORES; of hardware threads, if there are fewer cores than ranks.
// Throws Failure, which names --ranks, if there are fewer of these as well.
std::vector<RankShare> share_cores(const std::vector<Core> &cores, int ranks);

// The value of MPICH's option -bind-to for these ranks.
std::string mpich_binding(const std::vector<RankShare> &shares);

// A rank file of Open MPI's for these ranks on the machine that mpirun runs on. Open MPI counts
// cores as hwloc does, package by package: CPUs of different packages must not be interleaved.
// Throws Failure if ranks share a core.
std::string openmpi_rank_file(const std::vector<RankShare> &shares);

} // namespace amp
