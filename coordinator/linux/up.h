// SPDX-License-Identifier: GPL-3.0-or-later
// Counter files: what the runtime of a program counts.
#pragma once

#include "linux/system.h"

#include <cstdint>
#include <string>

namespace coord {

struct UpFile {
#define UP(type, name, count, meaning) type name[count] = {};
#include "../libgomp/amp/up/up.def"
};

// What BYTES, the content of a counter file, say of the process that began at START. None: it is
// not such a file, or another process's. Any number in it may be nonsense: those that cannot be
// are left out.
std::optional<Counted> parse_up(const std::string &bytes, std::uint64_t start);

} // namespace coord
