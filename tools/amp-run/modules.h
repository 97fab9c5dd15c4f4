// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a program loads, and what they use of OpenMP.
#pragma once

#include "amp-run/elf-file.h"
#include "amp-run/openmp-use.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace amp {

struct Module {
  std::string file;
  OpenMPUse use;
};

struct Modules {
  std::vector<Module> using_openmp;
  std::set<std::string> files, copies; // all of them; other OpenMP runtimes among them
  bool plugins = false;                // some load others later, by dlopen

  bool any(bool OpenMPUse::*use) const;
};

// Adds FILE, a program or shared library with contents ELF, and the libraries that LOADER would
// load for it to MODULES, each once and LIBRARY, which is ours, never.
void add_modules(const std::string &loader, const std::string &file, const ElfFile &elf,
                 const std::string &library, Modules &modules);

// The modules of PROGRAM and of the libraries that it loads at its start, but LIBRARY, which is
// ours. Of a script the interpreter is looked at. Executes nothing.
Modules modules_of(const std::string &program, const std::string &library);

} // namespace amp
