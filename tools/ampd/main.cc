// SPDX-License-Identifier: GPL-3.0-or-later
// ampd: shares the cores of this machine among its user's programs.
#include "ampd/place.h"
#include "ampd/server.h"
#include "linux/linux.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kUsage = 2;

constexpr const char *kFooter = R"(It does nothing until ampctl gives it programs:

  ampd &
  ampctl run -- ./a &
  ampctl run -- ./b &
  ampctl status

When it ends, also by kill -9, all programs get back the CPUs that they had.
Exit status: 0 after SIGTERM, SIGINT or SIGHUP; 2 if the command line is wrong, or another ampd
runs; 1 if it was killed or failed.)";

coord::Parameters parameters(const std::vector<std::string> &settings) {
  coord::Parameters found;
  for (const std::string &each : settings) {
    const std::size_t equals = each.find('=');
    std::istringstream number(equals == std::string::npos ? "" : each.substr(equals + 1));
    double value;
    if (!(number >> value) || !number.eof())
      throw std::invalid_argument("--set: '" + each + "': expected NAME=NUMBER");
    found[each.substr(0, equals)] = value;
  }
  return found;
}

// Removes the counter files in DIRECTORY of processes that were killed.
void remove_old(const std::string &directory) {
  std::error_code ignored;
  for (const auto &file : std::filesystem::directory_iterator(directory, ignored)) {
    const pid_t pid = std::atoi(file.path().filename().c_str());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
      std::filesystem::remove(file, ignored);
  }
}

// Waits for CHILD, the daemon proper, and hands it the signals that end it. What it did to masks
// is undone if it could not do that itself.
int keep(pid_t child, const sigset_t &signals, const std::string &journal) {
  for (;;) {
    int signal, status;
    sigwait(&signals, &signal);
    if (signal != SIGCHLD) {
      kill(child, SIGTERM);
      // If it is stopped it would never end.
      kill(child, SIGCONT);
      continue;
    }
    if (waitpid(child, &status, WNOHANG) != child)
      continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return 0;
    coord::Linux own;
    const int restored = coord::Journal::replay(journal, own);
    std::cerr << "ampd: the daemon ended unexpectedly; " << restored
              << " threads have the CPUs again that they had\n";
    return 1;
  }
}

// Blocks the signals that end this process, and that of its child's end, and returns them.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGCHLD})
    sigaddset(&signals, each);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// An open file for each thread that is looked at.
void raise_file_limit() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

// The daemon proper, until a signal ends it.
void manage(const coord::Chip &chip, const std::string &policy, const coord::Parameters &parameters,
            const std::string &directory) {
  // The counter files of runtimes: they write them if this directory exists.
  amp::private_directory("libgomp-amp");
  const std::string up = amp::private_directory("libgomp-amp/up");
  remove_old(up);
  const std::string journal = directory + amp::kJournal;
  coord::Linux system(up);
  coord::Journal log(journal);
  {
    coord::Manager manager(system, chip, log, policy, parameters);
    manager.own = {getpid(), getppid()};
    manager.message = [](const std::string &text) { std::cerr << "ampd: " << text << '\n'; };
    amp::serve(manager, directory);
  }
  // What could not be undone before.
  coord::Journal::replay(journal, system);
  // The next daemon begins with none.
  unlink((directory + amp::kPrograms).c_str());
}

int run(const std::string &policy, const std::vector<std::string> &settings,
        const std::string &classes) {
  coord::Linux own;
  const coord::Chip chip = coord::read_chip("/sys", own.mask(0).value(), classes);
  make_live_policy(policy, chip.machine, parameters(settings));
  const std::string directory = amp::private_directory("ampd");
  if (!amp::take_lock(directory)) {
    std::cerr << "ampd: another one runs for this user\n";
    return kUsage;
  }
  const std::string journal = directory + amp::kJournal;
  // Of one that was killed together with its keeper.
  if (const int restored = coord::Journal::replay(journal, own))
    std::cerr << "ampd: " << restored << " threads have the CPUs again that they had before\n";

  const sigset_t signals = block_signals();
  // The reader of its messages may have ended.
  signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  const pid_t keeper = getpid(), child = fork();
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "fork");
  if (child > 0)
    return keep(child, signals, journal);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != keeper)
    return 1;
  manage(chip, policy, parameters(settings), directory);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Shares the cores of this machine among this user's programs.", "ampd");
  app.set_version_flag("--version", "ampd " AMP_VERSION);
  app.footer(kFooter);
  std::string policy = "share", classes;
  std::vector<std::string> settings;
  app.add_option("-p,--policy", policy, "how cores are shared; ampctl policy lists all")
      ->capture_default_str();
  app.add_option("-s,--set", settings, "set a parameter of the policy: NAME=NUMBER")
      ->allow_extra_args(false);
  app.add_option("--machine", classes,
                 "CPUs and their capacity in place of what the kernel says: 0-3=1024,4-7=446");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    std::cerr << "ampd: " << error.what() << ", see ampd --help\n";
    return kUsage;
  }
  try {
    return run(policy, settings, classes);
  } catch (const std::invalid_argument &problem) {
    std::cerr << "ampd: " << problem.what() << '\n';
    return kUsage;
  } catch (const std::exception &problem) {
    std::cerr << "ampd: " << problem.what() << '\n';
    return 1;
  }
}
