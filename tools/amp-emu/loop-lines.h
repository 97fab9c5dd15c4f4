// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the loop that a line of source stands for.
#pragma once

#include "amp-emu/debug-info.h"

#include <set>

namespace amp {

// The lines of one file that lead to a loop, above all its head's. The runtime's calls have no
// lines of their own in GCC's tables, and pragmas often none; and the body's code may be anywhere.
struct LoopLines {
  std::string file;
  std::set<int> lines; // never empty
  const DebugInfo::Loop *loop;
};

// The lines of all loops of INFO in the files that SOURCE, a path or its last components, names.
std::vector<LoopLines> loops_of(const DebugInfo &info, const std::string &source);

// The lines of FILE, one of INFO's, that have code.
std::set<int> code_lines(const DebugInfo &info, const std::string &file);

// The first of the LINES of a loop for which LINE may stand: LINE itself, or one that follows it,
// as the head follows its pragma, with at most one line of code between. 0 if there is none. CODE
// are the lines of the file that have code.
int line_of_loop(int line, const std::set<int> &lines, const std::set<int> &code);

// The files of INFO that SOURCE names.
std::set<std::string> files_of(const DebugInfo &info, const std::string &source);

} // namespace amp
