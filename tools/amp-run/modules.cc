// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the imports of a program and of all libraries that its loader would load.
#include "amp-run/modules.h"

#include "amp-run/library-search.h"
#include "amp-run/script.h"
#include "amp-run/thread-state.h"

#include <algorithm>
#include <filesystem>

namespace amp {

namespace {

// Whether FILE, which is not our library, is an OpenMP runtime or has one linked into it.
bool has_runtime(const std::string &file, const ElfFile &elf) {
  return is_bundled_name(file) || elf.defines_any({"GOMP_parallel", "__kmpc_fork_call"});
}

void add_module(const LoadedFiles &files, std::size_t at, Modules &modules) {
  const auto &[file, elf, needs, missing] = files[at];
  const std::vector<std::string> imports = elf.imports();
  OpenMPUse use = use_of(imports, elf.needed());
  if (use.parallel)
    use.kernel_import = kernel_import(files, at);
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

void add_modules(const std::string &loader, const std::string &file, const ElfFile &elf,
                 const std::string &library, Modules &modules) {
  const LoadedFiles files = find_libraries(loader, file, elf);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const LoadedFile &loaded = files[i];
    if (loaded.file == library ||
        !modules.files.insert(std::filesystem::weakly_canonical(loaded.file)).second)
      continue;
    if (i > 0 && has_runtime(loaded.file, loaded.elf))
      modules.copies.insert(loaded.file);
    else
      add_module(files, i, modules);
  }
}

Modules modules_of(const std::string &program, const std::string &library) {
  const std::string interpreter = script_program(program);
  const std::string &file = interpreter.empty() ? program : interpreter;
  const auto elf = open_elf(file);
  const auto loader = elf ? elf->interpreter() : std::nullopt;
  Modules modules;
  if (loader)
    add_modules(*loader, file, *elf, library, modules);
  return modules;
}

} // namespace amp
