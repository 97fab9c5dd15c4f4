// SPDX-License-Identifier: GPL-3.0-or-later
// Runs amp-info and reads its JSON; reads the variables by which Open MPI, MPICH's Hydra and Slurm
// number the processes of a node.
#include "amp-run/machine.h"

#include "common/command.h"
#include "common/preload.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace amp {

namespace {

// Standard output of COMMAND in ENVIRONMENT; nothing if it fails.
std::optional<std::string> output_of(const Command &command,
                                     const std::vector<std::string> &environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    // The library will say the same to the program.
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    clearenv();
    for (const std::string &variable : environment)
      putenv(const_cast<char *>(variable.c_str()));
    _exit(execute(command.front(), command));
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    return std::nullopt;
  return text;
}

// What /proc/cpuinfo calls the processors, each kind once; the machine's kind if it has no names.
std::string processor_names() {
  std::set<std::string> names;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    for (const std::string key : {"model name", "CPU part"})
      if (const auto colon = line.find(": ");
          line.compare(0, key.size(), key) == 0 && colon != line.npos)
        names.insert((key == "CPU part" ? "part " : "") + line.substr(colon + 2));
  std::string result;
  for (const std::string &name : names)
    result += (result.empty() ? "" : ", ") + name;
  utsname system;
  if (result.empty() && uname(&system) == 0)
    result = system.machine;
  return result;
}

// The report of amp-info --json with OPTIONS, under the GOMP_AMP_TOPOLOGY, OMP_NUM_THREADS and
// virtual machine of this process and no other variable of the library; nothing if it has none.
std::optional<nlohmann::json> amp_info(const std::vector<std::string> &options) {
  // A team that other variables bind would hide cores. Files of LD_LIBRARY_PATH may be what
  // amp-info needs.
  std::vector<std::string> environment;
  Command command{own_tool("amp-info"), "--json"};
  std::vector<const char *> names{"GOMP_AMP_TOPOLOGY", "LD_LIBRARY_PATH", "OMP_NUM_THREADS"};
  if (in_virtual_time())
    names.insert(names.end(), {"LD_PRELOAD", "GOMP_AMP_VIRTUAL"});
  for (const char *const name : names)
    if (const char *const value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  command.insert(command.end(), options.begin(), options.end());
  const auto text = output_of(command, environment);
  if (!text)
    return std::nullopt;
  auto report = nlohmann::json::parse(*text, nullptr, false);
  if (report.is_discarded())
    return std::nullopt;
  return report;
}

// The CPUs that rank NUMBER of SIZE on this node gets; nothing if there are fewer CPUs than ranks.
std::optional<CpuList> cpus_of_rank(int number, int size) {
  const auto report = amp_info({"--ranks=" + std::to_string(size)});
  if (!report)
    return std::nullopt;
  return parse_cpu_list(report->at("ranks").at(static_cast<std::size_t>(number)).at("cpus"));
}

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

// This machine, as amp-info describes it now.
static Machine asked() {
  const auto report = amp_info({});
  if (!report)
    throw Failure("'" + own_tool("amp-info") + "' does not say what cores this machine has");
  Machine machine;
  machine.name = (in_virtual_time() ? "virtual time" : processor_names()) + "; ";
  const char *separator = "";
  for (const auto &one : report->at("classes")) {
    const int capacity = one.at("capacity").is_null() ? 0 : one.at("capacity").get<int>();
    const std::string cpus = one.at("cpus");
    const auto cores = one.at("cores").is_null() ? parse_cpu_list(cpus).size()
                                                 : one.at("cores").get<std::size_t>();
    machine.name +=
        separator + std::to_string(cores) + "x" + (capacity == 0 ? "?" : std::to_string(capacity));
    separator = "+";
    if (!cpus.empty())
      machine.classes.push_back(parse_cpu_list(cpus));
  }
  machine.threads = static_cast<int>(report->at("binding").at("threads").size());
  const auto &folding = report->at("folding").at("auto");
  machine.ids = folding.at("threads");
  machine.workers = folding.at("workers");
  return machine;
}

const Machine &ask_machine() {
  static const Machine machine = asked();
  return machine;
}

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
