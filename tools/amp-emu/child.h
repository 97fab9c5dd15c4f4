// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the user's command as a child process, as if the tool itself were it.
#pragma once

#include "common/command.h"

namespace amp {

// Runs PROGRAM, a path with a '/', with COMMAND as its argument vector, the environment, the
// signal mask and the scheduling of the calling thread, and waits for it. Signals sent to this
// process are forwarded; if one of the two dies, so does the other. Returns the exit status, or
// 128 + the number of the signal that ended it. Throws Failure if it cannot be executed.
int run_child(const std::string &program, const Command &command);

} // namespace amp
