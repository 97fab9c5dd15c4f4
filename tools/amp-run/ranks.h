// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the MPI ranks of this node the process is, as its launcher says in the environment, and
// its share of the node's cores.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace amp {

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
