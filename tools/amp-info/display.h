// SPDX-License-Identifier: GPL-3.0-or-later
// The library's own account of its options, as omp_display_env prints it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace amp {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Reads the lines "NAME = 'VALUE'" (with or without a "[host] " before the name) of TEXT, what
// omp_display_env printed, in their order. Other lines are skipped.
Variables parse_display(const std::string &text);

// Those of DISPLAYED that are options of the library (options.def) and not at their default.
Variables changed_options(const Variables &displayed);

} // namespace amp
