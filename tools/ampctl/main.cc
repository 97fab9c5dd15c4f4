// SPDX-License-Identifier: GPL-3.0-or-later
// ampctl: gives programs to this user's ampd, and shows what became of them.
#include "amp-run/program.h"
#include "ampctl/connection.h"
#include "ampctl/program.h"
#include "ampctl/status.h"
#include "ampd/place.h"
#include "common/command.h"
#include "common/preload.h"
#include "linux/journal.h"
#include "linux/linux.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
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

// PROGRAM gets our library, whose threads wait by the CPUs that they have at the moment: GCC's
// counts them when it is loaded, and spins for milliseconds where threads share a CPU later. A
// program that cannot use it runs as it is.
void preload(const std::string &program) {
  const char *const before = std::getenv("LD_PRELOAD");
  const std::string list = before ? before : "";
  const std::string library = amp::runtime_library();
  amp::preload(library);
  if (!amp::find_obstacle(program, library))
    return;
  if (before)
    setenv("LD_PRELOAD", list.c_str(), 1);
  else
    unsetenv("LD_PRELOAD");
}

// Gives this process to ampd and becomes COMMAND. A failure of ampd costs no run.
int run(const amp::ProgramOptions &options, bool as_is, const amp::Command &command) {
  const std::string program = amp::find_program(command[0]);
  json request = {{"do", "run"}};
  describe(options, command[0], request);
  std::unique_ptr<amp::Connection> connection;
  std::string alone;
  try {
    connection = std::make_unique<amp::Connection>();
  } catch (const amp::Failure &failure) {
    alone = failure.what();
  }
  if (connection) {
    const auto answer = connection->ask(request);
    alone = answer ? answer->value("alone", "") : "ampd has ended, or does not answer";
  }
  if (!alone.empty())
    std::cerr << "ampctl: " << alone << "; the kernel alone places " << command[0] << '\n';
  else if (!as_is)
    preload(program);
  throw amp::exec_failure(program, amp::execute(program, command));
}

std::string name_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

void adopt(const amp::ProgramOptions &options, pid_t pid) {
  json request = {{"do", "adopt"}, {"pid", pid}};
  describe(options, name_of(pid), request);
  ask(request);
}

// Without a NAME: lists them.
void set_policy(const std::string &name, const std::vector<std::string> &settings) {
  if (name.empty()) {
    std::cout << amp::text_of_policies(ask({{"do", "status"}}));
    return;
  }
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
  unlink((directory + amp::kPrograms).c_str());
  std::cout << restored << " threads have the CPUs again that they had before\n";
}

struct Options {
  amp::ProgramOptions program;
  pid_t pid = 0;
  bool raw = false, as_is = false;
  std::string policy;
  std::vector<std::string> settings;
};

// What run_tool parses.
void add_run(CLI::App &app, Options &options) {
  CLI::App &command = *app.add_subcommand("run", "start a program");
  command.add_flag("--as-is", options.as_is,
                   "on the OpenMP runtime that it comes with, not on libgomp-amp");
  add_program_options(command, options.program);
}

// The other subcommands, which act when the line is parsed.
void add_requests(CLI::App &app, Options &options) {
  CLI::App *const adopt_command = app.add_subcommand(
      "adopt", "take over a program that runs, and the processes that it has started");
  adopt_command->add_option("PID", options.pid, "its process")->required();
  add_program_options(*adopt_command, options.program);
  adopt_command->callback([&] { adopt(options.program, options.pid); });
  CLI::App *const release = app.add_subcommand("release", "give a program back to the kernel");
  release->add_option("PID", options.pid, "its process")->required();
  release->callback([&] { ask({{"do", "release"}, {"pid", options.pid}}); });
  CLI::App *const status = app.add_subcommand("status", "show who has which cores, and why");
  status->add_flag("--json", options.raw, "for programs");
  status->callback([&] {
    const json answer = ask({{"do", "status"}});
    std::cout << (options.raw ? answer.dump(2) + "\n" : amp::text_of_status(answer));
  });
  CLI::App *const policy = app.add_subcommand("policy", "use another policy, or list them");
  policy->add_option("NAME", options.policy, "without it all are listed, with what they need");
  policy->add_option("-s,--set", options.settings, "set a parameter of it: NAME=NUMBER")
      ->allow_extra_args(false);
  policy->callback([&] { set_policy(options.policy, options.settings); });
  app.add_subcommand("restore", "give all programs back to the kernel, also if ampd was killed")
      ->callback(restore);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Gives programs to this user's ampd, which shares the machine's cores among them.",
               "ampctl");
  app.set_version_flag("--version", "ampctl " AMP_VERSION);
  app.footer(amp::exit_status_help);
  app.require_subcommand(1);
  Options options;
  add_run(app, options);
  add_requests(app, options);
  if (argc > 1 && argv[1] == std::string_view("run"))
    return amp::run_tool(app, argc, argv, [&](const amp::Command &command) {
      return run(options.program, options.as_is, command);
    });
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success &asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    std::cerr << "ampctl: " << error.what() << ", see ampctl --help\n";
    return amp::exit_refused;
  } catch (const std::exception &problem) {
    std::cerr << "ampctl: " << problem.what() << '\n';
    return amp::exit_refused;
  }
}
