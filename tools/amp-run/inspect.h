// SPDX-License-Identifier: GPL-3.0-or-later
// Finds out whether a program would use our library if it is preloaded.
#pragma once

#include <optional>
#include <string>

namespace amp {

// Whether FILE, a path or a bare name, is a library of an OpenMP runtime other than libgomp.
bool is_other_runtime(const std::string &file);

// The run-time library of AddressSanitizer that PROGRAM loads, and that has to come first; empty if
// it loads none.
std::string sanitizer_of(const std::string &program);

// Returns why PROGRAM, an executable file, would not run on LIBRARY, and what to do about it.
// Returns nothing if it would, also for a program that uses no OpenMP: it may load a plug-in that
// does. LD_PRELOAD of this process must already name LIBRARY. PROGRAM itself does not run.
// Throws std::system_error if LIBRARY cannot be read.
std::optional<std::string> find_obstacle(const std::string &program, const std::string &library);

} // namespace amp
