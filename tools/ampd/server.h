// SPDX-License-Identifier: GPL-3.0-or-later
// The event loop: requests on the socket, ends of programs, one timer, signals. Nothing in it
// waits for a client: one that does not read its answer loses the connection.
#pragma once

#include "linux/manager.h"

#include <string>

namespace amp {

// Serves on the socket in DIRECTORY until SIGTERM, SIGINT or SIGHUP, which are blocked in all
// threads. Begins with the programs that a daemon before it had, if it did not end by itself.
// Throws std::system_error.
void serve(coord::Manager &manager, const std::string &directory);

} // namespace amp
