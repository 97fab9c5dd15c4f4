// SPDX-License-Identifier: GPL-3.0-or-later
// Changes the user's file of entries, which people edit too: all that is not of the entry stays.
#pragma once

#include "amp-run/tune/entries.h"

#include <functional>
#include <string>

namespace amp {

// TEXT, the content of a file without fault, with ENTRY at its end, in place of the one about the
// same program, arguments and machine, of which people's comments and keys stay. Beyond the most
// entries that a file has, the first one leaves.
std::string with_entry(const std::string &text, const Entry &entry);

// TEXT without the entries about TARGET. COUNT is how many these were.
std::string without_entries(const std::string &text, const Target &target, unsigned &count);

constexpr std::size_t most_entries = 4096;

// Replaces FILE as a whole by what CHANGE makes of its text, while no other amp-run does, and makes
// its directory. Throws Failure if FILE has a fault or cannot be written; it is as before then.
void change_entries(const std::string &file,
                    const std::function<std::string(const std::string &)> &change);

} // namespace amp
