// SPDX-License-Identifier: GPL-3.0-or-later
// What an ELF file uses of OpenMP, by the functions that it calls.
#pragma once

#include "amp-run/fold-value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace amp {

// Calls of GCC's code into libgomp, and calls of other compilers' code.
struct OpenMPUse {
  bool routed = false;   // loops with schedule(nonmonotonic:runtime), which amp-gcc makes
  bool runtime = false;  // loops with schedule(runtime) otherwise
  bool fixed = false;    // loops with dynamic, guided, or an ordered or doacross static schedule
  bool passed = false;   // loops whose schedule is an argument of the call
  bool parallel = false; // parallel regions
  bool waits = false;    // barriers and the like, at which threads of a region wait for each other
  bool tasks = false;    // tasks and taskloops
  bool other = false;    // any other function of libgomp, including omp_*
  bool foreign = false;  // the functions that Clang's and Intel's compilers call (__kmpc_*)
  std::string runtime_name; // the libgomp that the file needs, such as libgomp.so.1
  std::string thread_state; // what it, or what it needs, keeps of a thread; empty: nothing

  // Whether it uses OpenMP at all.
  bool any() const;
  // Whether it has loops or tasks that libgomp-amp can schedule.
  bool reachable() const { return routed || runtime || passed || tasks; }
};

// What the library does with parallel regions.
struct Folding {
  bool on = false; // it folds teams
  FoldCalls calls = FoldCalls::automatic;
};

// What a file with these IMPORTS that needs the libraries NEEDED uses of OpenMP.
OpenMPUse use_of(const std::vector<std::string> &imports, const std::vector<std::string> &needed);

// A line for each thing in USE, without a newline, with what the library does about it.
std::vector<std::string> describe(const OpenMPUse &use, const Folding &folding);

// Whether the library FILE, a path or a name, has a name like a copy of libgomp that a Python wheel
// bundles: libgomp-a34b3233.so.1.0.0.
bool is_bundled_name(const std::string &file);

} // namespace amp
