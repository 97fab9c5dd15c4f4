// SPDX-License-Identifier: GPL-3.0-or-later
// The table of ways.
#include "amp-run/tune/ways.h"

#include <algorithm>
#include <cstdlib>

namespace amp {

const std::array<Way, way_count> ways = {{
#define AMP_WAY(ident, name, classes, kind, carries_over, text, ...)                               \
  {name, classes, Applies::kind, carries_over, text, {{__VA_ARGS__}}},
#include "amp-run/tune/ways.def"
}};

const Way *find_way(std::string_view name) {
  for (const Way &way : ways)
    if (way.name == name)
      return &way;
  return nullptr;
}

const Way *find_remembered_way(std::string_view name) {
  return name == "turns" || name == "calls" ? &ways[way_folded] : find_way(name);
}

CpuList cpus_of(const Way &way, const Machine &machine) {
  CpuList cpus;
  for (std::size_t i = 0; i < std::min(way.classes, machine.classes.size()); ++i)
    cpus.insert(cpus.end(), machine.classes[i].cpus.begin(), machine.classes[i].cpus.end());
  return cpus;
}

int threads_of(const Way &way, const Machine &machine) {
  if (way.applies == Applies::folds)
    return machine.ids;
  const auto cpus = static_cast<int>(cpus_of(way, machine).size());
  return cpus == 0 || std::getenv("OMP_NUM_THREADS") ? machine.threads
                                                     : std::min(cpus, machine.threads);
}

std::string way_names() {
  std::string names;
  for (const Way &way : ways)
    names += (names.empty() ? "" : ", ") + std::string(way.name);
  return names;
}

bool applies(const Way &way, const Traits &traits, const Machine &machine) {
  switch (way.applies) {
  case Applies::any:
    return true;
  case Applies::uneven:
    return machine.uneven();
  case Applies::three:
    return machine.classes.size() > 2;
  case Applies::folds:
    return machine.ids > 0 && (traits.unseen || traits.parallel);
  case Applies::loops:
    return machine.uneven() && (traits.unseen || traits.reachable);
  }
  return false;
}

std::vector<const Way *> ways_for(const Traits &traits, const Machine &machine) {
  std::vector<const Way *> result;
  for (const Way &way : ways)
    if (applies(way, traits, machine))
      result.push_back(&way);
  return result;
}

const std::vector<const char *> &deciding_variables() {
  static const std::vector<const char *> names = {
      "GOMP_AMP_FOLD", "GOMP_AMP_FOLD_CALLS", "OMP_SCHEDULE",      "GOMP_AMP_SCHEDULE",
      "OMP_PROC_BIND", "OMP_PLACES",          "GOMP_CPU_AFFINITY", "GOMP_AMP_AFFINITY"};
  return names;
}

const char *decided_by() {
  for (const char *const name : deciding_variables())
    if (const char *const value = std::getenv(name); value && *value)
      return name;
  return nullptr;
}

} // namespace amp
