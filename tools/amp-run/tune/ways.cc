// SPDX-License-Identifier: GPL-3.0-or-later
// The table of ways, and what sets variables and the mask.
#include "amp-run/tune/ways.h"

#include "amp-run/values.h"
#include "common/preload.h"

#include <algorithm>
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

const std::array<Way, way_count> ways = {{
#define AMP_WAY(ident, name, classes, kind, carries_over, text, ...)                               \
  {name, classes, Applies::kind, carries_over, text, {{__VA_ARGS__}}},
#include "amp-run/tune/ways.def"
}};

const Way *find_way(std::string_view name) {
  for (const Way &way : ways)
    if (way.name == name)
      return &way;
  return nullptr;
}

const Way *find_remembered_way(std::string_view name) {
  return name == "turns" || name == "calls" ? &ways[way_folded] : find_way(name);
}

CpuList cpus_of(const Way &way, const Machine &machine) {
  CpuList cpus;
  for (std::size_t i = 0; i < std::min(way.classes, machine.classes.size()); ++i)
    cpus.insert(cpus.end(), machine.classes[i].cpus.begin(), machine.classes[i].cpus.end());
  return cpus;
}

int threads_of(const Way &way, const Machine &machine) {
  if (way.applies == Applies::folds)
    return machine.ids;
  const auto cpus = static_cast<int>(cpus_of(way, machine).size());
  return cpus == 0 || std::getenv("OMP_NUM_THREADS") ? machine.threads
                                                     : std::min(cpus, machine.threads);
}

std::string way_names() {
  std::string names;
  for (const Way &way : ways)
    names += (names.empty() ? "" : ", ") + std::string(way.name);
  return names;
}

bool applies(const Way &way, const Traits &traits, const Machine &machine) {
  switch (way.applies) {
  case Applies::any:
    return true;
  case Applies::uneven:
    return machine.uneven();
  case Applies::three:
    return machine.classes.size() > 2;
  case Applies::folds:
    return machine.ids > 0 && (traits.unseen || traits.parallel);
  case Applies::loops:
    return machine.uneven() && (traits.unseen || traits.reachable);
  }
  return false;
}

std::vector<const Way *> ways_for(const Traits &traits, const Machine &machine) {
  std::vector<const Way *> result;
  for (const Way &way : ways)
    if (applies(way, traits, machine))
      result.push_back(&way);
  return result;
}

const std::vector<const char *> &deciding_variables() {
  static const std::vector<const char *> names = {
      "GOMP_AMP_FOLD", "OMP_SCHEDULE",      "GOMP_AMP_SCHEDULE", "OMP_PROC_BIND",
      "OMP_PLACES",    "GOMP_CPU_AFFINITY", "GOMP_AMP_AFFINITY"};
  return names;
}

const char *decided_by() {
  for (const char *const name : deciding_variables())
    if (const char *const value = std::getenv(name); value && *value)
      return name;
  return nullptr;
}

std::string with_second(const std::string &list, const std::string &library) {
  constexpr char separators[] = " :";
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    if (list.compare(begin, end - begin, library) == 0)
      return list;
    begin = end + 1;
  }
  std::size_t first = std::min(list.find_first_of(separators), list.size());
  // AddressSanitizer's library comes first, if it is there.
  if (list.substr(0, first).find("/libasan.so") != list.npos && first < list.size())
    first = std::min(list.find_first_of(separators, first + 1), list.size());
  return list.substr(0, first) + ":" + library + list.substr(first);
}

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
  if (!folds())
    return;
  const char *const list = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", with_second(list ? list : "", own_library("libamp-yield.so")), told);
  if (std::getenv("OMP_NUM_THREADS") || !is_python(target.interpreter))
    return;
  if (const int number = workers(); number > 0)
    set("OMP_NUM_THREADS", std::to_string(number), told);
}

void drop_way_of_parent(const std::string &executable) {
  const char *const program = std::getenv(program_variable);
  if (!program || program == executable)
    return;
  for (const char *const name : {"GOMP_AMP_FOLD", program_variable})
    unsetenv(name);
}

} // namespace amp
