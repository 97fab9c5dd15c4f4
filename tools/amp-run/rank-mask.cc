// SPDX-License-Identifier: GPL-3.0-or-later
// Asks amp-info which CPUs a rank gets, and binds the process to them.
#include "amp-run/rank-mask.h"

#include "amp-run/amp-info.h"
#include "common/command.h"
#include "common/cpulist.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
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
  const std::optional<CpuList> cpus = cpus_of_rank(rank.rank, rank.size);
  if (cpus && !set_mask(*cpus))
    throw Failure("--ranks: cannot bind this rank to CPUs " + format_cpu_list(*cpus) + " (" +
                  std::strerror(errno) + "); its mask is left as it is");
  if (!cpus && (verbose || rank.rank == 0))
    std::cerr << name << " keeps CPUs " << format_cpu_list(allowed_cpus())
              << ", which all ranks share: amp-info finds fewer CPUs than ranks\n";
  else if (verbose)
    std::cerr << name << " has CPUs " << format_cpu_list(*cpus) << "\n";
}

} // namespace amp
