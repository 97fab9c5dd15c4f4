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
  bool folds = false; // what the library is asked to do
  std::size_t files = 0;
  bool any = false, reachable = false, plugins = false;
};

void show_file(const std::string &name, const ElfFile &elf, Findings &found, std::ostream &stream) {
  const std::vector<std::string> imports = elf.imports();
  const OpenMPUse use = use_of(imports, elf.needed());
  ++found.files;
  found.plugins =
      found.plugins || std::find(imports.begin(), imports.end(), "dlopen") != imports.end();
  if (!use.any())
    return;
  found.any = true;
  found.reachable = found.reachable || use.reachable() || (found.folds && use.parallel);
  stream << "  " << name << "\n";
  for (const std::string &line : describe(use, found.folds))
    stream << "    " << line << "\n";
}

// Whether FILE, which is not our library, is an OpenMP runtime or has one linked into it.
bool has_runtime(const std::string &file, const ElfFile &elf) {
  return is_bundled_name(file) || elf.defines_any({"GOMP_parallel", "__kmpc_fork_call"});
}

Findings show_files(const std::string &loader, const std::string &program, const ElfFile &elf,
                    const std::string &library, bool folds, std::ostream &stream) {
  Findings found;
  found.folds = folds;
  show_file(program, elf, found, stream);
  std::vector<std::string> copies;
  for (const std::string &file : list_loaded(loader, program).libraries) {
    const auto loaded = file == library ? std::nullopt : open_elf(file);
    if (!loaded)
      continue; // the kernel's own, or one that the loader did not find and reports itself
    if (has_runtime(file, *loaded))
      copies.push_back(file);
    else
      show_file(file, *loaded, found, stream);
  }
  for (const std::string &copy : copies)
    stream << "  " << copy << "\n    another OpenMP runtime: a copy of libgomp that some library "
           << "bundles; it reads\n    OMP_SCHEDULE too, and complains of schedules that it does "
           << "not know\n";
  return found;
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
    stream << "amp-run: it loads modules later, which are not seen: give --check a module's .so "
           << "file, see " << page << "\n";
  else if (found.plugins && !found.reachable)
    stream << "amp-run: what it loads later, by dlopen, is not seen: give --check the plug-in's "
           << ".so file\n";
}

} // namespace

std::string find_checked(const std::string &name) {
  if (name.find('/') != std::string::npos)
    if (const auto elf = open_elf(name); elf && elf->is_shared_library())
      return name;
  return find_program(name);
}

int check(const std::string &program, const std::string &library, const std::string &preloads,
          bool folds, std::ostream &stream) {
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
  } else if (const auto own = open_elf(library); own && !own->same_machine(*elf))
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
  const Findings found = show_files(loader, file, *elf, library, folds, body);

  const std::string would =
      std::string("would ") + (is_library ? "be loaded beside " : "run with ") + library;
  stream << "amp-run: '" << file << "' ";
  if (!found.any)
    stream << "uses no OpenMP: neither it nor the " << found.files - 1
           << " libraries that it loads at its start call an OpenMP runtime\n";
  else if (found.reachable)
    stream << would << "\n";
  else
    stream << would << ", which has nothing to schedule there: no routed loops, none with "
           << "schedule(runtime), no tasks" << (folds ? ", no parallel regions\n" : "\n");
  stream << body.str();
  show_without_us(loader, file, preloads, stream);
  show_what_is_not_seen(page_about({program, file}), found, stream);
  return found.reachable ? exit_reachable : exit_unreachable;
}

} // namespace amp
