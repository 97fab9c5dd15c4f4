// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to run a program (ways.def): what each sets, to which programs each applies, and how one
// is put into force for the program that this process executes.
#pragma once

#include "amp-run/machine.h"
#include "amp-run/program.h"

#include <array>
#include <optional>
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

// Whether WAY can make a difference to a program with TRAITS on MACHINE.
bool applies(const Way &way, const Traits &traits, const Machine &machine);

// All that apply; plain is the first.
std::vector<const Way *> ways_for(const Traits &traits, const Machine &machine);

// The variables by which a user decides what a way would decide. If one of them is set, no entry
// counts.
const std::vector<const char *> &deciding_variables();

// The first of these that is set and not empty; null if none is.
const char *decided_by();

// LIST, a value of LD_PRELOAD, with LIBRARY behind its first entry, or behind AddressSanitizer's
// library and that; LIST itself if that has LIBRARY.
std::string with_second(const std::string &list, const std::string &library);

// Sets NAME to VALUE in the program's environment. Prints that if VERBOSE.
void set_variable(const char *name, const std::string &value, bool verbose);

// Puts WAY into force, in place of what the environment says. TARGET does not hand its folding on
// to programs that it starts, unless it is a script of the shell.
void take_way(const Way &way, const Target &target, bool verbose);

// Has the program run on CPUS alone.
void confine_to(const CpuList &cpus, bool verbose);

// What TARGET needs in addition to its way if it is folded: a second preload, and OMP_NUM_THREADS
// for programs of Python, which take no more threads than there are CPUs without it.
void prepare_folding(const Target &target, bool verbose);

// Forgets what an amp-run that started this process decided for another program than EXECUTABLE.
void drop_way_of_parent(const std::string &executable);

// The exit status of amp-run for an invalid schedule.
constexpr int exit_bad_schedule = 2;

// Returns nothing if the library accepts VALUE, a value of GOMP_AMP_SCHEDULE if ROUTED, else of
// OMP_SCHEDULE. Otherwise returns what is wrong, what is expected, and the nearest name if the
// schedule's name is unknown. For OMP_SCHEDULE it accepts a blank value, and every value that
// begins with a schedule of OpenMP: upstream's part of the library checks those.
std::optional<std::string> fault_of_schedule(const std::string &value, bool routed);

// What is wrong with VALUE of GOMP_AMP_FOLD; nothing if the library accepts it.
std::optional<std::string> fault_of_fold(const std::string &value);

// Whether the environment says that teams are folded, and that threads are bound to cores.
bool folds();
bool binds_threads();

} // namespace amp
