// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the groups of CPUs to slow.
#include "amp-emu/groups.h"

#include "common/command.h"

#include <cstdio>
#include <set>
#include <stdexcept>

namespace amp {

std::vector<Group> read_groups(const std::vector<std::string> &small,
                               const std::vector<double> &factors, const CpuList &online) {
  const auto refuse = [](const std::string &reason) {
    return Failure("steal: " + reason + "; nothing was run");
  };
  if (factors.size() != 1 && factors.size() != small.size())
    throw refuse(std::to_string(factors.size()) + " --sf for " + std::to_string(small.size()) +
                 " --small: give one for all or one for each");
  std::vector<Group> groups;
  std::set<int> named;
  for (std::size_t i = 0; i < small.size(); ++i) {
    try {
      groups.push_back({parse_cpu_list(small[i]), factors[factors.size() == 1 ? 0 : i]});
    } catch (const std::invalid_argument &error) {
      throw refuse(std::string("--small ") + error.what());
    }
    for (const int cpu : groups.back().cpus) {
      const std::string prefix = "--small: CPU " + std::to_string(cpu);
      if (!has(online, cpu))
        throw refuse(prefix + " is not online (" + format_cpu_list(online) + " are)");
      if (!named.insert(cpu).second)
        throw refuse(prefix + " is named twice");
    }
  }
  return groups;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

} // namespace amp
