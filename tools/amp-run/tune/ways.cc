// SPDX-License-Identifier: GPL-3.0-or-later
// The table of ways, what sets variables and the mask, and the library's own parsers of values.
#include "amp-run/tune/ways.h"

#include "common/preload.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

extern "C" {
#include "base/parse.h"
#include "options/option-table.h"
#include "options/schedules.h"
}

namespace amp {

namespace {

#define NAME(ident, name, kind) name,
constexpr const char *known_names[] = {GOMP_AMP_OPENMP_SCHEDULES(NAME)
#define GOMP_AMP_SCHEDULE(ident, name, ...) name,
#include "options/schedules.def"
};

// The schedule's name in VALUE.
std::string name_in(const std::string &value) {
  const std::size_t colon = value.find(':');
  const char *cursor = value.c_str() + (colon == value.npos ? 0 : colon + 1);
  const char *word;
  std::size_t length;
  gomp_amp_skip_blanks(&cursor);
  if (!gomp_amp_read_word(&cursor, &word, &length))
    return {};
  return std::string(word, length);
}

// Whether NAME is set to a value that the library accepts; gomp_amp_options has it then.
bool is_set(const char *name) {
  const char *const value = std::getenv(name);
  return value && gomp_amp_parse_option(gomp_amp_find_option(name), value);
}

// The executable that a way was decided for: others that inherit GOMP_AMP_FOLD ignore it.
constexpr const char *program_variable = "GOMP_AMP_PROGRAM";

} // namespace

const std::array<Way, way_count> ways = {{
#define AMP_WAY(ident, name, classes, kind, carries_over, text, ...)                               \
  {name, classes, Applies::kind, text, {{__VA_ARGS__}}},
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
    cpus.insert(cpus.end(), machine.classes[i].begin(), machine.classes[i].end());
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

void set_variable(const char *name, const std::string &value, bool verbose) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw Failure(std::string(name) + ": " + std::strerror(errno));
  if (verbose)
    std::cerr << "amp-run: " << name << "=" << value << "\n";
}

// This process has no mask of virtual CPUs to hand on: there they are the one place for all
// threads.
void confine_to(const CpuList &cpus, bool verbose) {
  if (in_virtual_time()) {
    std::string place;
    for (const int cpu : cpus)
      place += (place.empty() ? "{" : ",") + std::to_string(cpu);
    set_variable("OMP_PLACES", place + "}", verbose);
    if (!std::getenv("OMP_NUM_THREADS"))
      set_variable("OMP_NUM_THREADS", std::to_string(cpus.size()), verbose);
  } else if (!set_mask(cpus))
    throw Failure("cannot bind the program to CPUs " + format_cpu_list(cpus) + " (" +
                  std::strerror(errno) + "); nothing was run");
}

void take_way(const Way &way, const Target &target, bool verbose) {
  for (const char *const name : deciding_variables())
    unsetenv(name);
  unsetenv(program_variable);
  for (const Variable &variable : way.variables)
    if (variable.name)
      set_variable(variable.name, variable.value, verbose);
  if (!target.executable.empty())
    set_variable(program_variable, target.executable, verbose);
  if (way.classes > 0)
    if (const CpuList cpus = cpus_of(way, ask_machine()); !cpus.empty())
      confine_to(cpus, verbose);
  prepare_folding(target, verbose);
}

void prepare_folding(const Target &target, bool verbose) {
  if (!folds())
    return;
  const char *const list = std::getenv("LD_PRELOAD");
  set_variable("LD_PRELOAD", with_second(list ? list : "", own_library("libamp-yield.so")),
               verbose);
  if (!std::getenv("OMP_NUM_THREADS") && is_python(target.interpreter))
    if (const int workers = ask_machine().workers; workers > 0)
      set_variable("OMP_NUM_THREADS", std::to_string(workers), verbose);
}

void drop_way_of_parent(const std::string &executable) {
  const char *const program = std::getenv(program_variable);
  if (!program || program == executable)
    return;
  for (const char *const name : {"GOMP_AMP_FOLD", program_variable})
    unsetenv(name);
}

std::optional<std::string> fault_of_schedule(const std::string &value, bool routed) {
  gomp_amp_schedule schedule;
  if (routed ? gomp_amp_parse_routed_schedule(value.c_str(), &schedule)
             : gomp_amp_at_end(value.c_str()) ||
                   gomp_amp_parse_schedule(value.c_str(), &schedule) != GOMP_AMP_PARSE_BAD)
    return std::nullopt;
  char shown[65];
  gomp_amp_printable(shown, sizeof shown, value.c_str());
  std::string fault = std::string("'") + shown + "': expected " + gomp_amp_schedules_accepted();
  const std::string name = name_in(value);
  const auto nearest = std::min_element(
      std::begin(known_names), std::end(known_names), [&](const char *a, const char *b) {
        return gomp_amp_edit_distance(name.c_str(), a) < gomp_amp_edit_distance(name.c_str(), b);
      });
  // A name that shares less than half its letters with every known name is no typing error.
  const std::size_t apart = gomp_amp_edit_distance(name.c_str(), *nearest);
  if (apart > 0 && 2 * apart <= name.size())
    fault += std::string("; the nearest is ") + *nearest;
  return fault;
}

std::optional<std::string> fault_of_fold(const std::string &value) {
  const gomp_amp_option *const option = gomp_amp_find_option("GOMP_AMP_FOLD");
  if (gomp_amp_parse_option(option, value.c_str()))
    return std::nullopt;
  char shown[65];
  gomp_amp_printable(shown, sizeof shown, value.c_str());
  return std::string("'") + shown + "': expected " + gomp_amp_expected(option);
}

bool folds() { return is_set("GOMP_AMP_FOLD") && gomp_amp_options.fold != 0; }

bool binds_threads() {
  return is_set("GOMP_AMP_AFFINITY") && gomp_amp_options.affinity != GOMP_AMP_AFFINITY_FALSE;
}

} // namespace amp
