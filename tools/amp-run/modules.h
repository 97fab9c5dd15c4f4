// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a program loads, and what each uses of OpenMP, by the functions that it calls.
#pragma once

#include "amp-run/libraries.h"

#include <set>
#include <string>
#include <vector>

namespace amp {

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
