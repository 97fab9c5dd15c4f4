// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommand `amp-emu virtual`: runs a command in the virtual time of a machine of any shape.
#pragma once

#include "common/command.h"

#include <functional>

namespace amp {

// Adds the subcommand to APP; returns what runs a command under it with the options then parsed,
// and gives its exit status.
std::function<int(const Command &)> add_virtual(CLI::App &app);

} // namespace amp
