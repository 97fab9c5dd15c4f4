// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the user's command from a tool's command line, looks it up and executes it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace amp {

// Exit statuses of a tool's own failures, the same as those of env(1).
constexpr int exit_refused = 125;        // the tool itself failed or refused
constexpr int exit_not_executable = 126; // CMD was found but cannot be executed
constexpr int exit_not_found = 127;      // CMD was not found

// The part of every tool's --help that explains them.
extern const char *const exit_status_help;

// CMD and its arguments; never empty.
using Command = std::vector<std::string>;

// A reason to stop before CMD runs. what() is the message without the tool's name.
class Failure : public std::runtime_error {
public:
  explicit Failure(const std::string &message, int status = exit_refused)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

private:
  int status_;
};

// Parses `[OPTIONS] [--] CMD [ARGS...]` with APP, or with its subcommand that the command line
// names. The options end at the first word that is not an option, so CMD gets its own options.
// Throws CLI::ParseError (--help included), and Failure for an unknown option or a missing CMD,
// which may be missing if *ALONE, if that is not null, is set then.
Command parse_command_line(CLI::App &app, int argc, char **argv, const bool *alone = nullptr);

// Parses the command line and returns the result of BODY for its command. An error in either
// becomes one message on stderr, which starts with APP's name, and an exit status.
int run_tool(CLI::App &app, int argc, char **argv, const std::function<int(const Command &)> &body,
             const bool *alone = nullptr);

// Returns the file that execvp would execute for NAME. The result always contains a '/'.
// Throws Failure with status 126 or 127 if there is none.
std::string find_program(const std::string &name);

// Executes PROGRAM, a path with a '/', with COMMAND as its argument vector. The shell runs a file
// that is not ELF and does not start with "#!", as in execvp. Returns only on failure, with errno.
int execute(const std::string &program, const Command &command);

// The failure to report when executing PROGRAM failed with ERROR, an errno.
Failure exec_failure(const std::string &program, int error);

} // namespace amp
