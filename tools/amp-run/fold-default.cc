// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for what folding would change against the user's will, and for regions that take turns.
#include "amp-run/fold-default.h"

#include <cstdlib>

namespace amp {

namespace {

// The variable by which the user says how loops are shared out or where threads run, which folding
// would change: "OMP_SCHEDULE is set". Nothing if none is.
std::optional<std::string> what_the_user_decided() {
  for (const char *const name : {"OMP_SCHEDULE", "GOMP_AMP_SCHEDULE", "OMP_PROC_BIND", "OMP_PLACES",
                                 "GOMP_CPU_AFFINITY", "GOMP_AMP_AFFINITY"})
    if (const char *const value = std::getenv(name); value && *value)
      return std::string(name) + " is set";
  return std::nullopt;
}

// Why threads of parallel regions with USE would take turns; empty if the regions are called.
std::string why_turns(const OpenMPUse &use, FoldCalls calls) {
  if (calls == FoldCalls::off)
    return "GOMP_AMP_FOLD_CALLS is off";
  if (calls == FoldCalls::automatic && use.thread_local_size != 0)
    return "it has " + std::to_string(use.thread_local_size) + " bytes of thread-local variables";
  if (use.waits || use.tasks)
    return "it has barriers, ordered parts or tasks";
  return "";
}

} // namespace

std::optional<std::string> reason_not_to_fold(const Modules &modules, FoldCalls calls) {
  if (const auto decided = what_the_user_decided())
    return decided;
  if (modules.any(&OpenMPUse::routed))
    return "it has loops that amp-gcc routed, which the library shares out itself";
  if (!modules.any(&OpenMPUse::parallel))
    return "neither it nor the libraries that it loads at its start have parallel regions";
  for (const Module &module : modules.using_openmp)
    if (const std::string why = why_turns(module.use, calls); module.use.parallel && !why.empty())
      return "threads may take turns in " + module.file + ": " + why;
  return std::nullopt;
}

} // namespace amp
