// SPDX-License-Identifier: GPL-3.0-or-later
// What folded programs need in addition to the library.
#pragma once

#include <optional>
#include <string>

namespace amp {

// Whether the environment says that teams are folded: GOMP_AMP_FOLD is set, and neither empty nor
// zero.
bool folds();

// LIST, a value of LD_PRELOAD, with LIBRARY behind its first entry; LIST itself if that has
// LIBRARY.
std::string with_second(const std::string &list, const std::string &library);

// If the program's teams will be folded, adds libamp-yield.so to LD_PRELOAD, behind the library
// itself, and returns the new value.
std::optional<std::string> preload_for_folding();

} // namespace amp
