// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the imports of a program and of all libraries that its loader would load.
#include "amp-run/check.h"

#include "amp-run/elf-file.h"
#include "amp-run/inspect.h"
#include "amp-run/loader-list.h"
#include "amp-run/openmp-use.h"
#include "amp-run/script.h"
#include "common/command.h"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

namespace amp {

namespace {

std::optional<ElfFile> open_elf(const std::string &file) {
  try {
    return ElfFile::open(file);
  } catch (const std::system_error &) {
    return std::nullopt;
  }
}

std::string base_name(const std::string &file) { return file.substr(file.rfind('/') + 1); }

// Whether the name of FILE is NAME, or NAME and a version, such as python3.11.
bool is_called(const std::string &file, const std::string &name) {
  const std::string base = base_name(file);
  return base.compare(0, name.size(), name) == 0 &&
         std::all_of(base.begin() + static_cast<std::ptrdiff_t>(name.size()), base.end(),
                     [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

// The page about one of PROGRAMS that loads its OpenMP code as plug-ins; empty if none does.
std::string page_about(const std::vector<std::string> &programs) {
  for (const std::string &program : programs) {
    if (is_called(program, "python") || is_called(program, "pypy"))
      return "docs/python.md";
    if (is_called(program, "R") || is_called(program, "Rscript"))
      return "docs/r.md";
  }
  return {};
}

// What has been found in all files that a program loads at its start.
struct Findings {
  Folding folding; // what the library is asked to do
  std::set<std::string> files, copies;
  bool any = false, reachable = false, plugins = false;
};

void show_file(const std::string &name, const ElfFile &elf, Findings &found, std::ostream &stream) {
  const std::vector<std::string> imports = elf.imports();
  OpenMPUse use = use_of(imports, elf.needed());
  use.thread_local_size = elf.thread_local_size();
  found.plugins =
      found.plugins || std::find(imports.begin(), imports.end(), "dlopen") != imports.end();
  if (!use.any())
    return;
  found.any = true;
  found.reachable = found.reachable || use.reachable() || (found.folding.on && use.parallel);
  stream << "  " << name << "\n";
  for (const std::string &line : describe(use, found.folding))
    stream << "    " << line << "\n";
}

// Whether FILE, which is not our library, is an OpenMP runtime or has one linked into it.
bool has_runtime(const std::string &file, const ElfFile &elf) {
  return is_bundled_name(file) || elf.defines_any({"GOMP_parallel", "__kmpc_fork_call"});
}

// Shows FILE, a program or library, and the libraries that LOADER loads for it, each file once.
void show_files(const std::string &loader, const std::string &file, const ElfFile &elf,
                const std::string &library, Findings &found, std::ostream &stream) {
  if (!found.files.insert(file).second)
    return;
  show_file(file, elf, found, stream);
  for (const std::string &needed : list_loaded(loader, file).libraries) {
    const auto loaded = needed == library ? std::nullopt : open_elf(needed);
    // Not the kernel's own, and not one that the loader did not find and reports itself.
    if (!loaded || !found.files.insert(needed).second)
      continue;
    if (has_runtime(needed, *loaded))
      found.copies.insert(needed);
    else
      show_file(needed, *loaded, found, stream);
  }
}

void show_copies(const Findings &found, std::ostream &stream) {
  for (const std::string &copy : found.copies)
    stream << "  " << copy << "\n    another OpenMP runtime: a copy of libgomp that some library "
           << "bundles; it reads\n    OMP_SCHEDULE too, and complains of schedules that it does "
           << "not know\n";
}

// Reports which libgomp FILE loads without amp-run, if it loads one.
void show_without_us(const std::string &loader, const std::string &file,
                     const std::string &preloads, std::ostream &stream) {
  for (const std::string &loaded : list_loaded(loader, file, preloads).libraries) {
    if (base_name(loaded).compare(0, 10, "libgomp.so") != 0)
      continue;
    const auto elf = open_elf(loaded);
    const bool ours = elf && elf->defines_any({"ompx_amp_version"});
    stream << "amp-run: without amp-run it loads " << loaded << ", which is "
           << (ours ? "libgomp-amp too" : "not libgomp-amp") << "\n";
    return;
  }
}

void show_what_is_not_seen(const std::string &page, const Findings &found, std::ostream &stream) {
  if (!page.empty())
    stream << "amp-run: it loads modules later, which are not seen: give --check their .so files "
           << "as arguments, see " << page << "\n";
  else if (found.plugins && !found.reachable)
    stream << "amp-run: what it loads later, by dlopen, is not seen: give --check the plug-ins' "
           << ".so files as arguments\n";
}

} // namespace

std::string find_checked(const std::string &name) {
  if (name.find('/') != std::string::npos)
    if (const auto elf = open_elf(name); elf && elf->is_shared_library())
      return name;
  return find_program(name);
}

int check(const Checked &checked, std::ostream &stream) {
  const std::string &program = checked.program, &library = checked.library;
  const auto own = open_elf(library);
  std::string file = program;
  std::optional<ElfFile> elf = open_elf(program);
  const std::string interpreter = elf ? std::string() : script_program(program);
  if (!interpreter.empty()) {
    file = interpreter;
    elf = open_elf(file);
  }
  const auto refuse = [&](const std::string &reason) {
    throw Failure("'" + file + "' " + reason + "; nothing was run");
  };
  // Must come before anything is executed: a program may choose any file as its loader.
  const bool is_library = elf && elf->is_shared_library();
  if (const auto loader = elf ? elf->interpreter() : std::nullopt;
      loader && !is_system_loader(*loader))
    refuse("names the loader " + *loader +
           ", which is not in a directory of the system's, so that "
           "--check does not execute it");
  if (!is_library) {
    if (const auto obstacle = find_obstacle(file, library))
      refuse(*obstacle);
  } else if (own && !own->same_machine(*elf))
    refuse("is " + elf->machine() + ", but the library is " + own->machine());
  if (file != program)
    stream << "amp-run: '" << program << "' is a script for " << file
           << "; the programs that it starts get the library too\n";
  if (!elf) {
    stream << "amp-run: '" << program << "' is a script; the programs that it starts get "
           << library << "\n";
    return exit_unreachable;
  }
  const std::string loader =
      is_library ? ElfFile::open("/proc/self/exe")->interpreter().value() : *elf->interpreter();
  std::ostringstream body;
  Findings found;
  found.folding = checked.folding;
  show_files(loader, file, *elf, library, found, body);
  const std::size_t libraries = found.files.size() - 1;
  bool modules = false;
  for (const std::string &name : checked.modules)
    if (const auto module = open_elf(name);
        module && module->is_shared_library() && own && own->same_machine(*module)) {
      modules = true;
      show_files(loader, name, *module, library, found, body);
    }
  show_copies(found, body);

  const std::string would =
      std::string("would ") + (is_library ? "be loaded beside " : "run with ") + library;
  stream << "amp-run: '" << file << "' ";
  if (!found.any)
    stream << "uses no OpenMP: neither it nor the " << libraries
           << " libraries that it loads at its start " << (modules ? "nor its modules " : "")
           << "call an OpenMP runtime\n";
  else if (found.reachable)
    stream << would << "\n";
  else
    stream << would << ", which has nothing to schedule there: no routed loops, none with "
           << "schedule(runtime), no tasks"
           << (checked.folding.on ? ", no parallel regions\n" : "\n");
  stream << body.str();
  show_without_us(loader, file, checked.preloads, stream);
  if (!modules)
    show_what_is_not_seen(page_about({program, file}), found, stream);
  return found.reachable ? exit_reachable : exit_unreachable;
}

} // namespace amp
