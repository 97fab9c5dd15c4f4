// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of separating a tool's options from the command it runs, and of finding that command.
#include "common/command.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace amp {

// What a tool with the flag -v, the option --opt and the subcommand `sub` with the same makes of
// WORDS: "v", if the flag was given, then the command.
Command parse(std::vector<std::string> words, bool subcommand = false) {
  CLI::App app("", "tool");
  CLI::App *reader = &app;
  if (subcommand) {
    reader = app.add_subcommand("sub");
    app.require_subcommand(1);
    words.insert(words.begin(), "sub");
  }
  bool verbose = false;
  std::string option;
  reader->add_flag("-v,--verbose", verbose);
  reader->add_option("--opt", option);
  words.insert(words.begin(), "tool");
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  Command command = parse_command_line(app, static_cast<int>(arguments.size()), arguments.data());
  if (verbose)
    command.insert(command.begin(), "v");
  return command;
}

TEST(ParseCommandLine, LeavesTheCommandItsOptions) {
  for (const bool sub : {false, true}) {
    EXPECT_EQ(parse({"cmd", "-v", "--opt", "--help"}, sub),
              (Command{"cmd", "-v", "--opt", "--help"}));
    EXPECT_EQ(parse({"-v", "cmd", "-v", "", "a b"}, sub), (Command{"v", "cmd", "-v", "", "a b"}));
    EXPECT_EQ(parse({"--opt", "x", "cmd", "sub"}, sub), (Command{"cmd", "sub"}));
  }
}

TEST(ParseCommandLine, TakesOneDoubleDashForItself) {
  for (const bool sub : {false, true}) {
    EXPECT_EQ(parse({"--", "cmd", "-v"}, sub), (Command{"cmd", "-v"}));
    EXPECT_EQ(parse({"--", "cmd", "--", "x"}, sub), (Command{"cmd", "--", "x"}));
    EXPECT_EQ(parse({"cmd", "--", "x"}, sub), (Command{"cmd", "--", "x"}));
    EXPECT_EQ(parse({"-v", "--", "-odd-name"}, sub), (Command{"v", "-odd-name"}));
  }
}

TEST(ParseCommandLine, RefusesWhatItDoesNotKnow) {
  for (const bool sub : {false, true}) {
    EXPECT_THROW(parse({"--bogus", "cmd"}, sub), Failure);
    EXPECT_THROW(parse({"-x", "--", "cmd"}, sub), Failure);
    EXPECT_THROW(parse({}, sub), Failure);
    EXPECT_THROW(parse({"--"}, sub), Failure);
    EXPECT_THROW(parse({"--opt"}, sub), CLI::ParseError);
    EXPECT_THROW(parse({"--help"}, sub), CLI::CallForHelp);
  }
}

int status_of_finding(const std::string &name) {
  try {
    find_program(name);
    return 0;
  } catch (const Failure &failure) {
    return failure.status();
  }
}

TEST(FindProgram, LooksWhereExecvpDoes) {
  setenv("PATH", "/nonexistent:/bin:/usr/bin", 1);
  EXPECT_EQ(find_program("sh"), "/bin/sh");
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  setenv("PATH", "/bin", 1);
  EXPECT_EQ(status_of_finding("no-such-program"), exit_not_found);
  EXPECT_EQ(status_of_finding(""), exit_not_found);
  EXPECT_EQ(status_of_finding("/etc/passwd"), exit_not_executable);
  EXPECT_EQ(status_of_finding("/bin/"), exit_not_executable);
  EXPECT_EQ(status_of_finding("/etc/passwd/x"), exit_not_found);
  setenv("PATH", "/etc", 1);
  EXPECT_EQ(status_of_finding("passwd"), exit_not_executable);
}

} // namespace amp
