// SPDX-License-Identifier: GPL-3.0-or-later
// The files that the dynamic linker would load for a program, found as ld.so(8) says, by reading
// files. Nothing is executed: the linker itself runs code of a file with DT_AUDIT or DT_DEPAUDIT.
#pragma once

#include "amp-run/elf-file.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace amp {

struct LoadedFile {
  std::string file;
  ElfFile elf;
  std::vector<std::size_t> needs;   // which of the others it names by DT_NEEDED
  std::vector<std::string> missing; // names there that the linker would not find
};

// The file itself, then PRELOADS, then what each of them needs, in the linker's order.
using LoadedFiles = std::vector<LoadedFile>;

// What the linker LOADER would load for FILE with contents ELF, a program or a library, with the
// LD_LIBRARY_PATH of this process, and with PRELOADS or else its LD_PRELOAD.
LoadedFiles find_libraries(const std::string &loader, const std::string &file, const ElfFile &elf,
                           const std::optional<std::string> &preloads = std::nullopt);

// The loader that this program itself names.
std::string own_loader();

} // namespace amp
