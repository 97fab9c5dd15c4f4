// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the imports of a program and of all libraries that its loader would load.
#include "amp-run/modules.h"

#include "amp-run/loader-list.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace amp {

namespace {

// Whether FILE, which is not our library, is an OpenMP runtime or has one linked into it.
bool has_runtime(const std::string &file, const ElfFile &elf) {
  return is_bundled_name(file) || elf.defines_any({"GOMP_parallel", "__kmpc_fork_call"});
}

void add_module(const std::string &file, const ElfFile &elf, Modules &modules) {
  const std::vector<std::string> imports = elf.imports();
  OpenMPUse use = use_of(imports, elf.needed());
  use.thread_local_size = elf.thread_local_size();
  modules.plugins =
      modules.plugins || std::find(imports.begin(), imports.end(), "dlopen") != imports.end();
  if (use.any())
    modules.using_openmp.push_back({file, use});
}

} // namespace

std::optional<ElfFile> open_elf(const std::string &file) {
  try {
    return ElfFile::open(file);
  } catch (const std::system_error &) {
    return std::nullopt;
  }
}

void add_modules(const std::string &loader, const std::string &file, const ElfFile &elf,
                 const std::string &library, Modules &modules) {
  if (!modules.files.insert(std::filesystem::weakly_canonical(file)).second)
    return;
  add_module(file, elf, modules);
  for (const std::string &needed : list_loaded(loader, file).libraries) {
    const auto loaded = needed == library ? std::nullopt : open_elf(needed);
    // Not the kernel's own, and not one that the loader did not find and reports itself.
    if (!loaded || !modules.files.insert(std::filesystem::weakly_canonical(needed)).second)
      continue;
    if (has_runtime(needed, *loaded))
      modules.copies.insert(needed);
    else
      add_module(needed, *loaded, modules);
  }
}

} // namespace amp
