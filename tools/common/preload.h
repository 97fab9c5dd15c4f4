// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the library that belongs to a tool, and makes the loader preload it into programs.
#pragma once

#include <string>

namespace amp {

// Returns the file of this program. Throws Failure if it cannot be found.
std::string own_file();

// Returns the tool NAME that is beside this program.
std::string own_tool(const std::string &name);

// Returns the file NAME in ../lib/libgomp-amp, relative to this program: libgomp.so.1 or
// virtual/libgomp.so.1. Throws Failure if LD_PRELOAD cannot name the file, or if it does not exist.
std::string own_library(const std::string &name);

// The library on which this process runs programs: the lab's if amp-emu virtual has started it, and
// else own_library ("libgomp.so.1").
std::string runtime_library();

// Whether that is the lab's, so that programs run in virtual time.
bool in_virtual_time();

// Puts LIBRARY in front of the value of LD_PRELOAD, and returns the new value.
std::string preload(const std::string &library);

} // namespace amp
