// SPDX-License-Identifier: GPL-3.0-or-later
// Runs amp-info and reads its JSON.
#include "amp-run/amp-info.h"

#include "common/command.h"
#include "common/preload.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
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

} // namespace

std::optional<CpuList> cpus_of_rank(int number, int size) {
  const auto report = amp_info({"--ranks=" + std::to_string(size)});
  if (!report)
    return std::nullopt;
  return parse_cpu_list(report->at("ranks").at(static_cast<std::size_t>(number)).at("cpus"));
}

Machine ask_machine() {
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
      machine.classes.push_back({parse_cpu_list(cpus), capacity});
  }
  machine.threads = static_cast<int>(report->at("binding").at("threads").size());
  const auto &folding = report->at("folding").at("auto");
  machine.ids = folding.at("threads");
  machine.workers = folding.at("workers");
  return machine;
}

} // namespace amp
