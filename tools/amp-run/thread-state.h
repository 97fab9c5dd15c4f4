// SPDX-License-Identifier: GPL-3.0-or-later
// Whether ids of a folded team may share a thread in a module, by the rule that the library itself
// goes by (libgomp/amp/fold/fold-module.c).
#pragma once

#include "amp-run/library-search.h"

#include <string>

namespace amp {

// What the file with number AT in FILES, or a library that it can reach by DT_NEEDED, keeps of a
// thread or changes in one: "8 bytes of thread-local variables", "libx.so.1: pthread_getspecific".
// Empty if nothing.
std::string thread_state(const LoadedFiles &files, std::size_t at);

} // namespace amp
