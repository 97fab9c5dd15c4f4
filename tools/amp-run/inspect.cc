// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for obstacles that keep a program from using a preloaded libgomp.
#include "amp-run/inspect.h"

#include "amp-run/elf-file.h"
#include "amp-run/library-search.h"
#include "amp-run/modules.h"
#include "amp-run/script.h"

#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>

namespace amp {

namespace {

// Other OpenMP runtimes than libgomp: the stem of the library's file name, and the owner.
constexpr struct {
  std::string_view stem, owner;
} other_runtimes[] = {
    {"libomp", "LLVM"},         {"libomp5", "LLVM"},     {"libiomp5", "Intel"},
    {"libiompstubs5", "Intel"}, {"libnvomp", "NVIDIA"},  {"libpgmp", "PGI"},
    {"libcraymp", "Cray"},      {"libfjomp", "Fujitsu"}, {"libxlsmp", "IBM"},
    {"libmtsk", "Oracle"},
};

// The owner of the OpenMP runtime that FILE is a library of; empty for any other library.
std::string_view other_runtime_owner(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  for (const auto &runtime : other_runtimes) {
    if (name.substr(0, runtime.stem.size()) != runtime.stem)
      continue;
    // Python wheels put a hash between stem and suffix: libomp-a1b2c3d4.so.5
    const std::string_view rest = name.substr(runtime.stem.size());
    if (rest.substr(0, 3) == ".so" || (rest[0] == '-' && rest.find(".so") != rest.npos))
      return runtime.owner;
  }
  return {};
}

// Whether executing FILE changes the process's privileges. The loader then drops LD_PRELOAD entries
// with a '/' in them. The rules are those of execve(2) and capabilities(7).
bool gains_privileges(const std::string &file) {
  struct stat status;
  struct statvfs filesystem;
  if (stat(file.c_str(), &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
      (statvfs(file.c_str(), &filesystem) == 0 && (filesystem.f_flag & ST_NOSUID)))
    return false;
  const mode_t setgid = S_ISGID | S_IXGRP;
  return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
         ((status.st_mode & setgid) == setgid && status.st_gid != getgid()) ||
         (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0);
}

constexpr const char *static_obstacle =
    "is statically linked, so nothing can be preloaded into it; link it dynamically";

// Which functions FILES need of libgomp and OURS does not have, as NAME@VERSION; a few of them, and
// how many more there are.
std::string missing_functions(const LoadedFiles &files, const ElfFile &ours) {
  const std::vector<std::string> defined = ours.versioned_definitions();
  const std::set<std::string> have(defined.begin(), defined.end());
  std::set<std::string> missing;
  for (const LoadedFile &loaded : files)
    for (const std::string &name : loaded.elf.imports_from("libgomp.so.1"))
      if (!have.count(name))
        missing.insert(name);
  std::string result;
  std::size_t shown = 0;
  for (auto name = missing.begin(); name != missing.end() && shown < 3; ++name, ++shown)
    result += (shown ? ", " : "") + *name;
  if (missing.size() > shown)
    result += " and " + std::to_string(missing.size() - shown) + " more";
  return result;
}

// Why OURS cannot be loaded by LOADER together with FILES; empty if it can. A C library has one
// loader, and another C library's does not know what ours needs.
std::string why_not_loaded(const std::string &loader, const LoadedFiles &files,
                           const ElfFile &ours) {
  const auto theirs = open_elf(loader), own = open_elf(own_loader());
  if (!theirs || (own && theirs->soname() != own->soname()))
    return "it is not that of libgomp-amp's C library";
  std::set<std::string> have;
  for (const LoadedFile &loaded : files)
    if (loaded.elf.soname() == "libc.so.6")
      for (const std::string &name : loaded.elf.versioned_definitions())
        have.insert(name);
  for (const std::string &name : ours.imports_from("libc.so.6"))
    if (!have.count(name))
      return "its C library has no " + name;
  return {};
}

// The obstacles in what LOADER would load for PROGRAM.
std::optional<std::string> find_loader_obstacle(const std::string &loader,
                                                const std::string &program, const ElfFile &elf,
                                                const ElfFile &ours) {
  if (access(loader.c_str(), X_OK) != 0)
    return "names the loader " + loader + ", which does not start (" + std::strerror(errno) +
           "); it cannot run on this machine";
  const LoadedFiles files = find_libraries(loader, program, elf);
  for (const LoadedFile &loaded : files)
    if (const std::string_view owner = other_runtime_owner(loaded.file); !owner.empty())
      return "loads another OpenMP runtime, " + std::string(owner) + "'s " + loaded.file +
             "; compile it, or the library that needs that, with GCC or amp-gcc";
  if (const std::string missing = missing_functions(files, ours); !missing.empty())
    return "needs functions of libgomp that the library does not have: " + missing +
           "; compile it without what calls them, or with an older GCC";
  if (const std::string why = why_not_loaded(loader, files, ours); !why.empty())
    return "does not get the library from its loader " + loader + " (" + why +
           "); run it on the machine and C library that libgomp-amp was built for";
  return std::nullopt;
}

} // namespace

bool is_other_runtime(const std::string &file) { return !other_runtime_owner(file).empty(); }

std::string sanitizer_of(const std::string &program) {
  const auto elf = open_elf(program);
  const auto loader = elf ? elf->interpreter() : std::nullopt;
  for (const LoadedFile &loaded : loader ? find_libraries(*loader, program, *elf) : LoadedFiles())
    if (loaded.file.compare(loaded.file.rfind('/') + 1, 10, "libasan.so") == 0)
      return loaded.file;
  return {};
}

std::optional<std::string> find_obstacle(const std::string &program, const std::string &library) {
  const std::optional<ElfFile> library_elf = open_elf(library);
  if (!library_elf)
    throw std::system_error(ENOEXEC, std::generic_category(), library);
  const std::optional<ElfFile> elf = open_elf(program);
  if (!elf) {
    if (access(program.c_str(), R_OK) != 0)
      return std::string("cannot be read, so there is no telling whether it would use the library "
                         "(") +
             std::strerror(errno) + "); make it readable";
    // The programs that a script starts inherit the preload; its interpreter must be able to use
    // it. One that is missing is reported when it is executed.
    const std::vector<std::string> words = script_words(program);
    const auto interpreter = words.empty() ? std::nullopt : open_elf(words.front());
    if (interpreter && library_elf->same_machine(*interpreter) && !interpreter->interpreter())
      return "is a script for " + words.front() + ", which " + static_obstacle;
    return std::nullopt;
  }

  if (!elf->same_machine(*library_elf))
    return "is " + elf->machine() + ", but the library is " + library_elf->machine() +
           "; build libgomp-amp for the former";
  const std::optional<std::string> loader = elf->interpreter();
  if (!loader)
    return static_obstacle;
  if (gains_privileges(program))
    return "gains privileges when it starts (set-user-ID, set-group-ID or file capabilities), "
           "upon which the loader ignores LD_PRELOAD; compile it with amp-gcc, or run a copy "
           "without them";
  // A stripped static libgomp has no names, but still the start of its messages. The string is
  // joined here, so that this program does not contain it.
  if (elf->defines_any({"GOMP_parallel", "omp_get_num_threads"}) ||
      elf->contains(std::string("\nlib") + "gomp: "))
    return "has an OpenMP runtime linked into it statically; link it with libgomp.so";
  return find_loader_obstacle(*loader, program, *elf, *library_elf);
}

} // namespace amp
