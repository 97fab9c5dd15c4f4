// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenMP runtime that this process has or loads, and the results of its functions.
#pragma once

#include "amp-info/report.h"

#include <string>

namespace amp {

// Whether the process already has an OpenMP runtime, for example by LD_PRELOAD.
bool runtime_preloaded();

// Loads LIBRARY, or takes the preloaded runtime if LIBRARY is empty, and asks it. The environment
// must be complete at the call; a preloaded runtime has read it before.
// Opens a parallel region. Throws Failure if the runtime is not libgomp-amp's or cannot be loaded.
Report ask_runtime(const std::string &library);

} // namespace amp
