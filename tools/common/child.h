// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the user's command as a child process, as if the tool itself were the command.
#pragma once

#include "common/command.h"

#include <csignal>

namespace amp {

// Holds back, from construction to destruction, the signals that would end this process, so that it
// can undo its changes to the machine. While there is a child, the signals are for the child. A
// signal that came without a child takes effect at destruction. SIGKILL and the signals of a
// program's own errors are not held back.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  const sigset_t &held() const { return held_; }
  const sigset_t &mask_before() const { return before_; }

  // The number of a pending signal that will end this process, or 0.
  int fatal() const;

private:
  sigset_t held_, before_;
};

// Runs PROGRAM, a path with a '/', with COMMAND as its argument vector, the environment, the signal
// mask before SIGNALS and the scheduling of the calling thread, and waits for it. Signals sent to
// this process are forwarded. If one of the two processes dies, so does the other. Returns the exit
// status, or 128 + the number of the signal that ended the child, which is then stored in *SIGNAL
// unless that is null. Throws Failure if PROGRAM cannot be executed, or if a signal came before it
// was.
int run_child(const std::string &program, const Command &command, const HeldSignals &signals,
              int *signal = nullptr);

// The same, but holds signals back until the child has ended. The process has no other thread,
// which would be given the SIGCHLD that this waits for.
int run_child(const std::string &program, const Command &command);

} // namespace amp
