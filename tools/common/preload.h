// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the library that belongs to a tool and has the loader put it into programs.
#pragma once

#include <string>

namespace amp {

// Returns the file NAME of ../lib/libgomp-amp, seen from this program: libgomp.so.1 or
// virtual/libgomp.so.1. Throws Failure if LD_PRELOAD could not name it, or if it is not there.
std::string own_library(const std::string &name);

// Puts LIBRARY in front of what LD_PRELOAD names already, and returns the variable's value.
std::string preload(const std::string &library);

} // namespace amp
