// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the environment variables of an emulated machine.
#include "amp-emu/environment.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace amp {

constexpr double full_capacity = 1024; // of the fastest CPU, as in the kernel's cpu_capacity

static int capacity_of(const CpuSpeed &cpu) {
  const double capacity = full_capacity / std::max(cpu.factor, 1.0);
  return std::max(1, static_cast<int>(std::lround(capacity)));
}

std::vector<CpuSpeed> relative_to_fastest(std::vector<CpuSpeed> cpus) {
  const auto fastest =
      std::min_element(cpus.begin(), cpus.end(),
                       [](const CpuSpeed &a, const CpuSpeed &b) { return a.factor < b.factor; });
  const double least = fastest == cpus.end() ? 1 : fastest->factor;
  for (CpuSpeed &cpu : cpus)
    cpu.factor /= least;
  return cpus;
}

std::string topology_of(std::vector<CpuSpeed> cpus) {
  std::sort(cpus.begin(), cpus.end(),
            [](const CpuSpeed &a, const CpuSpeed &b) { return a.cpu < b.cpu; });
  std::string text;
  for (auto first = cpus.begin(); first != cpus.end();) {
    // One item for each range: a list of ranges would contain commas, which separate items.
    auto last = first;
    while (last + 1 != cpus.end() && last[1].cpu == last->cpu + 1 &&
           capacity_of(last[1]) == capacity_of(*first))
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first->cpu);
    if (last != first)
      text += "-" + std::to_string(last->cpu);
    text += "=" + std::to_string(capacity_of(*first));
    first = last + 1;
  }
  return text;
}

std::string places_of(std::vector<CpuSpeed> cpus) {
  std::sort(cpus.begin(), cpus.end(), [](const CpuSpeed &a, const CpuSpeed &b) {
    return std::make_pair(a.factor, a.cpu) < std::make_pair(b.factor, b.cpu);
  });
  std::string text;
  for (const CpuSpeed &cpu : cpus)
    text += (text.empty() ? "{" : ",{") + std::to_string(cpu.cpu) + "}";
  return text;
}

Variables variables_for(const std::vector<CpuSpeed> &cpus, bool bind) {
  Variables variables = {{"GOMP_AMP_TOPOLOGY", topology_of(cpus)}};
  if (bind) {
    variables.emplace_back("OMP_PLACES", places_of(cpus));
    variables.emplace_back("OMP_PROC_BIND", "true");
  }
  return variables;
}

// The variables by which users bind threads in our library and in others.
constexpr const char *binding_variables[] = {"OMP_PLACES", "OMP_PROC_BIND", "GOMP_AMP_AFFINITY",
                                             "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};

static bool binds_threads(const std::string &name) {
  return std::find(std::begin(binding_variables), std::end(binding_variables), name) !=
         std::end(binding_variables);
}

Variables set_unset(const Variables &variables) {
  const bool bound = std::any_of(std::begin(binding_variables), std::end(binding_variables),
                                 [](const char *name) { return std::getenv(name) != nullptr; });
  Variables set;
  for (const auto &variable : variables) {
    if (std::getenv(variable.first.c_str()) || (bound && binds_threads(variable.first)))
      continue;
    if (setenv(variable.first.c_str(), variable.second.c_str(), 1) != 0)
      throw std::system_error(errno, std::generic_category(), variable.first);
    set.push_back(variable);
  }
  return set;
}

} // namespace amp
