// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a session, waits for it with a limit, and ends what is left of it.
#include "amp-run/tune/run-once.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace amp {

namespace {

constexpr double patience = 1.0; // between SIGTERM and SIGKILL
constexpr double look = 0.2;     // how often the size of the output is looked at

// What the other processes of a run tell this one, in shared memory.
struct Told {
  Run run;
  bool ended = false;   // RUN holds
  char fault[512] = ""; // what kept the program from being executed
};

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

timespec duration(double seconds) {
  const double whole = std::floor(std::max(seconds, 0.0));
  return {static_cast<time_t>(whole), static_cast<long>((std::max(seconds, 0.0) - whole) * 1e9)};
}

int opened(const std::string &file) {
  const int result = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (result < 0)
    throw std::system_error(errno, std::generic_category(), file);
  return result;
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

bool is_fatal(int signal) {
  return signal > 0 && signal != SIGCHLD && signal != SIGWINCH && signal != SIGURG;
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

// Has this process get SIGNAL when PARENT ends.
void die_with(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent)
    _exit(exit_refused);
}

class Supervisor {
public:
  // The program gets HANDLER for SIGCHLD.
  Supervisor(const Job &job, const HeldSignals &signals, sighandler_t handler, Told &told)
      : job_(job), signals_(signals), handler_(handler), told_(told),
        output_(opened(job.files.output)), error_output_(opened(job.files.error_output)) {}

  void run() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    job_.enter();
    const pid_t self = getpid();
    start_ = now();
    const pid_t child = fork();
    if (child < 0)
      throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0)
      become(self);
    int status = 0;
    told_.run = wait(child, status);
    end_all(child, signals_.held());
    collect(child, status);
    if (told_.run.end == End::exited && WIFSIGNALED(status))
      told_.run.end = End::signalled;
    told_.run.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    told_.ended = true;
  }

private:
  // The program's process, which never returns.
  [[noreturn]] void become(pid_t parent) {
    try {
      die_with(parent, SIGKILL);
      setsid();
      dup2(job_.files.input, STDIN_FILENO);
      dup2(output_, STDOUT_FILENO);
      dup2(error_output_, STDERR_FILENO);
      job_.prepare();
      std::signal(SIGCHLD, handler_);
      sigprocmask(SIG_SETMASK, &signals_.mask_before(), nullptr);
      const Failure failure = exec_failure(job_.program, execute(job_.program, job_.command));
      std::snprintf(told_.fault, sizeof told_.fault, "%s", failure.what());
    } catch (const std::exception &error) {
      std::snprintf(told_.fault, sizeof told_.fault, "%s", error.what());
    }
    _exit(exit_refused);
  }

  // Waits until CHILD has ended, or has to be.
  Run wait(pid_t child, int &status) const {
    Run run;
    for (bool ended = false; !ended && run.end == End::exited;) {
      const int signal = next_signal(signals_.held(), std::min(start_ + job_.limit, now() + look));
      ended = collect(child, status);
      run.seconds = now() - start_;
      if (ended)
        break;
      if (is_fatal(signal))
        run.end = End::interrupted;
      else if (run.seconds >= job_.limit)
        run.end = End::too_long;
      else if (size(output_) + size(error_output_) > most_output)
        run.end = End::too_much;
    }
    return run;
  }

  static long size(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? static_cast<long>(status.st_size) : 0;
  }

  const Job &job_;
  const HeldSignals &signals_;
  const sighandler_t handler_;
  Told &told_;
  const int output_, error_output_;
  double start_ = 0;
};

// A Told in memory that is shared with processes made from now on.
struct Shared {
  Shared()
      : memory(mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0)) {
    if (memory == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "mmap");
    told = new (memory) Told;
  }
  ~Shared() { munmap(memory, sizeof(Told)); }
  void *memory;
  Told *told;
};

} // namespace

Run run_once(const Job &job, const HeldSignals &signals) {
  const Shared shared;
  lseek(job.files.input, 0, SEEK_SET);
  const auto inherited = std::signal(SIGCHLD, SIG_DFL);
  const pid_t self = getpid(), child = fork();
  if (child == 0) {
    try {
      die_with(self, SIGTERM);
      Supervisor(job, signals, inherited, *shared.told).run();
    } catch (const std::exception &error) {
      std::snprintf(shared.told->fault, sizeof shared.told->fault, "%s", error.what());
    }
    _exit(0);
  }
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "fork");
  bool interrupted = false;
  for (int status; waitpid(child, &status, WNOHANG) != child;)
    if (is_fatal(next_signal(signals.held(), now() + 3600))) {
      interrupted = true;
      kill(child, SIGTERM);
    }
  std::signal(SIGCHLD, inherited);
  const Told &told = *shared.told;
  if (told.fault[0])
    throw Failure(told.fault, exit_not_executable);
  Run run = told.run;
  if (interrupted || !told.ended)
    run.end = End::interrupted;
  return run;
}

} // namespace amp
