// SPDX-License-Identifier: GPL-3.0-or-later
// The command that a tool runs for its user: read from the command line, looked up, executed.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace amp {

// Exit statuses of a tool's own failures; they are those of env(1).
constexpr int exit_refused = 125;        // the tool itself failed or refused
constexpr int exit_not_executable = 126; // CMD was found but cannot be executed
constexpr int exit_not_found = 127;      // CMD was not found

// The part of every tool's --help that explains them.
extern const char *const exit_status_help;

// CMD and its arguments; never empty.
using Command = std::vector<std::string>;

// A reason to stop before CMD runs: what() is the message, without the tool's name.
class Failure : public std::runtime_error {
public:
  explicit Failure(const std::string &message, int status = exit_refused)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

private:
  int status_;
};

// Parses `[OPTIONS] [--] CMD [ARGS...]` with APP, or with that of its subcommands which the
// command line names. Options end at the first word that is not one, so those of CMD are CMD's.
// Throws CLI::ParseError (--help included), and Failure for an unknown option or a missing CMD.
Command parse_command_line(CLI::App &app, int argc, char **argv);

// Parses the command line and returns what BODY returns for its command. What goes wrong in
// either becomes one message on stderr, headed by APP's name, and an exit status.
int run_tool(CLI::App &app, int argc, char **argv, const std::function<int(const Command &)> &body);

// Returns the file that execvp would execute for NAME; the result always has a '/' in it.
// Throws Failure with status 126 or 127 if there is none.
std::string find_program(const std::string &name);

// Executes PROGRAM, a path with a '/', with COMMAND as its argument vector; a file that is neither
// ELF nor starts with "#!" goes to the shell, as in execvp. Returns errno, only if that fails.
int execute(const std::string &program, const Command &command);

// The failure to report when executing PROGRAM failed with ERROR, an errno.
Failure exec_failure(const std::string &program, int error);

} // namespace amp
