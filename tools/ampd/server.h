// SPDX-License-Identifier: GPL-3.0-or-later
// The event loop: requests on the socket, ends of programs, one timer, signals. Nothing in it
// waits for a client: one that does not read its answer loses the connection.
#pragma once

#include "linux/manager.h"

#include <string>

namespace amp {

// Serves on SOCKET until SIGTERM, SIGINT or SIGHUP, which are blocked in all threads. Throws
// std::system_error.
void serve(coord::Manager &manager, const std::string &socket);

} // namespace amp
