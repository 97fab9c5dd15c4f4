// SPDX-License-Identifier: GPL-3.0-or-later
// The table of ways.
#include "amp-run/tune/ways.h"

#include <cstdlib>

namespace amp {

const std::array<Way, way_count> ways = {{
#define AMP_WAY(ident, name, cores, kind, carries_over, text, ...)                                 \
  {name, Cores::cores, Applies::kind, carries_over, text, {{__VA_ARGS__}}},
#include "amp-run/tune/ways.def"
}};

const Way *find_way(std::string_view name) {
  for (const Way &way : ways)
    if (way.name == name)
      return &way;
  return nullptr;
}

std::string way_names() {
  std::string names;
  for (const Way &way : ways)
    names += (names.empty() ? "" : ", ") + std::string(way.name);
  return names;
}

bool applies(const Way &way, const Traits &traits, const Machine &machine) {
  const bool folds = machine.ids > 0 && (traits.unseen || traits.parallel);
  switch (way.applies) {
  case Applies::any:
    return true;
  case Applies::uneven:
    return machine.uneven();
  case Applies::folds:
    return folds;
  case Applies::some_called:
    return folds && (traits.unseen || traits.callable);
  case Applies::some_stateful:
    return folds && (traits.unseen || traits.stateful);
  case Applies::has_loops:
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
