// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenMP runtime that this process has or loads, and what it answers.
#pragma once

#include "amp-info/report.h"

#include <string>

namespace amp {

// Whether an OpenMP runtime is in the process already, as LD_PRELOAD puts it there.
bool runtime_preloaded();

// Loads LIBRARY, or takes the runtime that was preloaded if LIBRARY is empty, and asks it. The
// environment must be complete by then; a preloaded runtime has read it before.
// Opens a parallel region. Throws Failure if the runtime is not libgomp-amp's, or cannot be loaded.
Report ask_runtime(const std::string &library);

} // namespace amp
