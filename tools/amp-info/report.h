// SPDX-License-Identifier: GPL-3.0-or-later
// What the runtime has found and would do, as text and as JSON.
#pragma once

#include "amp-info/ranks.h"
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
  CpuList cpus;     // the CPUs of the class that the process may use
};

struct BoundThread {
  CpuList cpus;           // of its place; empty if it is not bound
  std::optional<int> cls; // if the thread can be of no other class
};

// Workers of folded teams, which are next to each other in their order.
struct WorkerGroup {
  std::vector<int> cpus; // of the workers, in the order of their numbers
  int cls = 0;
  int threads = 0; // that each of them runs
};

// How outermost teams are folded.
struct FoldPlan {
  int threads = 0; // of a team; 0 = not folded
  std::vector<WorkerGroup> groups;
  std::string why; // not, as the library says it
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
  std::string source;             // where the classes came from
  std::vector<CoreClass> classes; // fastest first
  // The usable CPUs of each physical core; empty if the kernel does not say.
  std::vector<CpuList> cores;
  std::vector<int> core_numbers; // of each of them: its place among the cores that are online
  CpuList excluded;              // online, but not in the process's affinity mask
  CpuList offline;
  std::string quota; // of CPU time by cgroups, as the library shows it; empty = none

  std::string proc_bind;            // OpenMP's name for the value of omp_get_proc_bind
  std::string binding_by;           // the environment variables that decided; empty = none
  std::vector<BoundThread> threads; // of the team that a parallel region gets

  FoldPlan fold;      // by GOMP_AMP_FOLD as it is
  FoldPlan fold_auto; // by GOMP_AMP_FOLD=auto

  Schedule schedule; // omp_get_schedule, which does not return arg
  bool monotonic = false;
  bool schedule_given = false; // by OMP_SCHEDULE
  Schedule routed;             // the schedule of a routed loop in that team
  bool routed_given = false;   // by GOMP_AMP_SCHEDULE

  // Options of the library that are not at their default, as it displays them.
  std::vector<std::pair<std::string, std::string>> options;

  std::vector<RankShare> ranks; // of --ranks; empty without it
};

// The number of physical cores with CPUs of CLS; nothing if the kernel does not say.
std::optional<int> core_count(const Report &report, const CoreClass &cls);

// The cores that the process may use. Where the kernel does not say which CPUs are of one core,
// each CPU is one.
std::vector<Core> usable_cores(const Report &report);

// The CPU of each worker of PLAN.
std::vector<int> worker_cpus(const FoldPlan &plan);

// "aid_hybrid,4,80": the name of the kind in OMP_SCHEDULE, and the arguments that are not default.
std::string schedule_text(const Schedule &schedule);

// REPORT as the object that amp-info --help describes.
nlohmann::ordered_json to_json(const Report &report);

// REPORT as text: a few lines, each ended by a newline.
std::string to_text(const Report &report);

} // namespace amp
