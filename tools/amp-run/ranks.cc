// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the variables by which Open MPI, MPICH's Hydra and Slurm number the processes of a node,
// asks amp-info which CPUs a rank gets, and binds the process to them.
#include "amp-run/ranks.h"

#include "amp-run/amp-info.h"
#include "common/command.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace amp {

namespace {

// Of Hydra: also Intel MPI and MVAPICH.
struct Launcher {
  const char *name, *rank, *size;
};
constexpr Launcher launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPICH", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
};

constexpr const char *consequence = "; the mask of this rank is left as it is";

// Reads a number from the front of TEXT, and removes it there. Negative if there is none.
int take_number(std::string_view &text) {
  int number = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    return -1;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

[[noreturn]] void reject(const char *name, const char *value, const std::string &expected) {
  throw Failure(std::string("--ranks: ") + name + "=" +
                (value ? "'" + std::string(value) + "'" : "(unset)") + ": expected " + expected +
                consequence);
}

// The value of NAME, a number of LEAST or more.
int number_of(const Variables &variables, const char *name, int least) {
  const char *const value = variables(name);
  std::string_view text = value ? value : "";
  const int number = take_number(text);
  if (number < least || !text.empty())
    reject(name, value, "a number of " + std::to_string(least) + " or more");
  return number;
}

// The number of node NODE in TEXT, which is Slurm's, such as "4(x2),3": nodes 0 and 1 have 4, and
// node 2 has 3. Negative if TEXT has another form or too few nodes.
int number_of_node(std::string_view text, int node) {
  for (int nodes = 0; !text.empty();) {
    const int number = take_number(text);
    int times = 1;
    if (text.substr(0, 2) == "(x") {
      text.remove_prefix(2);
      times = take_number(text);
      if (text.empty() || text.front() != ')')
        return -1;
      text.remove_prefix(1);
    }
    if (number < 0 || times < 0)
      return -1;
    if (node - nodes < times)
      return number;
    nodes += times;
    if (text.empty() || text.front() != ',')
      return -1;
    text.remove_prefix(1);
  }
  return -1;
}

int slurm_size(const Variables &variables) {
  const char *const name = "SLURM_STEP_TASKS_PER_NODE";
  const char *const value = variables(name);
  if (value == nullptr)
    return number_of(variables, "SLURM_NTASKS_PER_NODE", 1);
  const int size = number_of_node(value, number_of(variables, "SLURM_NODEID", 0));
  if (size < 1)
    reject(name, value, "numbers of tasks such as 4(x2),3, with one for node SLURM_NODEID");
  return size;
}

// Slurm names its binding in words, and where it confines a step by a control group instead no mask
// can show it.
bool slurm_bound(const Variables &variables) {
  const char *const type = variables("SLURM_CPU_BIND_TYPE");
  return type && *type && std::string_view(type) != "none";
}

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

std::optional<LocalRank> find_local_rank(const Variables &variables) {
  std::optional<LocalRank> found;
  for (const Launcher &launcher : launchers)
    if (!found && variables(launcher.rank))
      found = {launcher.name, launcher.rank, number_of(variables, launcher.rank, 0),
               number_of(variables, launcher.size, 1), std::nullopt};
  if (!found && variables("SLURM_LOCALID") && variables("SLURM_STEP_ID"))
    found = {"Slurm", "SLURM_LOCALID", number_of(variables, "SLURM_LOCALID", 0),
             slurm_size(variables), slurm_bound(variables)};
  if (found && found->rank >= found->size)
    reject(found->variable.c_str(), variables(found->variable.c_str()),
           "a number below " + std::to_string(found->size) + ", the number of ranks of this node");
  return found;
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
