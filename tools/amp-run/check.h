// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --check: reports what the library would do for a program.
#pragma once

#include "amp-run/openmp-use.h"
#include "amp-run/tune/decide.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace amp {

// The exit statuses of --check if nothing keeps a program from running with the library.
constexpr int exit_reachable = 0;   // the library schedules loops or tasks of it, or folds teams
constexpr int exit_unreachable = 1; // it does neither: no OpenMP, or nothing that it can schedule

// Returns the file that --check reads for the command NAME: the result of find_program, or a shared
// library, which need not be executable. Throws Failure like find_program.
std::string find_checked(const std::string &name);

// What is checked.
struct Checked {
  std::string program;              // a program, script or shared library
  std::vector<std::string> modules; // its arguments; those that are shared libraries are modules
  std::string library;              // ours, which LD_PRELOAD of this process must already name
  std::string preloads;             // the value of LD_PRELOAD before
  bool folds;                       // the library is asked to fold teams
  Target target;                    // of the command
  Decision decision;                // how it is run
};

// Writes to STREAM which OpenMP the program, the libraries that it loads at its start and its
// modules use, what the library does with that, and which libgomp the program would load with
// PRELOADS. For a script it looks at the interpreter. Executes nothing.
// Returns one of the statuses above. Throws Failure if the program would not run with the library.
int check(const Checked &checked, std::ostream &stream);

} // namespace amp
