// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --check: reports what the library would do for a program.
#pragma once

#include <iosfwd>
#include <string>

namespace amp {

// The exit statuses of --check if nothing keeps a program from running with the library.
constexpr int exit_reachable = 0;   // the library schedules loops or tasks of it, or folds teams
constexpr int exit_unreachable = 1; // it does neither: no OpenMP, or nothing that it can schedule

// Returns the file that --check reads for the command NAME: the result of find_program, or a shared
// library, which need not be executable. Throws Failure like find_program.
std::string find_checked(const std::string &name);

// Writes to STREAM which OpenMP PROGRAM, a program or a shared library, and the libraries that it
// loads at its start use with LIBRARY, which FOLDS teams or does not. LD_PRELOAD of this process
// must already name LIBRARY. Also writes which libgomp PROGRAM would load with PRELOADS, the value
// of LD_PRELOAD before. For a script it looks at the interpreter. Executes nothing but the system's
// loader. Returns one of the statuses above. Throws Failure if PROGRAM would not run with LIBRARY.
int check(const std::string &program, const std::string &library, const std::string &preloads,
          bool folds, std::ostream &stream);

} // namespace amp
