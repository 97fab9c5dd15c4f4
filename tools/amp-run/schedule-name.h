// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a value of OMP_SCHEDULE is a schedule, by the library's own parser.
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

} // namespace amp
