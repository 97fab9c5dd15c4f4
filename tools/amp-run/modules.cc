// SPDX-License-Identifier: GPL-3.0-or-later
// Follows DT_NEEDED through DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache and the loader's own
// directories, and sorts the names of libgomp's functions by what they show about the calling code.
// Whether the thread numbers of a module's folded regions are carried, or the kernel folds them,
// goes by the table of names of the library itself (libgomp/amp/fold/fold-module.c).
#include "amp-run/modules.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/auxv.h>
#include <system_error>

namespace amp {

namespace {

namespace fs = std::filesystem;

// More libraries than any program has; a hostile file may name as many as it has room for.
constexpr std::size_t most_files = 4096;

std::string real_path(const std::string &path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real.string();
}

std::string directory_of(const std::string &file) {
  const std::size_t slash = file.rfind('/');
  return slash == file.npos ? "." : file.substr(0, slash);
}

std::vector<std::string> split(const std::string &list, const char *separators) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    result.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

void replace(std::string &text, const std::string &token, const std::string &by) {
  for (const std::string &form : {"${" + token + "}", "$" + token})
    for (std::size_t at = 0; (at = text.find(form, at)) != text.npos; at += by.size())
      text.replace(at, form.size(), by);
}

struct Header {
  char magic[20];
  std::uint32_t count, string_bytes, rest[5];
};
struct Entry {
  std::int32_t flags;
  std::uint32_t name, file, os_version; // offsets from the header
  std::uint64_t processor;              // 0: any
};
constexpr std::string_view magic = "glibc-ld.so.cache1.1";

std::string text_at(std::string_view content, std::size_t offset) {
  if (offset >= content.size())
    return {};
  content = content.substr(offset, 4096);
  const std::size_t end = content.find('\0');
  return std::string(end == content.npos ? std::string_view() : content.substr(0, end));
}

const LoaderCache &system_loader_cache() {
  static const LoaderCache cache = [] {
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    return parse_loader_cache(content);
  }();
  return cache;
}

class Search {
public:
  Search(const std::string &loader, const std::string &file, const ElfFile *elf)
      : loader_directory_(directory_of(real_path(loader))) {
    add(file, elf, none, {});
  }

  void preload(const std::string &list) {
    for (const std::string &name : split(list, " :"))
      if (!name.empty())
        find(name, 0);
  }

  LoadedFiles follow() && {
    for (std::size_t i = 0; i < files_.size(); ++i)
      for (const std::string &name : files_[i].elf->needed)
        if (const auto found = find(name, i))
          files_[i].needs.push_back(*found);
    return std::move(files_);
  }

private:
  static constexpr std::size_t none = ~std::size_t(0);

  std::size_t add(const std::string &file, const ElfFile *elf, std::size_t parent,
                  const std::string &name) {
    const std::size_t place = files_.size();
    files_.push_back({file, elf, {}});
    parents_.push_back(parent);
    paths_.emplace(real_path(file), place);
    if (!name.empty())
      names_.emplace(name, place);
    if (!elf->soname.empty())
      names_.emplace(elf->soname, place);
    return place;
  }

  // TEXT, a path of file PARENT, with the tokens of ld.so(8) replaced. The kernel starts the real
  // file of a program, so that its $ORIGIN is not that of a link.
  std::string expanded(std::string text, std::size_t parent) const {
    replace(text, "ORIGIN", directory_of(real_path(files_[parent].file)));
    const bool usr = loader_directory_.compare(0, 5, "/usr/") == 0;
    replace(text, "LIB", loader_directory_.substr(usr ? 5 : 1));
    const auto platform = reinterpret_cast<const char *>(getauxval(AT_PLATFORM));
    replace(text, "PLATFORM", platform ? platform : "");
    return text;
  }

  void append(std::vector<std::string> &directories, const std::string &list, std::size_t owner,
              const char *separators = ":") const {
    if (list.empty())
      return;
    for (const std::string &directory : split(list, separators))
      directories.push_back(directory.empty() ? "." : expanded(directory, owner));
  }

  // Where the linker looks for a library that file PARENT needs, before its cache.
  std::vector<std::string> own_directories(std::size_t parent) const {
    std::vector<std::string> result;
    const std::string &runpath = files_[parent].elf->runpath;
    if (runpath.empty())
      for (std::size_t owner = parent; owner != none; owner = parents_[owner])
        if (files_[owner].elf->runpath.empty())
          append(result, files_[owner].elf->rpath, owner);
    if (const char *const variable = std::getenv("LD_LIBRARY_PATH"))
      append(result, variable, 0, ":;");
    append(result, runpath, parent);
    return result;
  }

  // Adds FILE, which was asked for as NAME, if it is a library that the program can load.
  std::optional<std::size_t> take(const std::string &file, std::size_t parent,
                                  const std::string &name) {
    if (const auto known = paths_.find(real_path(file)); known != paths_.end())
      return known->second;
    if (const auto elf = open_elf(file);
        elf && elf->same_machine(*files_.front().elf) && files_.size() < most_files)
      return add(file, elf, parent, name);
    return std::nullopt;
  }

  std::optional<std::size_t> find(const std::string &name, std::size_t parent) {
    if (const auto known = names_.find(name); known != names_.end())
      return known->second;
    if (name.find('/') != name.npos)
      return take(expanded(name, parent), parent, name);
    std::vector<std::string> candidates;
    for (const std::string &directory : own_directories(parent))
      candidates.push_back(directory + "/" + name);
    if (!files_[parent].elf->ignores_default_directories) {
      const LoaderCache &cache = system_loader_cache();
      if (const auto cached = cache.find(name); cached != cache.end())
        candidates.insert(candidates.end(), cached->second.begin(), cached->second.end());
      for (const std::string &directory :
           {loader_directory_, std::string("/lib"), std::string("/usr/lib"), std::string("/lib64"),
            std::string("/usr/lib64")})
        candidates.push_back(directory + "/" + name);
    }
    for (const std::string &candidate : candidates)
      if (const auto found = take(candidate, parent, name))
        return found;
    return std::nullopt;
  }

  const std::string loader_directory_;
  LoadedFiles files_;
  std::vector<std::size_t> parents_; // of each file: the first one that needs it
  std::map<std::string, std::size_t> names_, paths_;
};

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

const LoadedFiles &find_libraries(const std::string &file,
                                  const std::optional<std::string> &preloads) {
  static std::map<std::pair<std::string, std::string>, LoadedFiles> known;
  const char *const variable = std::getenv("LD_PRELOAD");
  const std::string list = preloads ? *preloads : variable ? variable : "";
  const auto [at, is_new] = known.try_emplace({file, list});
  if (const ElfFile *const elf = is_new ? open_elf(file) : nullptr) {
    Search search(elf->interpreter ? *elf->interpreter : own_loader(), file, elf);
    search.preload(list);
    at->second = std::move(search).follow();
  }
  return at->second;
}

std::string own_loader() {
  std::string result;
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *loader) { // the first one is this program
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_INTERP)
            *static_cast<std::string *>(loader) =
                reinterpret_cast<const char *>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        return 1;
      },
      &result);
  return result;
}

LoaderCache parse_loader_cache(std::string_view content) {
  LoaderCache cache;
  // Old systems have a table in an older format before it.
  const std::size_t start = content.find(magic);
  if (start == content.npos || content.size() - start < sizeof(Header))
    return cache;
  content.remove_prefix(start);
  Header header;
  std::memcpy(&header, content.data(), sizeof header);
  const std::size_t room = (content.size() - sizeof header) / sizeof(Entry);
  for (std::size_t i = 0; i < std::min<std::size_t>(header.count, room); ++i) {
    Entry entry;
    std::memcpy(&entry, content.data() + sizeof header + i * sizeof entry, sizeof entry);
    const std::string name = text_at(content, entry.name), file = text_at(content, entry.file);
    if (entry.processor == 0 && !name.empty() && !file.empty())
      cache[name].push_back(file);
  }
  return cache;
}

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
