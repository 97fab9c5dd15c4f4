// SPDX-License-Identifier: GPL-3.0-or-later
// The values of the library's options, as omp_display_env prints them.
#pragma once

#include "amp-info/report.h"

#include <string>
#include <utility>
#include <vector>

namespace amp {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Reads the lines "NAME = 'VALUE'" (with or without a "[host] " before the name) of TEXT, the
// output of omp_display_env, in their order. Other lines are skipped.
Variables parse_display(const std::string &text);

// The options of the library (options.def) in DISPLAYED that are not at their default.
Variables changed_options(const Variables &displayed);

// The plan in VALUE, one of LIBGOMP_AMP_FOLD and LIBGOMP_AMP_FOLD_AUTO. What is not a plan is the
// reason why there is none.
FoldPlan parse_fold_plan(const std::string &value);

} // namespace amp
