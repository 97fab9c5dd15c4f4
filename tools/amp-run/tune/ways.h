// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to run a program (ways.def): what each sets, and to which programs each applies.
#pragma once

#include "amp-run/amp-info.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

enum class Applies { any, uneven, three, folds, loops };

struct Variable {
  const char *name = nullptr; // null behind the last one
  const char *value = nullptr;
};

struct Way {
  const char *name;
  std::size_t classes; // the fastest ones; 0: all
  Applies applies;
  bool carries_over;
  const char *text;
  std::array<Variable, 1> variables;
};

enum WayIndex : unsigned {
#define AMP_WAY(ident, ...) way_##ident,
#include "amp-run/tune/ways.def"
  way_count
};

extern const std::array<Way, way_count> ways;

// The way called NAME; null if there is none.
const Way *find_way(std::string_view name);

// The way that NAME in an entry stands for: also a name that folded had once.
const Way *find_remembered_way(std::string_view name);

// The CPUs of the classes that WAY uses; empty: all.
CpuList cpus_of(const Way &way, const Machine &machine);

// How many threads the teams of WAY have.
int threads_of(const Way &way, const Machine &machine);

// The names of all ways: "plain, bound, ...".
std::string way_names();

// What can be seen of a program before it runs. UNSEEN: it may load or start code that is not seen.
struct Traits {
  bool unseen = false;
  bool parallel = false;  // has parallel regions
  bool reachable = false; // has loops that call the library
};

// Whether WAY can make a difference to a program with TRAITS on MACHINE.
bool applies(const Way &way, const Traits &traits, const Machine &machine);

// All that apply; plain is the first.
std::vector<const Way *> ways_for(const Traits &traits, const Machine &machine);

// The variables by which a user decides what a way would decide. If one of them is set, no entry
// counts.
const std::vector<const char *> &deciding_variables();

// The first of these that is set and not empty; null if none is.
const char *decided_by();

} // namespace amp
