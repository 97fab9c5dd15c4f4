// SPDX-License-Identifier: GPL-3.0-or-later
// ampctl: gives programs to this user's ampd, and shows what became of them.
#include "ampctl/connection.h"
#include "ampctl/profile.h"
#include "ampctl/program.h"
#include "ampctl/sign.h"
#include "ampctl/status.h"
#include "ampd/place.h"
#include "common/command.h"
#include "linux/journal.h"
#include "linux/linux.h"

#include <CLI/CLI.hpp>
#include <dirent.h>
#include <fstream>
#include <iostream>
#include <map>
#include <unistd.h>

namespace {

using nlohmann::json;

// The answer to REQUEST; Failure if there is none.
json ask(const json &request) {
  amp::Connection connection;
  const auto answer = connection.ask(request);
  if (!answer)
    throw amp::Failure("ampd has ended, or does not answer");
  return *answer;
}

// Waits until ampd has cores for COMMAND and becomes it. A failure of ampd costs no run.
int run(const amp::ProgramOptions &options, const amp::Command &command) {
  const std::string program = amp::find_program(command[0]);
  json request = {{"do", "run"}};
  describe(options, command[0], program, request);
  std::unique_ptr<amp::Connection> connection;
  try {
    connection = std::make_unique<amp::Connection>();
  } catch (const amp::Failure &failure) {
    std::cerr << "ampctl: " << failure.what() << "; the kernel alone places " << command[0] << '\n';
  }
  if (connection && !(connection->ask(request) && connection->wait()))
    std::cerr << "ampctl: ampd has ended, or does not answer; the kernel alone places "
              << command[0] << '\n';
  throw amp::exec_failure(program, amp::execute(program, command));
}

// PID and, if TREE, the processes that it started, and theirs.
std::vector<pid_t> processes(pid_t pid, bool tree) {
  std::vector<pid_t> found = {pid};
  if (!tree)
    return found;
  std::multimap<pid_t, pid_t> children;
  DIR *const directory = opendir("/proc");
  while (const dirent *const entry = directory ? readdir(directory) : nullptr) {
    std::ifstream file(std::string("/proc/") + entry->d_name + "/stat");
    std::string text;
    std::getline(file, text, '\0');
    const std::size_t name = text.rfind(") ");
    if (name != std::string::npos)
      children.emplace(std::atoi(text.c_str() + name + 4), std::atoi(entry->d_name));
  }
  if (directory)
    closedir(directory);
  for (std::size_t i = 0; i < found.size(); i++)
    for (auto [child, end] = children.equal_range(found[i]); child != end; ++child)
      found.push_back(child->second);
  return found;
}

std::string name_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

void adopt(const amp::ProgramOptions &options, pid_t pid, bool tree) {
  for (const pid_t each : processes(pid, tree)) {
    json request = {{"do", "adopt"}, {"pid", each}};
    describe(options, name_of(each), "/proc/" + std::to_string(each) + "/exe", request);
    ask(request);
  }
}

void set_policy(const std::string &name, const std::vector<std::string> &settings) {
  json request = {{"do", "policy"}, {"name", name}, {"set", json::object()}};
  for (const std::string &each : settings) {
    const std::size_t equals = each.find('=');
    std::istringstream number(equals == std::string::npos ? "" : each.substr(equals + 1));
    double value;
    if (!(number >> value) || !number.eof())
      throw amp::Failure("--set: '" + each + "': expected NAME=NUMBER");
    request["set"][each.substr(0, equals)] = value;
  }
  ask(request);
}

// Without a daemon what one that was killed left behind is undone here.
void restore() {
  const std::string directory = amp::private_directory("ampd");
  if (!amp::take_lock(directory)) {
    ask({{"do", "restore"}});
    return;
  }
  coord::Linux own;
  const int restored = coord::Journal::replay(directory + amp::kJournal, own);
  std::cout << restored << " threads have the CPUs again that they had before\n";
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Gives programs to this user's ampd, which shares the machine's cores among them.",
               "ampctl");
  app.set_version_flag("--version", "ampctl " AMP_VERSION);
  app.footer(amp::exit_status_help);
  app.require_subcommand(1);
  amp::ProgramOptions options;
  CLI::App *const run_command = app.add_subcommand("run", "start a program");
  add_program_options(*run_command, options);
  amp::ProfileOptions profile_options;
  CLI::App *const profile_command = app.add_subcommand(
      "profile", "run a program on each number of cores of each class, for --table");
  add_profile_options(*profile_command, profile_options);
  amp::SignOptions sign_options;
  CLI::App *const sign_command = app.add_subcommand(
      "sign", "count a program's misses in caches of all sizes by valgrind, for --signature");
  add_sign_options(*sign_command, sign_options);
  pid_t pid = 0;
  bool tree = false, raw = false;
  CLI::App *const adopt_command = app.add_subcommand("adopt", "take over a program that runs");
  adopt_command->add_option("PID", pid, "its process")->required();
  adopt_command->add_flag("--tree", tree, "and the processes that it has started");
  add_program_options(*adopt_command, options);
  CLI::App *const release_command =
      app.add_subcommand("release", "give a program back to the kernel");
  release_command->add_option("PID", pid, "its process")->required();
  CLI::App *const status_command =
      app.add_subcommand("status", "show who has which cores, and why");
  status_command->add_flag("--json", raw, "for programs");
  std::string policy;
  std::vector<std::string> settings;
  CLI::App *const policy_command = app.add_subcommand("policy", "use another policy");
  policy_command->add_option("NAME", policy, "as ampsim policies lists")->required();
  policy_command->add_option("-s,--set", settings, "set a parameter of it: NAME=NUMBER")
      ->allow_extra_args(false);
  CLI::App *const restore_command = app.add_subcommand(
      "restore", "give all programs back to the kernel, also if ampd was killed");

  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "run" || first == "profile" || first == "sign")
    return amp::run_tool(app, argc, argv, [&](const amp::Command &command) {
      return *run_command       ? run(options, command)
             : *profile_command ? amp::profile(profile_options, command)
                                : amp::sign(sign_options, command);
    });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : amp::exit_refused;
  }
  try {
    if (*adopt_command)
      adopt(options, pid, tree);
    else if (*release_command)
      ask({{"do", "release"}, {"pid", pid}});
    else if (*policy_command)
      set_policy(policy, settings);
    else if (*restore_command)
      restore();
    else if (*status_command) {
      const json status = ask({{"do", "status"}});
      std::cout << (raw ? status.dump(2) + "\n" : amp::text_of_status(status));
    }
    return 0;
  } catch (const std::exception &problem) {
    std::cerr << "ampctl: " << problem.what() << '\n';
    return amp::exit_refused;
  }
}
