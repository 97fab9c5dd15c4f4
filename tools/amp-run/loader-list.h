// SPDX-License-Identifier: GPL-3.0-or-later
// The files that the dynamic loader would load for a program in the current environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace amp {

struct LoaderList {
  std::vector<std::string> libraries; // paths, or bare names where the loader found no file
  std::vector<std::string> messages;  // what the loader complained about, a line each
};

// Returns the names in LISTING, the loader's output in the form known from ldd(1).
std::vector<std::string> parse_loader_list(const std::string &listing);

// Whether LOADER is in a directory where systems have their loaders. A program may name any file as
// its loader, and that file would be executed.
bool is_system_loader(const std::string &loader);

// Asks LOADER (a program's PT_INTERP) what it would load for PROGRAM, with the LD_LIBRARY_PATH of
// this process and with PRELOADS or else its LD_PRELOAD. PROGRAM itself does not run.
// Throws std::system_error if LOADER cannot be started.
LoaderList list_loaded(const std::string &loader, const std::string &program,
                       const std::optional<std::string> &preloads = std::nullopt);

} // namespace amp
