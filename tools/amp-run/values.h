// SPDX-License-Identifier: GPL-3.0-or-later
// What the library makes of values of its variables, by its own parsers, which are linked in.
#pragma once

#include <optional>
#include <string>

namespace amp {

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
