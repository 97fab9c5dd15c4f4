// SPDX-License-Identifier: GPL-3.0-or-later
// Confines an MPI rank to its share of the node's cores.
#pragma once

#include "amp-run/local-rank.h"

namespace amp {

// Whether the library binds threads to cores under VALUE of GOMP_AMP_AFFINITY, which may be null.
bool binds_threads(const char *value);

// Sets the affinity mask of this process, which is RANK, to what amp-info --ranks gives it of the
// CPUs that the process may use. Does nothing if the launcher has bound the process, which then has
// another mask than the launcher. Reports on stderr the result if VERBOSE, that the launcher has
// bound the process if the user ASKED for cores, and in any case that there are too few CPUs.
// Throws Failure if the mask cannot be set.
void confine_rank(const LocalRank &rank, bool asked, bool verbose);

} // namespace amp
