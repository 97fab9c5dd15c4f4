// SPDX-License-Identifier: GPL-3.0-or-later
// Values of GOMP_AMP_FOLD, by the library's own parser.
#pragma once

#include <optional>
#include <string>

namespace amp {

// What is wrong with VALUE, and what is expected; nothing if the library accepts it.
std::optional<std::string> fault_of_fold(const std::string &value);

// Whether the library folds teams under VALUE, which may be null: the variable is not set.
bool folds_teams(const char *value);

} // namespace amp
