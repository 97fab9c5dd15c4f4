// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommand `amp-emu cpufreq`: caps the frequency of chosen CPUs while a command runs.
#pragma once

#include "common/command.h"

#include <functional>

namespace amp {

// Adds the subcommand to APP; returns what runs a command under it with the options then parsed,
// and gives its exit status. With --restore it does its work during parsing, and takes no command.
std::function<int(const Command &)> add_cpufreq(CLI::App &app);

} // namespace amp
