// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program with a report, and has amp-report explain it.
#include "amp-run/explain.h"

#include "common/child.h"
#include "common/preload.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

namespace amp {

namespace {

namespace fs = std::filesystem;

// The descriptor to which the explanation goes. Opened before the program runs, so that a name that
// cannot be written costs no run.
int open_explanation(const std::string &file) {
  if (file == explain_on_stderr)
    return STDERR_FILENO;
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (opened < 0)
    throw Failure("--explain: '" + file + "': " + std::strerror(errno) + "; nothing was run");
  return opened;
}

std::string make_directory() {
  const char *const variable = std::getenv("TMPDIR");
  std::string name = std::string(variable && *variable ? variable : "/tmp") + "/amp-run-XXXXXX";
  if (!mkdtemp(name.data()))
    throw Failure("--explain: '" + name + "': " + std::strerror(errno) +
                  "; TMPDIR names another directory; nothing was run");
  return name;
}

bool has_reports(const std::string &directory) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".json")
      return true;
  return false;
}

void restore(const Environment &before) {
  clearenv();
  for (const std::string &variable : before)
    if (const auto equals = variable.find('='); equals != variable.npos)
      setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
}

// The program was ended by SIGNAL, if that is not 0, and no process wrote a report.
void show_nothing(const std::string &program, int signal, std::ostream &stream) {
  stream << "amp-run: nothing to explain: ";
  if (signal != 0)
    stream << "'" << program << "' was ended by signal " << signal << " (" << strsignal(signal)
           << "), and its report is written when a process ends by exit or a return from main\n";
  else
    stream << "no parallel region or loop ran on libgomp-amp in '" << program
           << "' or in a process that it started, or the process ended by _exit or a signal; "
              "amp-run --check shows which OpenMP runtime it asks for\n";
}

// Has amp-report explain the reports in DIRECTORY. Returns whether it did.
bool show(const std::string &directory, const Command &command,
          const std::optional<std::string> &unfolded, const HeldSignals &signals) {
  const std::string tool = own_tool("amp-report");
  Command words = {tool, "--explain", directory};
  if (unfolded)
    words.push_back("--unfolded=" + *unfolded);
  words.push_back("--command");
  words.insert(words.end(), command.begin(), command.end());
  try {
    return run_child(tool, words, signals) == 0;
  } catch (const Failure &failure) {
    std::cerr << "amp-run: " << failure.what() << "\n";
    return false;
  }
}

// Ends this process by SIGNAL, without another core dump.
void end_by(int signal) {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace

Environment current_environment() {
  Environment variables;
  for (char **variable = environ; variable && *variable; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

int run_and_explain(const std::string &program, const Command &command, const std::string &file,
                    const Environment &before, const std::optional<std::string> &unfolded,
                    const std::string &decided) {
  int status = 0, signal = 0;
  const int explanation = open_explanation(file);
  const std::string directory = make_directory();
  std::error_code ignored;
  if (const char *const asked = std::getenv("GOMP_AMP_REPORT"))
    std::cerr << "amp-run: GOMP_AMP_REPORT=" << asked << " has no effect: --explain sets it\n";
  // Each process that the program starts has a file of its own.
  setenv("GOMP_AMP_REPORT", (directory + "/%p.json").c_str(), 1);
  {
    const HeldSignals signals;
    try {
      status = run_child(program, command, signals, &signal);
    } catch (...) {
      fs::remove_all(directory, ignored);
      throw;
    }
    restore(before);
    // What amp-report prints must not mix with the program's output.
    dup2(explanation, STDOUT_FILENO);
    if (!decided.empty())
      std::cout << "amp-run: " << decided << "\n";
    const bool any = has_reports(directory);
    if (!any)
      show_nothing(program, signal, std::cout);
    std::cout.flush();
    if (!any || show(directory, command, unfolded, signals))
      fs::remove_all(directory, ignored);
    else
      std::cerr << "amp-run: amp-report, which takes Python 3.9, has not explained the reports in "
                << directory << "; amp-report --explain " << directory << " does it\n";
  }
  if (signal != 0)
    end_by(signal);
  return status;
}

} // namespace amp
