// SPDX-License-Identifier: GPL-3.0-or-later
// Asks amp-info which CPUs a rank gets, and binds the process to them.
#include "amp-run/rank-mask.h"

#include "common/command.h"
#include "common/cpulist.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "options/option-table.h"
}

namespace amp {

namespace {

std::string process_file(pid_t process, const char *name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

// What follows NAME and a colon in the file status of PROCESS; empty if that cannot be read.
std::string status_of(pid_t process, const std::string &name) {
  std::ifstream file(process_file(process, "status"));
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, name.size() + 1, name + ":") == 0)
      return line.substr(std::min(line.size(), line.find_first_not_of(" \t", name.size() + 1)));
  return "";
}

// Whether PROCESS had VARIABLE when it started. Another user's processes do not show that.
bool had_variable(pid_t process, const std::string &variable) {
  std::ifstream file(process_file(process, "environ"));
  for (std::string text; std::getline(file, text, '\0');)
    if (text.compare(0, variable.size() + 1, variable + "=") == 0)
      return true;
  return false;
}

// The launcher's own process on this node: the first one above this that is no rank, as a shell
// between the two is. 0 if the launcher is in another PID namespace.
pid_t launcher_of(const LocalRank &rank) {
  pid_t process = getppid();
  while (process > 1 && had_variable(process, rank.variable))
    process = std::atoi(status_of(process, "PPid").c_str());
  return process;
}

bool is_bound(const LocalRank &rank) {
  if (rank.bound)
    return *rank.bound;
  const std::string launcher = status_of(launcher_of(rank), "Cpus_allowed_list");
  return !launcher.empty() && launcher != status_of(getpid(), "Cpus_allowed_list");
}

// Standard output of PROGRAM with ARGUMENTS and ENVIRONMENT; nothing if it fails.
std::optional<std::string> output_of(const std::string &program, std::vector<std::string> arguments,
                                     std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), program);
  const auto pointers = [](std::vector<std::string> &words) {
    std::vector<char *> list;
    for (std::string &word : words)
      list.push_back(word.data());
    list.push_back(nullptr);
    return list;
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  // The library will say the same to the program.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; error == 0 && (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) != child || status != 0)
    return std::nullopt;
  return text;
}

// The CPUs that amp-info gives RANK; nothing if it cannot, as when there are more ranks than CPUs.
std::optional<CpuList> ask_amp_info(const LocalRank &rank) {
  const std::string amp_info =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "amp-info";
  std::vector<std::string> environment{"OMP_NUM_THREADS=1"};
  if (const char *const topology = std::getenv("GOMP_AMP_TOPOLOGY"))
    environment.push_back(std::string("GOMP_AMP_TOPOLOGY=") + topology);
  const auto text =
      output_of(amp_info, {"--json", "--ranks=" + std::to_string(rank.size)}, environment);
  if (!text)
    return std::nullopt;
  const auto report = nlohmann::json::parse(*text);
  return parse_cpu_list(report.at("ranks").at(static_cast<std::size_t>(rank.rank)).at("cpus"));
}

void set_mask(const CpuList &cpus) {
  cpu_set_t *const set = CPU_ALLOC(cpu_limit);
  const std::size_t size = CPU_ALLOC_SIZE(cpu_limit);
  if (set == nullptr)
    throw std::bad_alloc();
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus)
    CPU_SET_S(cpu, size, set);
  const int error = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
  CPU_FREE(set);
  if (error != 0)
    throw Failure("--ranks: cannot bind this rank to CPUs " + format_cpu_list(cpus) + " (" +
                  std::strerror(error) + "); its mask is left as it is");
}

} // namespace

bool binds_threads(const char *value) {
  return value && gomp_amp_parse_option(gomp_amp_find_option("GOMP_AMP_AFFINITY"), value) &&
         gomp_amp_options.affinity != GOMP_AMP_AFFINITY_FALSE;
}

void confine_rank(const LocalRank &rank, bool asked, bool verbose) {
  if (rank.size == 1)
    return;
  const std::string name = "amp-run: --ranks: rank " + std::to_string(rank.rank) + " of " +
                           std::to_string(rank.size) + " on this node";
  // Of several ranks one reports.
  if (is_bound(rank)) {
    if (verbose || (asked && rank.rank == 0))
      std::cerr << name << " keeps CPUs " << format_cpu_list(allowed_cpus()) << ", to which "
                << rank.launcher << " has bound it\n";
    return;
  }
  const std::optional<CpuList> cpus = ask_amp_info(rank);
  if (cpus)
    set_mask(*cpus);
  if (!cpus && (verbose || rank.rank == 0))
    std::cerr << name << " keeps CPUs " << format_cpu_list(allowed_cpus())
              << ", which all ranks share: amp-info finds fewer CPUs than ranks\n";
  else if (verbose)
    std::cerr << name << " has CPUs " << format_cpu_list(*cpus) << "\n";
}

} // namespace amp
