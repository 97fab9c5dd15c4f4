// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts the names of libgomp's functions by what they show about the calling code. Whether the
// thread numbers of a module's folded regions are carried, or the kernel folds them, goes by the
// table of names of the library itself (libgomp/amp/fold/fold-module.c).
#include "amp-run/modules.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace amp {

namespace {

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The guard of routed loops (gcc-patch/guard) imports all of these in every file that has such
// loops, even those that the loops do not call. A file that imports all has the guard.
constexpr std::string_view guard_imports[] = {
    "GOMP_loop_nonmonotonic_runtime_start",
    "GOMP_loop_ull_nonmonotonic_runtime_start",
    "GOMP_parallel_loop_nonmonotonic_runtime",
    "GOMP_loop_static_start",
    "GOMP_loop_ull_static_start",
    "GOMP_parallel_loop_static",
    "GOMP_loop_start",
    "GOMP_loop_ull_start",
};

bool of_guard(const std::string &name) {
  return std::find(std::begin(guard_imports), std::end(guard_imports), name) !=
         std::end(guard_imports);
}

bool has_guard(const std::vector<std::string> &imports) {
  return std::all_of(std::begin(guard_imports), std::end(guard_imports),
                     [&](std::string_view name) {
                       return std::find(imports.begin(), imports.end(), name) != imports.end();
                     });
}

void note_loop(OpenMPUse &use, std::string_view name) {
  if (begins(name, "GOMP_loop_end"))
    return; // the end of any of them
  const bool modifier = has(name, "_nonmonotonic_") && !has(name, "_maybe_nonmonotonic_");
  if (has(name, "_doacross_"))
    use.fixed = true;
  else if (has(name, "_runtime"))
    (modifier ? use.routed : use.runtime) = true;
  else if (has(name, "_dynamic") || has(name, "_guided") || has(name, "_static"))
    use.fixed = true;
  else
    use.passed = true;
}

void note(OpenMPUse &use, std::string_view name) {
  if (begins(name, "GOMP_parallel") || begins(name, "GOMP_teams"))
    use.parallel = true;
  if (begins(name, "GOMP_loop_") || begins(name, "GOMP_parallel_loop_"))
    note_loop(use, name);
  else if (name == "GOMP_task" || begins(name, "GOMP_taskloop"))
    use.tasks = true;
  else if (begins(name, "GOMP_") || begins(name, "omp_"))
    use.other = true;
  else if (begins(name, "__kmpc_"))
    use.foreign = true;
}

constexpr struct {
  std::string_view name, reason;
} thread_imports[] = {
#define AMP_THREAD_IMPORT(name, reason) {name, reason},
#include "fold/thread-state.def"
};

constexpr std::string_view exceptions[] = {
#define AMP_THREAD_EXCEPTION(name) name,
#include "fold/thread-state.def"
};

bool is_exception(std::string_view name) {
  for (const std::string_view known : exceptions)
    if (begins(name, known))
      return true;
  return false;
}

// What ELF itself imports of the table, and of what that speaks; empty if nothing.
std::string own_import(const ElfFile *elf) {
  for (const std::string &name : elf->imports())
    for (const auto &[known, reason] : thread_imports)
      if (known.back() == '*' ? begins(name, known.substr(0, known.size() - 1)) : name == known)
        return name + ", " + std::string(reason);
  return {};
}

// What the file with number AT in FILES, or a library that it can reach by DT_NEEDED, imports that
// speaks of the kernel's threads, and of what: "libx.so.1: nice, its priority". Empty if nothing.
std::string kernel_import(const LoadedFiles &files, std::size_t at) {
  std::vector<std::size_t> reached{at};
  std::set<std::size_t> seen{at};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const LoadedFile &file = files[reached[i]];
    const std::string name = file.file.substr(file.file.rfind('/') + 1);
    if (const std::string import = own_import(file.elf); !import.empty())
      return (i == 0 ? "" : name + ": ") + import;
    for (const std::size_t needed : file.needs) {
      const std::string &soname = files[needed].elf->soname, &path = files[needed].file;
      if (!is_exception(soname.empty() ? path.substr(path.rfind('/') + 1) : soname) &&
          seen.insert(needed).second)
        reached.push_back(needed);
    }
  }
  return {};
}

} // namespace

bool OpenMPUse::any() const {
  return reachable() || fixed || parallel || other || foreign || !runtime_name.empty();
}

OpenMPUse use_of(const std::vector<std::string> &imports, const std::vector<std::string> &needed) {
  OpenMPUse use;
  const bool guarded = has_guard(imports);
  use.routed = use.parallel = guarded;
  for (const std::string &name : imports)
    if (!guarded || !of_guard(name))
      note(use, name);
  for (const std::string &library : needed)
    if (begins(library, "libgomp.so") || is_bundled_name(library))
      use.runtime_name = library;
  return use;
}

// What the library does with the parallel regions of a module with USE, and why. The words are
// those of the library's own report (fold-region.c).
static std::string describe_regions(const OpenMPUse &use) {
  if (use.kernel_import.empty())
    return "parallel regions: folded: neither the module nor a library of it speaks of the "
           "kernel's "
           "threads";
  return "parallel regions: folded by the kernel: the module or a library of it speaks of the "
         "kernel's threads (" +
         use.kernel_import + ")";
}

std::vector<std::string> describe(const OpenMPUse &use, bool folds) {
  std::vector<std::string> lines;
  if (!use.runtime_name.empty())
    lines.push_back("asks for " + use.runtime_name);
  if (use.routed && folds)
    lines.push_back("routed loops: static where threads are folded, which balances them; --fold=0 "
                    "has the library share them out by measured speeds");
  else if (use.routed)
    lines.push_back("routed loops, schedule(nonmonotonic:runtime): the library schedules them");
  if (use.runtime)
    lines.push_back("loops with schedule(runtime): OMP_SCHEDULE decides, and unset it is dynamic");
  if (use.passed)
    lines.push_back("loops that pass their schedule in the call: those with runtime are scheduled");
  if (use.fixed)
    lines.push_back("loops with an explicit dynamic, guided or ordered schedule: left alone");
  if (use.tasks)
    lines.push_back("tasks: GOMP_TASK_SCHEDULE decides their order");
  if (use.parallel && folds)
    lines.push_back(describe_regions(use));
  else if (use.parallel && !use.routed && !use.runtime && !use.passed)
    lines.push_back("parallel regions: static loops in them are inline code, or threads share "
                    "work out by their number; amp-gcc routes the former, --fold balances both");
  if (use.foreign)
    lines.push_back("code of Clang or an Intel compiler, which libgomp does not serve");
  if (lines.size() == (use.runtime_name.empty() ? 0u : 1u))
    lines.push_back("no parallel region, loop or task of its own");
  return lines;
}

bool is_bundled_name(const std::string &file) {
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  return begins(name, "libgomp-") && has(name, ".so");
}

bool Modules::any(bool OpenMPUse::*use) const {
  return std::any_of(using_openmp.begin(), using_openmp.end(),
                     [use](const Module &module) { return module.use.*use; });
}

void Modules::add(const std::string &file, const std::string &library) {
  const LoadedFiles &loaded = find_libraries(file);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    const ElfFile *const elf = loaded[i].elf;
    const std::string &name = loaded[i].file;
    if (name == library || !files.insert(std::filesystem::weakly_canonical(name)).second)
      continue;
    // Another library may be an OpenMP runtime, or have one linked into it.
    if (i > 0 &&
        (is_bundled_name(name) || elf->defines_any({"GOMP_parallel", "__kmpc_fork_call"}))) {
      copies.insert(name);
      continue;
    }
    const std::vector<std::string> imports = elf->imports();
    OpenMPUse use = use_of(imports, elf->needed);
    if (use.parallel)
      use.kernel_import = kernel_import(loaded, i);
    plugins = plugins || std::find(imports.begin(), imports.end(), "dlopen") != imports.end();
    if (use.any())
      using_openmp.push_back({name, use});
  }
}

} // namespace amp
