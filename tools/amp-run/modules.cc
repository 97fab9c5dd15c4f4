// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the imports of a program and of all libraries that its loader would load.
#include "amp-run/modules.h"

#include "amp-run/loader-list.h"
#include "amp-run/script.h"

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

bool Modules::any(bool OpenMPUse::*use) const {
  return std::any_of(using_openmp.begin(), using_openmp.end(),
                     [use](const Module &module) { return module.use.*use; });
}

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

Modules modules_of(const std::string &program, const std::string &library) {
  const std::string interpreter = script_program(program);
  const std::string &file = interpreter.empty() ? program : interpreter;
  const auto elf = open_elf(file);
  const auto loader = elf ? elf->interpreter() : std::nullopt;
  Modules modules;
  if (!loader)
    return modules;
  try {
    add_modules(*loader, file, *elf, library, modules);
  } catch (const std::system_error &) {
    // The loader does not start, which running the program reports.
  }
  return modules;
}

} // namespace amp
