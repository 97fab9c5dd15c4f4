// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the loop at a line of source.
#pragma once

#include "amp-emu/debug-info.h"

#include <set>

namespace amp {

// The lines of one file that lead to a loop, mainly those of its head. In GCC's tables the calls of
// the runtime have no lines of their own, pragmas often have none, and the body's code may be
// anywhere.
struct LoopLines {
  std::string file;
  std::set<int> lines; // never empty
  const DebugInfo::Loop *loop;
};

// The lines of all loops of INFO in the files that SOURCE names: a path or its last components.
std::vector<LoopLines> loops_of(const DebugInfo &info, const std::string &source);

// The lines with code in FILE, a file of INFO.
std::set<int> code_lines(const DebugInfo &info, const std::string &file);

// The first of the LINES of a loop that LINE may mean: LINE itself, or a line that follows it with
// at most one line of code between, as a loop's head follows its pragma. 0 if there is none. CODE
// has the lines of the file that have code.
int line_of_loop(int line, const std::set<int> &lines, const std::set<int> &code);

// The files of INFO that SOURCE names.
std::set<std::string> files_of(const DebugInfo &info, const std::string &source);

} // namespace amp
