// SPDX-License-Identifier: GPL-3.0-or-later
// Forks, executes, forwards signals and collects the exit status.
#include "amp-emu/child.h"

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

// The signals that this process takes synchronously while its child runs: all that would end it,
// and the child's. Those that stop and continue it keep their effect, on the thieves as well.
sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGWINCH, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

// The child's part: never returns. What execve's failure was goes through REPORT, which a
// successful one closes.
[[noreturn]] void become(const std::string &program, const Command &command, pid_t parent,
                         const sigset_t &mask, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it died before it could be watched
    _exit(exit_refused);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int error = execute(program, command);
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(exit_refused);
}

// Forwards signals to CHILD until it ends; returns its wait status.
int wait_for(pid_t child, const sigset_t &handled) {
  int status;
  for (;;) {
    siginfo_t info;
    const int signal = sigwaitinfo(&handled, &info);
    if (signal == SIGCHLD) {
      if (waitpid(child, &status, WNOHANG) == child)
        return status;
    } else if (signal > 0 && info.si_code != SI_KERNEL) {
      // What the kernel sends (the terminal's signals) went to the child's process group too.
      kill(child, signal);
    }
  }
}

} // namespace

int run_child(const std::string &program, const Command &command) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  const sigset_t handled = handled_signals();
  sigset_t previous;
  sigprocmask(SIG_BLOCK, &handled, &previous);
  // With SIGCHLD ignored, as some parents leave it, there would be no status to collect.
  const auto inherited = std::signal(SIGCHLD, SIG_DFL);

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGCHLD, inherited);
    become(program, command, parent, previous, report[1]);
  }
  const int fork_error = errno;
  close(report[1]);
  if (child < 0)
    throw std::system_error(fork_error, std::generic_category(), "fork");
  int error = 0;
  const bool failed = read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  const int status = wait_for(child, handled);
  if (failed)
    throw exec_failure(program, error);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace amp
