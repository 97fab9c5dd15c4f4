// SPDX-License-Identifier: GPL-3.0-or-later
// Sets variables, and the mask.
#include "amp-run/tune/take-way.h"

#include "amp-run/advice.h"
#include "amp-run/fold-preload.h"
#include "common/preload.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace amp {

namespace {

// The executable that a way was decided for: others that inherit GOMP_AMP_FOLD ignore it.
constexpr const char *program_variable = "GOMP_AMP_PROGRAM";

void set(const char *name, const std::string &value, const Told &told) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw Failure(std::string(name) + ": " + std::strerror(errno));
  told(name, value.c_str());
}

} // namespace

// This process has no mask of virtual CPUs to hand on: there
// they are the one place for all threads.
void confine_to(const CpuList &cpus, const Told &told) {
  if (in_virtual_time()) {
    std::string place;
    for (const int cpu : cpus)
      place += (place.empty() ? "{" : ",") + std::to_string(cpu);
    set("OMP_PLACES", place + "}", told);
    if (!std::getenv("OMP_NUM_THREADS"))
      set("OMP_NUM_THREADS", std::to_string(cpus.size()), told);
  } else if (!set_mask(cpus))
    throw Failure("cannot bind the program to CPUs " + format_cpu_list(cpus) + " (" +
                  std::strerror(errno) + "); nothing was run");
}

void take_way(const Way &way, const Machine &machine, const Target &target, const Told &told) {
  for (const char *const name : deciding_variables())
    unsetenv(name);
  unsetenv(program_variable);
  for (const Variable &variable : way.variables)
    if (variable.name)
      set(variable.name, variable.value, told);
  if (!target.executable.empty())
    set(program_variable, target.executable, told);
  if (const CpuList cpus = cpus_of(way, machine); !cpus.empty())
    confine_to(cpus, told);
  prepare_folding(
      target, [&] { return machine.workers; }, told);
}

void prepare_folding(const Target &target, const std::function<int()> &workers, const Told &told) {
  if (const auto preloads = preload_for_folding())
    told("LD_PRELOAD", preloads->c_str());
  if (!folds() || std::getenv("OMP_NUM_THREADS") || !is_python(target.interpreter))
    return;
  if (const int number = workers(); number > 0)
    set("OMP_NUM_THREADS", std::to_string(number), told);
}

void drop_way_of_parent(const std::string &executable) {
  const char *const program = std::getenv(program_variable);
  if (!program || program == executable)
    return;
  for (const char *const name : {"GOMP_AMP_FOLD", "GOMP_AMP_FOLD_CALLS", program_variable})
    unsetenv(name);
}

} // namespace amp
