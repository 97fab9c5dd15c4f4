// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a way into force for the program that this process executes.
#pragma once

#include "amp-run/tune/target.h"

#include <functional>
#include <string>

namespace amp {

// Called with each variable that is set.
using Told = std::function<void(const char *name, const char *value)>;

// Puts WAY into force on MACHINE, in place of what the environment says. TARGET does not hand its
// folding on to programs that it starts, unless it is a script of the shell.
void take_way(const Way &way, const Machine &machine, const Target &target, const Told &told);

// Has the program run on CPUS alone.
void confine_to(const CpuList &cpus, const Told &told);

// What TARGET needs in addition to its way if it is folded: a second preload, and OMP_NUM_THREADS
// for programs of Python, which take no more threads than there are CPUs without it.
void prepare_folding(const Target &target, const std::function<int()> &workers, const Told &told);

// Forgets what an amp-run that started this process decided for another program than EXECUTABLE.
void drop_way_of_parent(const std::string &executable);

} // namespace amp
