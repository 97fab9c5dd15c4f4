// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a value of OMP_SCHEDULE is a schedule, by the library's own parser.
#pragma once

#include <optional>
#include <string>

namespace amp {

// What amp-run ends with if a schedule is none.
constexpr int exit_bad_schedule = 2;

// Returns what is wrong with VALUE, a value of GOMP_AMP_SCHEDULE if ROUTED and else of
// OMP_SCHEDULE, what is expected, and the nearest name if the schedule's is not known; nothing if
// the library accepts it. Of OMP_SCHEDULE a blank value is accepted, and one that begins with a
// schedule of OpenMP, which upstream's part of the library judges.
std::optional<std::string> fault_of_schedule(const std::string &value, bool routed);

} // namespace amp
