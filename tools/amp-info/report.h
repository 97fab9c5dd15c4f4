// SPDX-License-Identifier: GPL-3.0-or-later
// What the runtime sees and would do, and its two presentations.
#pragma once

#include "common/cpulist.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amp {

struct CoreClass {
  int number = 0;
  int capacity = 0; // 1..1024; 0 = only the order of the classes is known
  CpuList cpus;     // those that the process may use
};

struct BoundThread {
  CpuList cpus;           // of its place; empty if it is not bound
  std::optional<int> cls; // if it can be of no other
};

struct Schedule {
  int kind = 0;  // as in omp_get_schedule, without omp_sched_monotonic
  int chunk = 0; // 0 = the schedule's default
  int arg = 0;   // second argument; 0 = none, or measured
};

struct Report {
  std::string version;            // of the library
  std::string library;            // its file
  std::string machine;            // its fingerprint
  std::string source;             // who told the classes
  std::vector<CoreClass> classes; // fastest first
  // The usable CPUs of each physical core; empty if the kernel does not tell.
  std::vector<CpuList> cores;
  CpuList excluded; // online, but not in the process's affinity mask
  CpuList offline;

  std::string proc_bind;            // omp_get_proc_bind, by OpenMP's name for it
  std::string binding_by;           // the environment variables that decided; empty: none did
  std::vector<BoundThread> threads; // of the team that a parallel region gets

  Schedule schedule; // omp_get_schedule; arg is not told
  bool monotonic = false;
  bool schedule_given = false; // by OMP_SCHEDULE
  Schedule routed;             // what a routed loop runs as in that team
  bool routed_given = false;   // by GOMP_AMP_SCHEDULE

  // Options of the library that are not at their default, as it displays them.
  std::vector<std::pair<std::string, std::string>> options;
};

// The number of physical cores that CLS has CPUs of; nothing if the kernel does not tell.
std::optional<int> core_count(const Report &report, const CoreClass &cls);

// "aid_hybrid,4,80": KIND by its name in OMP_SCHEDULE, with what is not default.
std::string schedule_text(const Schedule &schedule);

// REPORT as the object that amp-info --help describes.
nlohmann::ordered_json to_json(const Report &report);

// REPORT for people: a few lines, each ended by a newline.
std::string to_text(const Report &report);

} // namespace amp
