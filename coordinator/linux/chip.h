// SPDX-License-Identifier: GPL-3.0-or-later
// The machine as the kernel describes it: its cores, and the CPUs of each.
#pragma once

#include "core/machine.h"
#include "linux/cpu-set.h"

#include <string>
#include <string_view>
#include <vector>

namespace coord {

struct Chip {
  Machine machine;
  std::vector<CpuSet> cpus;       // of each core, its hardware threads
  std::vector<CpuSet> class_cpus; // of all cores of a class
  CpuSet all;
  std::string source; // what the classes are from

  // -1: not one of ours.
  int core_of(int cpu) const;
};

// The CPUs of ALLOWED, of which there is at least one, by the files under ROOT, which is /sys
// unless in tests. A kernel that says nothing of classes has equal cores. CLASSES, as in
// "0-3=1024,4-7=446", replaces what the kernel says: CPUs and their capacity. Throws
// std::invalid_argument if it is no such list or leaves out a CPU.
Chip read_chip(const std::string &root, const CpuSet &allowed, std::string_view classes = {});

} // namespace coord
