// SPDX-License-Identifier: GPL-3.0-or-later
// The files that the dynamic linker would load for a program, found as ld.so(8) says, by reading
// files, and what each uses of OpenMP, by the functions that it calls. Nothing is executed: the
// linker itself runs code of a file with DT_AUDIT or DT_DEPAUDIT.
#pragma once

#include "amp-run/elf-file.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
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

// Calls of GCC's code into libgomp, and calls of other compilers' code.
struct OpenMPUse {
  bool routed = false;      // loops with schedule(nonmonotonic:runtime), which amp-gcc makes
  bool runtime = false;     // loops with schedule(runtime) otherwise
  bool fixed = false;       // loops with dynamic, guided, or an ordered or doacross static schedule
  bool passed = false;      // loops whose schedule is an argument of the call
  bool parallel = false;    // parallel regions
  bool tasks = false;       // tasks and taskloops
  bool other = false;       // any other function of libgomp, including omp_*
  bool foreign = false;     // the functions that Clang's and Intel's compilers call (__kmpc_*)
  std::string runtime_name; // the libgomp that the file needs, such as libgomp.so.1
  std::string kernel_import; // what it, or what it needs, imports that speaks of kernel threads

  // Whether it uses OpenMP at all.
  bool any() const;
  // Whether it has loops or tasks that libgomp-amp can schedule.
  bool reachable() const { return routed || runtime || passed || tasks; }
};

// What a file with these IMPORTS that needs the libraries NEEDED uses of OpenMP.
OpenMPUse use_of(const std::vector<std::string> &imports, const std::vector<std::string> &needed);

// A line for each thing in USE, without a newline, with what the library does about it if it folds
// teams, or does not.
std::vector<std::string> describe(const OpenMPUse &use, bool folds);

// Whether the library FILE, a path or a name, has a name like a copy of libgomp that a Python wheel
// bundles: libgomp-a34b3233.so.1.0.0.
bool is_bundled_name(const std::string &file);

struct Module {
  std::string file;
  OpenMPUse use;
};

struct Modules {
  std::vector<Module> using_openmp;
  std::set<std::string> files, copies; // all of them; other OpenMP runtimes among them
  bool plugins = false;                // some load others later, by dlopen

  bool any(bool OpenMPUse::*use) const;

  // Adds FILE, a program or shared library, and the libraries that it loads at its start, each once
  // and LIBRARY, which is ours, never. Executes nothing.
  void add(const std::string &file, const std::string &library);
};

} // namespace amp
