// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommand `amp-emu virtual`: runs a command in the virtual time of a machine of any shape.
#pragma once

#include "common/command.h"

#include <functional>

namespace amp {

// Adds the subcommand to APP. Returns a function that runs a command with the options parsed by
// then and returns its exit status.
std::function<int(const Command &)> add_virtual(CLI::App &app);

} // namespace amp
