// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libgomp's gomp_error: collects what the library says.

#ifndef AMP_UNIT_MESSAGES_H
#define AMP_UNIT_MESSAGES_H

#include <string>
#include <vector>

/// The messages since they were last taken, which takes them.
std::vector<std::string> takeMessages();

#endif
