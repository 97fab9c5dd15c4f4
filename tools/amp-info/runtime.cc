// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the OpenMP runtime of this process through its public functions.
#include "amp-info/runtime.h"

#include "amp-info/display.h"
#include "common/command.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <omp.h>
#include <ompx_amp.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

extern "C" void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);

namespace amp {

namespace {

// The runtime's functions. They are looked up, not linked: the runtime is chosen when this program
// runs, and the environment must be prepared before.
class Runtime {
public:
  // The functions of LIBRARY, which HANDLE refers to; if empty and null, of all loaded libraries.
  Runtime(void *handle, const std::string &library) : handle_(handle) {
    void *const version = dlsym(handle, "ompx_amp_version");
    void *const any = version ? version : dlsym(handle, "omp_get_max_threads");
    Dl_info info;
    if (any == nullptr || dladdr(any, &info) == 0)
      throw Failure("'" + library + "' is no OpenMP runtime; nothing to show");
    char resolved[PATH_MAX];
    file_ = realpath(info.dli_fname, resolved) ? resolved : info.dli_fname;
    if (version == nullptr)
      throw Failure("'" + file_ +
                    "' is an OpenMP runtime, but not libgomp-amp's: it knows no core classes; " +
                    (library.empty() ? "have LD_PRELOAD name libgomp-amp's, or no runtime"
                                     : "have --library name libgomp-amp's"));
  }

  const std::string &file() const { return file_; }

  template <typename Function> Function *find(const char *name) const {
    void *const address = dlsym(handle_, name);
    if (address == nullptr)
      throw Failure("'" + file_ + "' is another version of libgomp-amp, without " + name +
                    "; use the amp-info that was installed with it");
    return reinterpret_cast<Function *>(address);
  }

private:
  void *handle_;
  std::string file_;
};

#define FIND(name) find<decltype(name)>(#name)

std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

void ask_classes(const Runtime &runtime, Report &report) {
  const auto cpu_class = runtime.FIND(ompx_amp_get_cpu_class);
  const auto usable = runtime.FIND(ompx_amp_get_cpu_usable);
  const auto online = runtime.FIND(ompx_amp_get_cpu_online);
  const auto cpu_core = runtime.FIND(ompx_amp_get_cpu_core);
  const auto capacity = runtime.FIND(ompx_amp_get_class_capacity);
  const int classes = runtime.FIND(ompx_amp_get_num_classes)();
  const int cpus = runtime.FIND(ompx_amp_get_num_cpus)();

  report.source = runtime.FIND(ompx_amp_get_topology_source)();
  for (int cls = classes - 1; cls >= 0; --cls)
    report.classes.push_back({cls, capacity(cls), {}});
  std::map<int, CpuList> cores;
  std::set<int> all; // with those that only CPUs outside of the mask belong to
  for (int cpu = 0; cpu < cpus; ++cpu) {
    if (online(cpu) == 1)
      all.insert(cpu_core(cpu));
    if (usable(cpu) == 1) {
      report.classes.at(static_cast<std::size_t>(classes - 1 - cpu_class(cpu))).cpus.push_back(cpu);
      cores[cpu_core(cpu)].push_back(cpu);
    } else if (online(cpu) == 1)
      report.excluded.push_back(cpu);
    else if (online(cpu) == 0)
      report.offline.push_back(cpu);
  }
  if (cores.count(-1) == 0)
    for (const auto &[first, core] : cores) {
      report.cores.push_back(core);
      report.core_numbers.push_back(static_cast<int>(std::distance(all.begin(), all.find(first))));
    }
}

// What the threads of a team report about themselves.
struct Team {
  decltype(omp_get_thread_num) *thread_num;
  decltype(omp_get_num_threads) *num_threads;
  decltype(omp_get_place_num) *place_num;
  decltype(ompx_amp_get_thread_class) *thread_class;
  decltype(ompx_amp_get_routed_schedule) *routed_schedule;
  decltype(ompx_amp_get_worker_num) *worker_num;

  struct Member {
    int place = -1;
    int cls = 0;
    int worker = -1;
  };
  std::vector<Member> members; // room for the largest possible team
  int size = 0;
  Schedule routed;

  static void run(void *data) {
    Team &team = *static_cast<Team *>(data);
    const int thread = team.thread_num();
    if (thread == 0) {
      team.size = team.num_threads();
      team.routed_schedule(&team.routed.kind, &team.routed.chunk, &team.routed.arg);
    }
    team.members[static_cast<std::size_t>(thread)] = {team.place_num(), team.thread_class(),
                                                      team.worker_num()};
  }
};

// The class of CPUS if all have the same class.
std::optional<int> common_class(const Report &report, const CpuList &cpus) {
  std::optional<int> common;
  for (const CoreClass &cls : report.classes)
    for (const int cpu : cls.cpus)
      if (std::binary_search(cpus.begin(), cpus.end(), cpu)) {
        if (common && *common != cls.number)
          return std::nullopt;
        common = cls.number;
      }
  return common;
}

void ask_team(const Runtime &runtime, Report &report, bool fixed_classes) {
  Team team{runtime.FIND(omp_get_thread_num),
            runtime.FIND(omp_get_num_threads),
            runtime.FIND(omp_get_place_num),
            runtime.FIND(ompx_amp_get_thread_class),
            runtime.FIND(ompx_amp_get_routed_schedule),
            runtime.FIND(ompx_amp_get_worker_num),
            {},
            0,
            {}};
  const auto place_size = runtime.FIND(omp_get_place_num_procs);
  const auto place_cpus = runtime.FIND(omp_get_place_proc_ids);
  team.members.resize(static_cast<std::size_t>(runtime.FIND(omp_get_max_threads)()));
  runtime.FIND(GOMP_parallel)(Team::run, &team, 0, 0);

  report.routed = team.routed;
  const std::vector<int> workers = worker_cpus(report.fold);
  for (int thread = 0; thread < team.size; ++thread) {
    const Team::Member &member = team.members[static_cast<std::size_t>(thread)];
    BoundThread bound;
    if (member.place >= 0) {
      bound.cpus.resize(static_cast<std::size_t>(place_size(member.place)));
      place_cpus(member.place, bound.cpus.data());
      std::sort(bound.cpus.begin(), bound.cpus.end());
    } else if (member.worker >= 0)
      bound.cpus.push_back(workers.at(static_cast<std::size_t>(member.worker)));
    bound.cls = fixed_classes ? member.cls : common_class(report, bound.cpus);
    report.threads.push_back(std::move(bound));
  }
}

std::string bind_name(omp_proc_bind_t bind) {
  constexpr const char *names[] = {"false", "true", "master", "close", "spread"};
  const auto index = static_cast<std::size_t>(bind);
  return index < std::size(names) ? names[index] : std::to_string(bind);
}

// The variables that decide about binding. In the library OpenMP's take precedence over ours, but
// FOLDED teams are bound to their workers, whose order GOMP_AMP_AFFINITY says.
std::string binding_by(const Variables &options, bool folded) {
  std::string text;
  if (folded) {
    for (const auto &[name, value] : options)
      if (name == "GOMP_AMP_FOLD" || name == "GOMP_AMP_AFFINITY")
        text += (text.empty() ? "" : " ") + name + "=" + value;
    return text;
  }
  for (const char *const name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"})
    if (const char *const value = std::getenv(name))
      text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  if (text.empty())
    for (const auto &[name, value] : options)
      if (name == "GOMP_AMP_AFFINITY")
        return name + "=" + value;
  return text;
}

// The output of DISPLAY(1), omp_display_env, on stderr.
std::string displayed(decltype(omp_display_env) *display) {
  const int file = memfd_create("amp-info", MFD_CLOEXEC);
  const int saved = dup(STDERR_FILENO);
  if (file < 0 || saved < 0 || dup2(file, STDERR_FILENO) < 0)
    throw Failure(std::string("cannot read the library's options: ") + std::strerror(errno));
  display(1);
  std::fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::string text;
  char buffer[4096];
  for (ssize_t count;
       (count = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(file);
  return text;
}

void ask_schedule(const Runtime &runtime, Report &report) {
  constexpr auto monotonic = static_cast<unsigned>(omp_sched_monotonic);
  omp_sched_t kind;
  runtime.FIND(omp_get_schedule)(&kind, &report.schedule.chunk);
  const auto bits = static_cast<unsigned>(kind);
  report.monotonic = (bits & monotonic) != 0;
  report.schedule.kind = static_cast<int>(bits & ~monotonic);
  report.routed_given =
      std::any_of(report.options.begin(), report.options.end(),
                  [](const auto &option) { return option.first == "GOMP_AMP_SCHEDULE"; });
  // Only an unset schedule has two meanings: upstream's dynamic, and another schedule for routed
  // loops unless their own variable is set.
  report.schedule_given = report.schedule.kind != omp_sched_dynamic ||
                          (report.routed_given ? std::getenv("OMP_SCHEDULE") != nullptr
                                               : report.routed.kind == omp_sched_dynamic);
}

} // namespace

bool runtime_preloaded() { return dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr; }

Report ask_runtime(const std::string &library) {
  void *handle = nullptr;
  if (!library.empty()) {
    // Without a '/' in the name the loader would search its own directories.
    const std::string path = std::filesystem::absolute(library);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr)
      throw Failure(std::string("cannot load the library: ") + dlerror() + "; nothing to show");
  }
  const Runtime runtime(handle, library);
  Report report;
  report.library = runtime.file();
  report.version = version_text(runtime.FIND(ompx_amp_version)());
  const Variables variables = parse_display(displayed(runtime.FIND(omp_display_env)));
  report.options = changed_options(variables);
  for (const auto &[name, value] : variables)
    if (name == "LIBGOMP_AMP_MACHINE")
      report.machine = value;
    else if (name == "LIBGOMP_AMP_CPU_QUOTA")
      report.quota = value;
    else if (name == "LIBGOMP_AMP_FOLD")
      report.fold = parse_fold_plan(value);
    else if (name == "LIBGOMP_AMP_FOLD_AUTO")
      report.fold_auto = parse_fold_plan(value);
  ask_classes(runtime, report);
  // Under these conditions a thread has one class wherever the kernel runs it.
  const bool fixed_classes =
      std::any_of(report.options.begin(), report.options.end(), [](const auto &option) {
        return option.first == "GOMP_AMP_THREAD_CLASSES" || option.first == "GOMP_AMP_VIRTUAL";
      });
  ask_team(runtime, report, fixed_classes);
  report.proc_bind = bind_name(runtime.FIND(omp_get_proc_bind)());
  report.binding_by = binding_by(report.options, report.fold.threads > 0);
  ask_schedule(runtime, report);
  return report;
}

} // namespace amp
