// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/profile.h"

#include "linux/chip.h"
#include "linux/linux.h"
#include "policies/counts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

namespace amp {

namespace {

// Of a class with up to four cores all numbers, of a larger one 0, 1, 2, 4, 8 and so on, and all.
std::vector<int> few(int cores) {
  std::vector<int> numbers;
  for (int n = 0; n < cores; n = n < 4 && cores <= 4 ? n + 1 : std::max(1, 2 * n))
    numbers.push_back(n);
  numbers.push_back(cores);
  return numbers;
}

// Seconds that COMMAND takes on CPUS. Throws Failure if it fails.
double seconds_on(const coord::CpuSet &cpus, const std::string &program, const Command &command) {
  timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  const pid_t child = fork();
  if (child == 0) {
    coord::Linux().set_mask(0, cpus);
    const int error = execute(program, command);
    std::cerr << "ampctl: " << program << ": " << std::strerror(error) << '\n';
    _exit(exit_not_executable);
  }
  int status;
  while (waitpid(child, &status, 0) != child)
    if (child < 0 || errno != EINTR)
      throw Failure(std::string("fork: ") + std::strerror(errno));
  clock_gettime(CLOCK_MONOTONIC, &after);
  if (status != 0)
    throw Failure("'" + program + "' failed on CPUs " + coord::cpu_list(cpus) +
                  "; nothing was written");
  return static_cast<double>(after.tv_sec - before.tv_sec) +
         static_cast<double>(after.tv_nsec - before.tv_nsec) * 1e-9;
}

} // namespace

void add_profile_options(CLI::App &command, ProfileOptions &options) {
  command.add_option("-o,--output", options.output, "the file to write; NAME.tsv by default");
  command.add_option("--name", options.name, "what it is called; its file's name by default");
  command.add_option("--rounds", options.rounds, "runs on each, of which the median counts")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  command.add_option("--machine", options.classes, "CPUs and their capacity, as for ampd");
}

int profile(const ProfileOptions &options, const Command &command) {
  const std::string program = find_program(command[0]);
  const std::string name =
      options.name.empty() ? command[0].substr(command[0].rfind('/') + 1) : options.name;
  const coord::Chip chip =
      coord::read_chip("/sys", coord::Linux().mask(0).value(), options.classes);
  const coord::Machine &machine = chip.machine;
  std::vector<std::vector<int>> numbers;
  std::vector<int> last;
  for (const coord::CoreClass &each : machine.classes) {
    numbers.push_back(few(each.cores));
    last.push_back(static_cast<int>(numbers.back().size()) - 1);
  }
  std::ostringstream text;
  text << "# " << machine_name(machine) << ", median of " << options.rounds
       << " runs; seconds of all of the program\n# columns: program";
  for (int c = machine.fastest(); c >= 0; c--)
    text << " class" << c;
  text << " seconds\n";
  coord::for_each_count(last, [&](const coord::Counts &index) {
    coord::CpuSet cpus;
    std::ostringstream row;
    for (int c = machine.fastest(); c >= 0; c--) {
      int left = numbers[c][index[c]];
      row << '\t' << left;
      for (std::size_t core = 0; core < chip.cpus.size(); core++)
        if (machine.cores[core].core_class == c && left > 0) {
          cpus |= chip.cpus[core];
          left--;
        }
    }
    if (cpus.none())
      return;
    std::vector<double> times;
    for (int round = 0; round < options.rounds; round++)
      times.push_back(seconds_on(cpus, program, command));
    std::ranges::sort(times);
    std::cerr << "ampctl: CPUs " << coord::cpu_list(cpus) << ": " << times[times.size() / 2]
              << " s\n";
    text << name << row.str() << '\t' << times[times.size() / 2] << '\n';
  });
  const std::string output = options.output.empty() ? name + ".tsv" : options.output;
  std::ofstream file(output);
  if (!(file << text.str()) || !file.flush())
    throw Failure(output + ": cannot be written");
  return 0;
}

} // namespace amp
