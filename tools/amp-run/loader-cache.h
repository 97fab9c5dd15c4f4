// SPDX-License-Identifier: GPL-3.0-or-later
// The dynamic linker's cache of libraries, /etc/ld.so.cache.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

// File names by library name, in the order of the cache: there may be one for each kind of machine.
using LoaderCache = std::map<std::string, std::vector<std::string>, std::less<>>;

// The entries of CONTENT, a cache in the format of glibc 2.2 and later, except those for newer
// processors (glibc-hwcaps), which are the same libraries compiled again. What is damaged is left
// out.
LoaderCache parse_loader_cache(std::string_view content);

// The cache of this system; empty if it has none.
const LoaderCache &system_loader_cache();

} // namespace amp
