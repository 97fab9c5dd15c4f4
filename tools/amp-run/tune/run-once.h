// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the user's command, which is ended with all processes that it started.
#pragma once

#include "common/child.h"

#include <functional>
#include <string>

namespace amp {

enum class End { exited, signalled, too_long, too_much, interrupted };

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

// More output than this ends a run: it is stored until all runs are done.
constexpr long most_output = 256l << 20;

struct Job {
  std::string program;
  Command command; // its argument vector
  RunFiles files;
  double limit;                  // seconds, after which it is ended
  std::function<void()> enter;   // called before the program's process is made
  std::function<void()> prepare; // called in the program's process
};

// Runs JOB in a session of its own without a terminal. A process between this one and the program
// ends the run after its limit, when a signal comes that would end this process, or when this
// process is gone: by SIGTERM, and a second later by SIGKILL. No process that the program started
// outlives the run. Throws Failure if it cannot be executed.
Run run_once(const Job &job, const HeldSignals &signals);

} // namespace amp
