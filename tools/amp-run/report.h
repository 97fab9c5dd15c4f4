// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --check, which reports what the library would do for a program, and --explain, which
// reports what it did.
#pragma once

#include "amp-run/tune/entries.h"

#include <iosfwd>
#include <optional>
#include <string>

namespace amp {

// The exit statuses of --check if nothing keeps a program from running with the library.
constexpr int exit_reachable = 0;   // the library schedules loops or tasks of it, or folds teams
constexpr int exit_unreachable = 1; // it does neither: no OpenMP, or nothing that it can schedule

// Writes to STREAM which OpenMP PROGRAM, the libraries that it loads at its start and its modules,
// which are arguments, use, what the library does with that, which way DECISION is, and which
// libgomp the program would load with PRELOADS, the value of LD_PRELOAD before. For a script it
// looks at the interpreter. Executes nothing. Returns one of the statuses above. Throws Failure if
// the program would not run with the library.
int check(const Program &program, const Decision &decision, const std::string &preloads,
          std::ostream &stream);

// The value of --explain without a file.
constexpr const char *explain_on_stderr = "-";

// The variables of the environment, as NAME=VALUE.
using Environment = std::vector<std::string>;

// Runs PROGRAM in the present environment and with the report of libgomp-amp; then has amp-report
// explain that, in the environment BEFORE, to FILE or to stderr. UNFOLDED: why amp-run does not
// fold it unasked. DECIDED: what decided how it was run, for the explanation's first line; empty:
// nothing did. The program's output, signals and status are its own. Returns its exit status, or
// ends by the signal that ended it. Throws Failure if nothing was run.
int run_and_explain(const Program &program, const std::string &file, const Environment &before,
                    const std::optional<std::string> &unfolded, const std::string &decided);

} // namespace amp
