// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/miss_model.h"

#include <algorithm>
#include <cmath>

namespace coord {

double miss_time_ns(double misses, double ghz, double memory_ns) {
  return 4096 * kCpi0 / ghz + misses * memory_ns;
}

std::vector<double> miss_factors(const Machine &machine, double misses) {
  std::vector<double> factors;
  for (const CoreClass &each : machine.classes)
    factors.push_back(miss_time_ns(misses, machine.classes[0].ghz, machine.memory_ns) /
                      miss_time_ns(misses, each.ghz, machine.memory_ns));
  return factors;
}

double misses_of_factor(const Machine &machine, double factor) {
  const double slow = machine.classes.front().ghz, fast = machine.classes.back().ghz;
  return std::max(0.0,
                  4096 * kCpi0 * (1 / slow - factor / fast) / ((factor - 1) * machine.memory_ns));
}

double instructions_per_slow_second(const Machine &machine, double misses, double ipc) {
  return 4096e9 / miss_time_ns(misses, machine.classes[0].ghz * ipc, machine.memory_ns);
}

} // namespace coord
