// SPDX-License-Identifier: GPL-3.0-or-later
// What the library knows of this machine, as amp-info, which is beside this program, prints it; and
// which of the MPI ranks of this node the process is, as its launcher says in the environment.
#pragma once

#include "common/cpulist.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace amp {

struct Machine {
  std::string name;             // what it is, and its classes: the fingerprint of entries
  std::vector<CpuList> classes; // what this process may use of each class, the fastest first
  int threads = 0;              // of a team that is not folded
  int ids = 0, workers = 0;     // of a team that is folded; 0: it would not be

  bool uneven() const { return classes.size() > 1; }
};

// This machine, asked once. Throws Failure if amp-info does not run.
const Machine &ask_machine();

struct LocalRank {
  std::string launcher; // for messages
  std::string variable; // the one that has the rank
  int rank = 0;         // 0..size - 1
  int size = 1;
  // Whether the launcher says itself that it has bound the rank or not; else its mask shows it.
  std::optional<bool> bound;
};

// Returns the value of an environment variable, or null.
using Variables = std::function<const char *(const char *name)>;

// The local rank that VARIABLES have; nothing if no launcher has set any. An mpirun that a batch
// system has started counts, not the batch system. Throws Failure, which names the variable, if a
// value is not what its launcher documents.
std::optional<LocalRank> find_local_rank(const Variables &variables);

// Sets the affinity mask of this process, which is RANK, to what amp-info --ranks gives it of the
// CPUs that the process may use. Does nothing if the launcher has bound the process, which then has
// another mask than the launcher. Reports on stderr the result if VERBOSE, that the launcher has
// bound the process if the user ASKED for cores, and in any case that there are too few CPUs.
// Throws Failure if the mask cannot be set.
void confine_rank(const LocalRank &rank, bool asked, bool verbose);

} // namespace amp
