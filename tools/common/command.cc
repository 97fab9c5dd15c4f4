// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a tool's command line, finds the program it names and executes it.
#include "common/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

const char *const exit_status_help =
    "Exit status: that of CMD; 125 if nothing was run because the options, the machine or CMD do\n"
    "not permit it, 126 if CMD cannot be executed, 127 if it cannot be found.";

namespace {

// Help with a usage line that shows where the options end, and with lines that fit a terminal.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option_desc(const CLI::Option *option) const override {
    constexpr std::size_t width = 68; // beside the column of names
    std::istringstream words(CLI::Formatter::make_option_desc(option));
    std::string text;
    std::size_t column = 0;
    for (std::string word; words >> word; column += word.size() + 1) {
      if (column > 0 && column + word.size() > width)
        column = 0;
      if (!text.empty())
        text += column == 0 ? '\n' : ' ';
      text += word;
    }
    return text;
  }

  std::string make_usage(const CLI::App *app, std::string name) const override {
    if (!app->get_subcommands({}).empty())
      return CLI::Formatter::make_usage(app, name);
    std::string usage = "Usage: " + (name.empty() ? app->get_name() : name) + " [OPTIONS]";
    for (const CLI::Option *option :
         app->get_options([](const CLI::Option *any) { return any->get_positional(); }))
      usage += " " + option->get_name(true);
    return usage + " [--] CMD [ARGS...]\n";
  }
};

} // namespace

Command parse_command_line(CLI::App &app, int argc, char **argv, const bool *alone) {
  // CLI11 would treat a "--" among CMD's arguments as its own, so it never gets one.
  char **const end = argv + argc;
  char **const dashes =
      std::find_if(argv, end, [](const char *word) { return std::strcmp(word, "--") == 0; });
  app.prefix_command();
  app.formatter(std::make_shared<HelpFormatter>());
  for (CLI::App *sub : app.get_subcommands({})) {
    sub->prefix_command();
    sub->formatter(app.get_formatter());
  }
  app.parse(static_cast<int>(dashes - argv), argv);

  const auto chosen = app.get_subcommands();
  Command command = (chosen.empty() ? app : *chosen.front()).remaining();
  if (!command.empty() && command.front().size() > 1 && command.front()[0] == '-')
    throw Failure("unknown option " + command.front() + ", see " + app.get_name() +
                  " --help; nothing was run");
  // After a command, "--" is an argument of that command.
  command.insert(command.end(), dashes + (command.empty() && dashes != end), end);
  if (command.empty() && !(alone && *alone))
    throw Failure("no command to run was given, see " + app.get_name() + " --help");
  return command;
}

int run_tool(CLI::App &app, int argc, char **argv, const std::function<int(const Command &)> &body,
             const bool *alone) {
  try {
    return body(parse_command_line(app, argc, argv, alone));
  } catch (const CLI::Success &asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    std::cerr << app.get_name() << ": " << error.what() << ", see " << app.get_name()
              << " --help; nothing was run\n";
  } catch (const Failure &failure) {
    std::cerr << app.get_name() << ": " << failure.what() << "\n";
    return failure.status();
  } catch (const std::exception &error) {
    std::cerr << app.get_name() << ": " << error.what() << "\n";
  }
  return exit_refused;
}

// Returns 0 if PATH is a file that may be executed, else errno.
static int executable_error(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return errno;
  if (S_ISDIR(status.st_mode))
    return EISDIR;
  if (eaccess(path.c_str(), X_OK) != 0)
    return EACCES;
  return 0;
}

std::string find_program(const std::string &name) {
  if (name.find('/') != std::string::npos) {
    if (const int error = executable_error(name))
      throw exec_failure(name, error);
    return name;
  }
  const char *const variable = std::getenv("PATH");
  const std::string path = variable ? variable : "/bin:/usr/bin";
  int error = ENOENT;
  for (std::size_t begin = 0; !name.empty() && begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string directory = path.substr(begin, end - begin);
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    const int candidate_error = executable_error(candidate);
    if (candidate_error == 0)
      return candidate;
    if (candidate_error == EACCES || (candidate_error == EISDIR && name == "."))
      error = candidate_error;
    begin = end + 1;
  }
  throw exec_failure(name, error);
}

int execute(const std::string &program, const Command &command) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(program.c_str(), arguments.data());
  return errno;
}

Failure exec_failure(const std::string &program, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return Failure("'" + program + "': " + std::strerror(error),
                 missing ? exit_not_found : exit_not_executable);
}

} // namespace amp
