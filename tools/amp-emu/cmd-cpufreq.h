// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommand `amp-emu cpufreq`: caps the frequency of chosen CPUs while a command runs.
#pragma once

#include "common/command.h"

#include <functional>

namespace amp {

// Adds the subcommand to APP. Returns a function that runs a command with the options parsed by
// then and returns its exit status. With --restore the subcommand does its work during parsing and
// takes no command.
std::function<int(const Command &)> add_cpufreq(CLI::App &app);

} // namespace amp
