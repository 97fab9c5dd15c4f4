// SPDX-License-Identifier: GPL-3.0-or-later
// Where ampd and ampctl meet: a directory that only its user can enter.
#pragma once

#include <string>

namespace amp {

// $XDG_RUNTIME_DIR, or what systemd makes for each user. Throws std::runtime_error, with what is
// expected, if there is none that is a directory of ours for us alone.
std::string runtime_directory();

// The directory NAME in it, which is made if it is not there. Throws alike.
std::string private_directory(const std::string &name);

// In the directory "ampd".
constexpr const char *kSocket = "/socket", *kJournal = "/journal", *kLock = "/lock",
                     *kPrograms = "/programs";

// The longest message, both ways.
constexpr std::size_t kMostMessage = 1 << 16;

// Takes the lock in DIRECTORY until the process ends, with its children. False: another one has it.
bool take_lock(const std::string &directory);

} // namespace amp
