// SPDX-License-Identifier: GPL-3.0-or-later
// Forks, executes, forwards signals and collects the exit status.
#include "common/child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace amp {

namespace {

// The child's part, which never returns. A failed execve writes its errno to REPORT; a successful
// one closes REPORT.
[[noreturn]] void become(const std::string &program, const Command &command, pid_t parent,
                         const sigset_t &mask, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // the parent died before the child could watch it
    _exit(exit_refused);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int error = execute(program, command);
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(exit_refused);
}

// Forwards signals to CHILD until it ends; returns its wait status.
int wait_for(pid_t child, const sigset_t &held) {
  int status;
  for (;;) {
    siginfo_t info;
    const int signal = sigwaitinfo(&held, &info);
    if (signal == SIGCHLD) {
      if (waitpid(child, &status, WNOHANG) == child)
        return status;
    } else if (signal > 0 && info.si_code != SI_KERNEL) {
      // The kernel sends the terminal's signals to the child's process group, too.
      kill(child, signal);
    }
  }
}

} // namespace

HeldSignals::HeldSignals() {
  sigfillset(&held_);
  // The first of these signals are errors of this program and must end it. The others stop and
  // continue it, and with it its effects on the machine.
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGTSTP,
                           SIGTTIN, SIGTTOU, SIGCONT})
    sigdelset(&held_, signal);
  sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

int HeldSignals::fatal() const {
  sigset_t pending;
  sigpending(&pending);
  for (int signal = 1; signal < NSIG; ++signal) {
    const bool ends = signal != SIGCHLD && signal != SIGWINCH && signal != SIGURG;
    struct sigaction action;
    if (ends && sigismember(&pending, signal) == 1 && sigismember(&before_, signal) == 0 &&
        sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      return signal;
  }
  return 0;
}

int run_child(const std::string &program, const Command &command, const HeldSignals &signals,
              int *signal) {
  if (const int pending = signals.fatal())
    throw Failure("interrupted by signal " + std::to_string(pending) + "; nothing was run",
                  128 + pending);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  // Some parents leave SIGCHLD ignored; then there would be no status to collect.
  const auto inherited = std::signal(SIGCHLD, SIG_DFL);

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGCHLD, inherited);
    become(program, command, parent, signals.mask_before(), report[1]);
  }
  const int fork_error = errno;
  close(report[1]);
  if (child < 0)
    throw std::system_error(fork_error, std::generic_category(), "fork");
  int error = 0;
  const bool failed = read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  const int status = wait_for(child, signals.held());
  if (failed)
    throw exec_failure(program, error);
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  if (signal)
    *signal = WTERMSIG(status);
  return 128 + WTERMSIG(status);
}

int run_child(const std::string &program, const Command &command) {
  return run_child(program, command, HeldSignals());
}

} // namespace amp
