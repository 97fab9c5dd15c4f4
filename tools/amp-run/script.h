// SPDX-License-Identifier: GPL-3.0-or-later
// The first line of a script.
#pragma once

#include <string>
#include <vector>

namespace amp {

// The interpreter in the first line of FILE and its arguments; empty if FILE is not a script with
// such a line.
std::vector<std::string> script_words(const std::string &file);

// The program that runs the script FILE: its interpreter, or the program that env(1) looks up for
// it. Empty if FILE is not a script or the program is not found.
std::string script_program(const std::string &file);

} // namespace amp
