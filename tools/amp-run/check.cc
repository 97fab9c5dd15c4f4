// SPDX-License-Identifier: GPL-3.0-or-later
// Says what was found in a program and in all that it loads.
#include "amp-run/check.h"

#include "amp-run/advice.h"
#include "amp-run/elf-file.h"
#include "amp-run/inspect.h"
#include "amp-run/library-search.h"
#include "amp-run/modules.h"
#include "amp-run/openmp-use.h"
#include "amp-run/script.h"
#include "amp-run/tune/tune.h"
#include "common/command.h"

#include <algorithm>
#include <ostream>
#include <vector>

namespace amp {

namespace {

std::string base_name(const std::string &file) { return file.substr(file.rfind('/') + 1); }

// The page about one of PROGRAMS that loads its OpenMP code as plug-ins; empty if none does.
std::string page_about(const std::vector<std::string> &programs) {
  for (const std::string &program : programs) {
    if (is_python(program))
      return "docs/guide/python.md";
    if (is_called(program, "R") || is_called(program, "Rscript"))
      return "docs/guide/building.md";
  }
  return {};
}

void show_modules(const Modules &modules, bool folds, std::ostream &stream) {
  for (const Module &module : modules.using_openmp) {
    stream << "  " << module.file << "\n";
    for (const std::string &line : describe(module.use, folds))
      stream << "    " << line << "\n";
  }
  for (const std::string &copy : modules.copies)
    stream << "  " << copy << "\n    another OpenMP runtime: a copy of libgomp that some library "
           << "bundles; it reads\n    OMP_SCHEDULE too, and complains of schedules that it does "
           << "not know\n";
}

// Reports which libgomp FILE with contents ELF loads without amp-run, if it loads one.
void show_without_us(const std::string &loader, const std::string &file, const ElfFile &elf,
                     const std::string &preloads, std::ostream &stream) {
  for (const LoadedFile &loaded : find_libraries(loader, file, elf, preloads)) {
    if (base_name(loaded.file).compare(0, 10, "libgomp.so") != 0)
      continue;
    const bool ours = loaded.elf.defines_any({"ompx_amp_version"});
    stream << "amp-run: without amp-run it loads " << loaded.file << ", which is "
           << (ours ? "libgomp-amp too" : "not libgomp-amp") << "\n";
    return;
  }
}

// Which way CHECKED is run, and which --tune would try. PARALLEL: it has parallel regions.
void show_decision(const Checked &checked, bool parallel, std::ostream &stream) {
  const Decision &decision = checked.decision;
  if (decision.way)
    stream << "amp-run: " << decision.by << " decides how it is run: " << decision.way->name << ", "
           << decision.way->text << "\n";
  else if (!checked.folds && parallel)
    stream << "amp-run: its threads are not folded: " << decision.why_none << "\n";
  const Traits traits = traits_of(checked.target, checked.library);
  if (!parallel && !traits.unseen)
    return;
  try {
    if (const Machine machine = ask_machine(); machine.uneven())
      stream << "amp-run: --tune would try " << names_of_ways(traits, machine) << "\n";
  } catch (const Failure &) {
    // Without /proc the machine is not known; all else is.
  }
}

void show_what_is_not_seen(const std::string &page, bool plugins, std::ostream &stream) {
  if (!page.empty())
    stream << "amp-run: it loads modules later, which are not seen: give --check their .so files "
           << "as arguments, see " << page << "\n";
  else if (plugins)
    stream << "amp-run: what it loads later, by dlopen, is not seen: give --check the plug-ins' "
           << ".so files as arguments\n";
}

// Throws the failure to run FILE if there is an OBSTACLE.
void refuse(const std::string &file, const std::optional<std::string> &obstacle) {
  if (obstacle)
    throw Failure("'" + file + "' " + *obstacle + "; nothing was run");
}

// Adds the arguments of CHECKED that are modules for the library, OWN. Whether there are any.
bool add_arguments(const Checked &checked, const std::string &loader, const ElfFile &own,
                   Modules &modules) {
  bool given = false;
  for (const std::string &name : checked.modules)
    if (const auto module = open_elf(name);
        module && module->is_shared_library() && own.same_machine(*module)) {
      given = true;
      add_modules(loader, name, *module, checked.library, modules);
    }
  return given;
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
  const bool is_library = elf && elf->is_shared_library();
  if (!is_library)
    refuse(file, find_obstacle(file, library));
  else if (own && !own->same_machine(*elf))
    refuse(file, "is " + elf->machine() + ", but the library is " + own->machine());
  if (file != program)
    stream << "amp-run: '" << program << "' is a script for " << file
           << "; the programs that it starts get the library too\n";
  if (!elf) {
    stream << "amp-run: '" << program << "' is a script; the programs that it starts get "
           << library << "\n";
    return exit_unreachable;
  }
  const std::string loader = is_library ? own_loader() : *elf->interpreter();
  Modules modules;
  add_modules(loader, file, *elf, library, modules);
  const std::size_t libraries = modules.files.size() - 1;
  const bool given = own && add_arguments(checked, loader, *own, modules);
  const bool reachable = std::any_of(
      modules.using_openmp.begin(), modules.using_openmp.end(), [&](const Module &module) {
        return module.use.reachable() || (checked.folds && module.use.parallel);
      });

  const std::string would =
      std::string("would ") + (is_library ? "be loaded beside " : "run with ") + library;
  stream << "amp-run: '" << file << "' ";
  if (modules.using_openmp.empty())
    stream << "uses no OpenMP: neither it nor the " << libraries
           << " libraries that it loads at its start " << (given ? "nor its modules " : "")
           << "call an OpenMP runtime\n";
  else if (reachable)
    stream << would << "\n";
  else
    stream << would << ", which has nothing to schedule there: no routed loops, none with "
           << "schedule(runtime), no tasks" << (checked.folds ? ", no parallel regions\n" : "\n");
  show_modules(modules, checked.folds, stream);
  show_decision(checked, modules.any(&OpenMPUse::parallel), stream);
  show_without_us(loader, file, *elf, checked.preloads, stream);
  if (!given)
    show_what_is_not_seen(page_about({program, file}), modules.plugins && !reachable, stream);
  return reachable ? exit_reachable : exit_unreachable;
}

} // namespace amp
