// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libgomp's gomp_error and gomp_debug: collects what the library says.

#ifndef AMP_UNIT_MESSAGES_H
#define AMP_UNIT_MESSAGES_H

#include <string>
#include <vector>

/// The messages since they were last taken, which takes them.
std::vector<std::string> takeMessages();

/// The same of messages that only GOMP_DEBUG would show.
std::vector<std::string> takeDebugging();

#endif
