// SPDX-License-Identifier: GPL-3.0-or-later
// The files that the dynamic linker would load for a program, found as ld.so(8) says, by reading
// files. Nothing is executed: the linker itself runs code of a file with DT_AUDIT or DT_DEPAUDIT.
#pragma once

#include "amp-run/elf-file.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

struct LoadedFile {
  std::string file;
  const ElfFile *elf;             // never null
  std::vector<std::size_t> needs; // which of the others it names by DT_NEEDED
};

// The file itself, then the preloads, then what each of them needs, in the linker's order.
using LoadedFiles = std::vector<LoadedFile>;

// What FILE, a program or a library, gets from its linker, or from that of this program if it names
// none, with the LD_LIBRARY_PATH of this process, and with PRELOADS or else its LD_PRELOAD. Nothing
// if FILE is no ELF file. Searches once for each.
const LoadedFiles &find_libraries(const std::string &file,
                                  const std::optional<std::string> &preloads = std::nullopt);

// The loader that this program itself names.
std::string own_loader();

// The libraries in CONTENT of a file that ldconfig writes: by name, the files in the order in which
// the linker tries them. Without those for special processors. Damaged entries are left out.
using LoaderCache = std::map<std::string, std::vector<std::string>>;
LoaderCache parse_loader_cache(std::string_view content);

} // namespace amp
