// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the thread numbers of a module's folded regions are carried, or the kernel folds them, by
// the rule that the library itself goes by (libgomp/amp/fold/fold-module.c).
#pragma once

#include "amp-run/library-search.h"

#include <string>

namespace amp {

// What the file with number AT in FILES, or a library that it can reach by DT_NEEDED, imports that
// speaks of the kernel's threads, and of what: "libx.so.1: nice, its priority". Empty if nothing.
std::string kernel_import(const LoadedFiles &files, std::size_t at);

} // namespace amp
