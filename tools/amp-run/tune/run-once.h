// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the user's command, which is ended with all processes that it started.
#pragma once

#include "common/child.h"

#include <functional>
#include <string>

namespace amp {

enum class End { exited, signalled, too_long, interrupted };

struct Run {
  End end = End::exited;
  int status = 0; // the exit status, or the number of the signal
  double seconds = 0;
};

struct RunFiles {
  int input = -1;     // the program's standard input; it is read from its start
  std::string output; // the files of its standard output and error
  std::string error_output;
};

// Makes this process the one to which orphans of a run return, so that it can end them.
void adopt_orphans();

// Runs PROGRAM with COMMAND as its arguments, in a session of its own without a terminal, after
// PREPARE in the child. Ends it after LIMIT seconds, or when a signal comes that would end this
// process: by SIGTERM, and a second later by SIGKILL. No process that it started outlives the run.
// Throws Failure if it cannot be executed.
Run run_once(const std::string &program, const Command &command, const RunFiles &files,
             double limit, const HeldSignals &signals, const std::function<void()> &prepare);

} // namespace amp
