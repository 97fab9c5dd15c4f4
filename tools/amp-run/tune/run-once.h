// SPDX-License-Identifier: GPL-3.0-or-later
// One run of the user's command, which is ended with all processes that it started.
#pragma once

#include "amp-run/tune/compare.h"
#include "common/child.h"

#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

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

// The files of the runs: what the program reads and prints, and what the library reports.
struct Scratch {
  // Each run gets what this process has as standard input, if that is a file, or nothing. Says on
  // stderr that a terminal is not handed on. Throws Failure if it is a pipe or a socket, which
  // cannot be read twice. The files are in DIRECTORY.
  explicit Scratch(const std::string &directory);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  // Reports of processes, a value of GOMP_AMP_REPORT; a line of each that folded a team; and the
  // virtual times of processes, by the lab's library.
  const std::string reports, folds, clock;
  const RunFiles files;

  // Before a run: when OUTPUTS were changed. After it: whether one of them was written.
  void note(const std::vector<std::string> &outputs);
  bool is_written(const std::string &file) const;

  // Prints what the run printed, also on standard error.
  void hand_on() const;

  // The virtual seconds of the run since the last call, of all its processes together; 0 if none
  // opened a team. Empties the file.
  double virtual_seconds() const;

  // Whether any team was folded, and whether any report has entries of KIND, regions or loops.
  bool folded() const;
  bool reported(const char *kind) const;

  // The last line of the run's standard error, or of its output, behind a colon; empty if it has
  // none.
  std::string last_words() const;

private:
  std::map<std::string, timespec> changed_;
};

} // namespace amp
