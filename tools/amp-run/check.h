// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --check: reports what a program would get from the library.
#pragma once

#include <iosfwd>
#include <string>

namespace amp {

// What --check ends with when nothing keeps a program from running with the library.
constexpr int exit_reachable = 0;   // the library schedules some of its loops or tasks
constexpr int exit_unreachable = 1; // it does not: no OpenMP, or no such loops and tasks

// Returns the file that --check is to look at for the command NAME: what find_program finds, or a
// shared library, which need not be executable. Throws Failure as find_program does.
std::string find_checked(const std::string &name);

// Writes to STREAM what PROGRAM, or the shared library of that name, and the libraries that it
// loads at its start do with OpenMP under LIBRARY, which LD_PRELOAD of this process must already
// name, and which libgomp it would load with the LD_PRELOAD that was there before, PRELOADS. Of a
// script it looks at the interpreter. Executes nothing but the system's loader. Returns one of the
// statuses above; throws Failure if PROGRAM would not run with LIBRARY.
int check(const std::string &program, const std::string &library, const std::string &preloads,
          std::ostream &stream);

} // namespace amp
