// SPDX-License-Identifier: GPL-3.0-or-later
// What the library knows of this machine, as amp-info, which is beside this program, prints it.
#pragma once

#include "common/cpulist.h"

#include <optional>
#include <string>
#include <vector>

namespace amp {

// The CPUs that rank NUMBER of SIZE on this node gets; nothing if there are fewer CPUs than ranks.
std::optional<CpuList> cpus_of_rank(int number, int size);

struct CoreClass {
  CpuList cpus;     // those that this process may use
  int capacity = 0; // the fastest has 1024; 0: only the order of the classes is known
};

struct Machine {
  std::string name;               // what it is, and its classes: the fingerprint of entries
  std::vector<CoreClass> classes; // that this process may use, the fastest first
  int threads = 0;                // of a team that is not folded
  int ids = 0, workers = 0;       // of a team that is folded; 0: it would not be

  bool uneven() const { return classes.size() > 1; }
};

// This machine. Throws Failure if amp-info does not run.
Machine ask_machine();

} // namespace amp
