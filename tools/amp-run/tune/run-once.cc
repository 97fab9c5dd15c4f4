// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a session, waits for it with a limit, and ends what is left of it. Reads what it wrote.
#include "amp-run/tune/run-once.h"

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace amp {

namespace {

constexpr double patience = 1.0; // between SIGTERM and SIGKILL
constexpr double look = 0.2;     // how often the size of the output is looked at

// What another process of a run reports to this one through a pipe.
struct Told {
  Run run;
  char fault[512]; // what kept the program from being executed; empty: nothing did
};
static_assert(sizeof(Told) <= PIPE_BUF, "it is written at once");

void tell(int pipe, const Run &run, const char *fault) {
  Told told{run, ""};
  std::snprintf(told.fault, sizeof told.fault, "%s", fault);
  [[maybe_unused]] const ssize_t written = write(pipe, &told, sizeof told);
}

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
  Supervisor(const Job &job, const HeldSignals &signals, sighandler_t handler, int pipe)
      : job_(job), signals_(signals), handler_(handler), pipe_(pipe),
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
    Run run = wait(child, status);
    end_all(child, signals_.held());
    collect(child, status);
    if (run.end == End::exited && WIFSIGNALED(status))
      run.end = End::signalled;
    run.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    tell(pipe_, run, "");
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
      throw exec_failure(job_.program, execute(job_.program, job_.command));
    } catch (const std::exception &error) {
      tell(pipe_, {}, error.what());
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
  const int pipe_, output_, error_output_;
  double start_ = 0;
};

void copy_to(int descriptor, const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  static char part[1 << 16];
  while (stream.read(part, sizeof part), stream.gcount() > 0)
    for (ssize_t done = 0, one = 0; done < stream.gcount(); done += one)
      if ((one = write(descriptor, part + done, static_cast<std::size_t>(stream.gcount() - done))) <
          0) {
        if (errno != EINTR && errno != EAGAIN)
          throw Failure(std::string("standard output: ") + std::strerror(errno));
        one = 0;
      }
}

timespec change_of(const std::string &file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? status.st_ctim : timespec{};
}

std::string last_line(const std::string &file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      last = line.substr(0, 200);
  return last;
}

int open_input() {
  struct stat status;
  const bool there = fstat(STDIN_FILENO, &status) == 0;
  if (there && S_ISREG(status.st_mode))
    return dup(STDIN_FILENO);
  if (there && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
    throw Failure("standard input is a pipe, which each run would have to read again: give it a "
                  "file, or nothing (< /dev/null); nothing was run");
  if (there && isatty(STDIN_FILENO))
    std::cerr << "amp-run: standard input is a terminal, which cannot be read by each run: "
                 "they get none; < FILE gives them a file\n";
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace

Run run_once(const Job &job, const HeldSignals &signals) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  lseek(job.files.input, 0, SEEK_SET);
  const auto inherited = std::signal(SIGCHLD, SIG_DFL);
  const pid_t self = getpid(), child = fork();
  if (child == 0) {
    try {
      die_with(self, SIGTERM);
      Supervisor(job, signals, inherited, ends[1]).run();
    } catch (const std::exception &error) {
      tell(ends[1], {}, error.what());
    }
    _exit(0);
  }
  const int error = errno;
  close(ends[1]);
  bool interrupted = false;
  for (int status; child > 0 && waitpid(child, &status, WNOHANG) != child;)
    if (is_fatal(next_signal(signals.held(), now() + 3600))) {
      interrupted = true;
      kill(child, SIGTERM);
    }
  std::signal(SIGCHLD, inherited);
  // The first one counts: the program's process is followed by the one between.
  Told told{};
  const bool ended = read(ends[0], &told, sizeof told) == sizeof told;
  close(ends[0]);
  if (child < 0)
    throw std::system_error(error, std::generic_category(), "fork");
  if (told.fault[0])
    throw Failure(told.fault, exit_not_executable);
  if (interrupted || !ended)
    told.run.end = End::interrupted;
  return told.run;
}

Scratch::Scratch(const std::string &directory)
    : reports(directory + "/reports/%p.json"), folds(directory + "/folds"),
      clock(directory + "/clock"), files{open_input(), directory + "/out", directory + "/err"} {
  std::filesystem::create_directory(directory + "/reports");
}

Scratch::~Scratch() { close(files.input); }

void Scratch::note(const std::vector<std::string> &outputs) {
  for (const std::string &file : outputs)
    changed_[file] = change_of(file);
}

bool Scratch::is_written(const std::string &file) const {
  const timespec now = change_of(file), before = changed_.at(file);
  return now.tv_sec != 0 && (now.tv_sec != before.tv_sec || now.tv_nsec != before.tv_nsec);
}

void Scratch::hand_on() const {
  copy_to(STDERR_FILENO, files.error_output);
  copy_to(STDOUT_FILENO, files.output);
}

double Scratch::virtual_seconds() const {
  double seconds = 0;
  std::ifstream stream(clock);
  for (std::string line; std::getline(stream, line);)
    if (const auto report = nlohmann::json::parse(line, nullptr, false); !report.is_discarded())
      seconds += report.value("makespan_ns", 0.0) * 1e-9;
  std::error_code ignored;
  std::filesystem::remove(clock, ignored);
  return seconds;
}

bool Scratch::folded() const { return std::ifstream(folds).peek() != EOF; }

bool Scratch::reported(const char *kind) const {
  std::error_code error;
  for (const auto &file :
       std::filesystem::directory_iterator(std::filesystem::path(reports).parent_path(), error)) {
    std::ifstream stream(file.path());
    const auto report = nlohmann::json::parse(stream, nullptr, false);
    if (report.is_object() && report.contains(kind) && !report[kind].empty())
      return true;
  }
  return false;
}

std::string Scratch::last_words() const {
  const std::string error = last_line(files.error_output);
  const std::string last = error.empty() ? last_line(files.output) : error;
  return last.empty() ? "" : ": " + last;
}

} // namespace amp
