// SPDX-License-Identifier: GPL-3.0-or-later
// Prints what the library reports of folded teams (GOMP_AMP_FOLD) at the end of a process.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace amp {

// TEAMS, the library's list of the sizes of folded teams, as a line each that begins with PREFIX.
// Throws nlohmann::json::exception if a figure is missing.
std::string describe_folded(const nlohmann::ordered_json &teams, const std::string &prefix);

} // namespace amp
