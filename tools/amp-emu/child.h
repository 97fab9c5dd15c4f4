// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the user's command as a child process, as if the tool itself were it.
#pragma once

#include "common/command.h"

#include <csignal>

namespace amp {

// Holds back, from construction to destruction, the signals that would end this process, so that
// it can undo what it did to the machine. They are for the child while there is one; one that came
// when there was none takes effect at destruction. What cannot be held back: SIGKILL, and those of
// a program's own errors.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  const sigset_t &held() const { return held_; }
  const sigset_t &mask_before() const { return before_; }

  // The number of a signal that has come and will end this process, or 0.
  int fatal() const;

private:
  sigset_t held_, before_;
};

// Runs PROGRAM, a path with a '/', with COMMAND as its argument vector, the environment, the
// signal mask before SIGNALS and the scheduling of the calling thread, and waits for it. Signals
// sent to this process are forwarded; if one of the two dies, so does the other. Returns the exit
// status, or 128 + the number of the signal that ended it. Throws Failure if it cannot be executed,
// or if a signal came before it was.
int run_child(const std::string &program, const Command &command, const HeldSignals &signals);

// The same, holding signals back for as long as it takes.
int run_child(const std::string &program, const Command &command);

} // namespace amp
