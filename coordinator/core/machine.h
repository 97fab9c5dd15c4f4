// SPDX-License-Identifier: GPL-3.0-or-later
// A chip: core classes, cores, and the groups of cores that share a last-level cache (LLC).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coord {

// Cores of equal capacity. Class 0 is the slowest.
struct CoreClass {
  double ghz = 1; // > 0
  int cores = 0;  // of this class
};

struct Core {
  int core_class = 0;
  int llc = 0; // index into Machine::llcs
};

struct Llc {
  double bytes = 2 << 20;
  int cores = 0; // that share it
};

struct Machine {
  std::vector<CoreClass> classes; // slowest first
  std::vector<Core> cores;        // by number; those of a class need not be adjacent
  std::vector<Llc> llcs;
  double memory_ns = 100;       // latency of a miss in the LLC
  double memory_gbps = 10;      // bandwidth of memory, 10^9 bytes/s
  double interconnect_gbps = 8; // bandwidth between the LLCs, 10^9 bytes/s

  int class_count() const { return static_cast<int>(classes.size()); }
  int core_count() const { return static_cast<int>(cores.size()); }
  int fastest() const { return class_count() - 1; }
  // The clock of class C over that of class 0: the speedup factor of code that never waits for
  // memory.
  double clock_ratio(int c) const { return classes[c].ghz / classes[0].ghz; }
};

// The machine "4x3.0+4x1.0": COUNTxGHZ terms in any order, core numbers in order of the terms.
// Every SHARE consecutive cores of a term share one LLC of BYTES; 0: all cores of the term share
// one. Throws std::invalid_argument, with what is expected, if TEXT is not such a list.
Machine parse_machine(std::string_view text, int share = 0, double bytes = 2 << 20);

// As parse_machine reads it, fastest class first.
std::string machine_name(const Machine &machine);

} // namespace coord
