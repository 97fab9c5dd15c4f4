// SPDX-License-Identifier: GPL-3.0-or-later
// Ways in which programs end: endings <way>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <omp.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[gnu::noinline]] void regions(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp parallel
    for (volatile int j = 0; j < 1000; j++)
      ;
  }
}

template <typename F> int in_a_region(F end) {
  regions(3);
#pragma omp parallel
  {
#pragma omp barrier
    end();
  }
  return 1;
}

int in_a_task() {
  regions(3);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i)
    if (i == 5)
      std::exit(0);
  return 1;
}

// As servers do when they are told to end.
int in_a_handler() {
  regions(3);
  signal(SIGALRM, [](int) { std::exit(0); });
  const timespec now = [] {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
  }();
  // At any moment of a region.
  const itimerval once = {{0, 0}, {0, 5000 + now.tv_nsec / 1000 % 5000}};
  setitimer(ITIMER_REAL, &once, nullptr);
  for (;;)
    regions(10);
}

// A handler forks, whatever it interrupts.
int forks_in_handlers() {
  static volatile int forks;
  regions(3);
  alarm(900);
  signal(SIGPROF, [](int) {
    const pid_t child = fork();
    if (child == 0)
      _exit(0);
    waitpid(child, nullptr, 0);
    forks = forks + 1;
  });
  sigevent event = {};
  event.sigev_signo = SIGPROF;
  timer_t timer;
  const itimerspec often = {{0, 500000}, {0, 500000}};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &often, nullptr);
  while (forks < 500) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
  }
  timer_delete(timer);
  return 0;
}

// A daemon changes its directory and closes all descriptors; its data gets the number of the
// standard error.
int daemon(const char *data) {
  if (chdir("/") != 0)
    return 1;
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
  }
  setsid();
  for (int i = 0; i < 256; i++)
    close(i);
  open("/dev/null", O_RDWR);
  const int second = dup(0);
  const int file = open(data, O_CREAT | O_TRUNC | O_RDWR, 0644);
  regions(10);
  return second == 1 && file == STDERR_FILENO && write(file, "DATA", 4) == 4 ? 0 : 3;
}

} // namespace

int main(int argc, char **argv) {
  const auto is = [argv](const char *name) { return std::strcmp(argv[1], name) == 0; };
  if (argc < 2)
    return 2;
  if (is("exit"))
    return in_a_region([] { std::exit(0); });
  // The format is wrong, which ends the process.
  if (is("fatal"))
    return in_a_region([] { omp_display_affinity("%0i"); });
  if (is("task"))
    return in_a_task();
  if (is("handler"))
    return in_a_handler();
  if (is("forks"))
    return forks_in_handlers();
  if (is("quick"))
    return in_a_region([] { std::quick_exit(0); });
  if (is("at-once"))
    return in_a_region([] { _exit(0); });
  if (is("abort"))
    return in_a_region([] { std::abort(); });
  if (is("many")) {
    // More than a pipe has room for.
    regions(2000);
    return 0;
  }
  return is("daemon") ? daemon(argv[2]) : 2;
}
