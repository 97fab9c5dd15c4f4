// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a session, waits for it with a limit, and ends what is left of it.
#include "amp-run/tune/run-once.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace amp {

namespace {

constexpr double patience = 1.0; // between SIGTERM and SIGKILL

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

timespec duration(double seconds) {
  const double whole = std::floor(std::max(seconds, 0.0));
  return {static_cast<time_t>(whole), static_cast<long>((std::max(seconds, 0.0) - whole) * 1e9)};
}

void redirect(const std::string &file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (opened < 0)
    throw std::system_error(errno, std::generic_category(), file);
  dup2(opened, descriptor);
}

// The child's part, which never returns. What keeps it from executing PROGRAM goes to REPORT.
[[noreturn]] void become(const std::string &program, const Command &command, const RunFiles &files,
                         const HeldSignals &signals, const std::function<void()> &prepare,
                         int report) {
  std::string fault;
  try {
    setsid();
    dup2(files.input, STDIN_FILENO);
    redirect(files.output, STDOUT_FILENO);
    redirect(files.error_output, STDERR_FILENO);
    prepare();
    sigprocmask(SIG_SETMASK, &signals.mask_before(), nullptr);
    fault = exec_failure(program, execute(program, command)).what();
  } catch (const std::exception &error) {
    fault = error.what();
  }
  [[maybe_unused]] const ssize_t written = write(report, fault.data(), fault.size());
  _exit(exit_refused);
}

// Sends SIGNAL to the processes of session GROUP and to what this process has adopted. Returns
// whether there is any left.
bool send(pid_t group, int signal) {
  bool any = kill(-group, signal) == 0;
  std::ifstream children("/proc/thread-self/children");
  for (pid_t child; children >> child;) {
    any = true;
    kill(child, signal);
    if (signal == SIGTERM)
      kill(child, SIGCONT);
  }
  return any;
}

// Collects all children that have ended. Returns whether CHILD was among them, with its STATUS.
bool collect(pid_t child, int &status) {
  bool ended = false;
  int any;
  for (pid_t one; (one = waitpid(-1, &any, WNOHANG)) > 0;)
    if (one == child) {
      status = any;
      ended = true;
    }
  return ended;
}

// Waits for a signal of HELD until DEADLINE. Returns its number, or 0 at the deadline.
int next_signal(const sigset_t &held, double deadline) {
  for (;;) {
    const timespec left = duration(deadline - now());
    const int signal = sigtimedwait(&held, nullptr, &left);
    if (signal > 0)
      return signal;
    if (errno == EAGAIN || now() >= deadline)
      return 0;
  }
}

// Ends all processes of session GROUP.
void end_all(pid_t group, const sigset_t &held) {
  int status;
  if (!send(group, SIGTERM))
    return;
  kill(-group, SIGCONT);
  for (const double deadline = now() + patience; now() < deadline;) {
    collect(0, status);
    if (!send(group, 0))
      return;
    next_signal(held, std::min(deadline, now() + 0.02));
  }
  // A process may start others until it is gone.
  for (int round = 0; round < 1000 && send(group, SIGKILL); ++round) {
    next_signal(held, now() + 0.002);
    collect(0, status);
  }
}

} // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

Run run_once(const std::string &program, const Command &command, const RunFiles &files,
             double limit, const HeldSignals &signals, const std::function<void()> &prepare) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  lseek(files.input, 0, SEEK_SET);
  const auto inherited = std::signal(SIGCHLD, SIG_DFL);
  const double start = now();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGCHLD, inherited);
    become(program, command, files, signals, prepare, report[1]);
  }
  const int error = errno;
  close(report[1]);
  if (child < 0)
    throw std::system_error(error, std::generic_category(), "fork");
  char fault[512];
  const ssize_t length = read(report[0], fault, sizeof fault);
  close(report[0]);
  Run run;
  int status = 0;
  for (bool ended = false; !ended && run.end == End::exited;) {
    const int signal = next_signal(signals.held(), start + limit);
    ended = collect(child, status);
    run.seconds = now() - start;
    if (!ended && signal == 0)
      run.end = End::too_long;
    else if (!ended && signal != SIGCHLD && signal != SIGWINCH && signal != SIGURG)
      run.end = End::interrupted;
  }
  end_all(child, signals.held());
  collect(0, status);
  if (length > 0)
    throw Failure(std::string(fault, static_cast<std::size_t>(length)), exit_not_executable);
  if (run.end == End::exited && WIFSIGNALED(status))
    run.end = End::signalled;
  run.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

} // namespace amp
