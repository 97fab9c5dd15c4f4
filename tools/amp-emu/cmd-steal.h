// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommand `amp-emu steal`: slows chosen CPUs in real time while a command runs.
#pragma once

#include "common/command.h"

#include <functional>

namespace amp {

using RunCommand = std::function<int(const Command &)>;

// Adds the subcommand to APP. Returns a function that runs a command with the options parsed by
// then and returns its exit status.
RunCommand add_steal(CLI::App &app);

} // namespace amp
