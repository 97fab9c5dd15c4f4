// SPDX-License-Identifier: GPL-3.0-or-later
// What amp-run says to a user whose command does something other than what was meant.
#pragma once

#include "amp-run/modules.h"
#include "common/command.h"

#include <optional>
#include <string>

namespace amp {

// The schedule that the user chose has no effect on PROGRAM, as it has OpenMP code but nothing that
// VALUE of OMP_SCHEDULE decides, which MODULES show; nothing if it may have.
std::optional<std::string> advice_on_schedule(const std::string &program, const Modules &modules,
                                              const std::string &value);

// The first word of COMMAND is not found: what the user may have meant, behind --FLAG without a
// value, if that is not empty. Empty if that is not known.
std::string advice_on_missing(const Command &command, const std::string &flag);

// Whether the name of FILE is NAME, or NAME and a version, such as python3.11.
bool is_called(const std::string &file, const std::string &name);

// Whether PROGRAM is an interpreter of Python.
bool is_python(const std::string &program);

} // namespace amp
