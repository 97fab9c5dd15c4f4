// SPDX-License-Identifier: GPL-3.0-or-later
// The machine as the kernel describes it: its cores, and the CPUs of each.
#pragma once

#include "core/machine.h"
#include "linux/cpu-set.h"

#include <string>
#include <vector>

namespace coord {

// It is found as the runtime finds it, by the runtime's own files (libgomp/amp/machine).
struct Chip {
  Machine machine;                // the classes that have a CPU here, without caches
  int runtime_classes = 0;        // of the whole machine, as runtimes number them
  std::vector<int> runtime_class; // the number there of each class
  std::vector<CpuSet> cpus;       // of each core, its hardware threads
  std::vector<CpuSet> class_cpus; // of all cores of a class
  CpuSet all;
  std::string source; // what the classes are from

  // -1: not one of ours.
  int core_of(int cpu) const;
  // What a runtime has measured of all of its classes, for those here. Empty: it has others, such
  // as those that its user gave it.
  std::vector<double> factors(const std::vector<double> &measured) const;
};

// The CPUs of ALLOWED, of which there is at least one, but for isolated ones, by the files under
// ROOT, which is /sys unless in tests. CLASSES, a value of GOMP_AMP_TOPOLOGY as "0-3=1024,4-7=446",
// replaces what the kernel says: CPUs and their capacity. Throws std::invalid_argument if it is not
// that.
Chip read_chip(const std::string &root, const CpuSet &allowed, const std::string &classes = {});

} // namespace coord
