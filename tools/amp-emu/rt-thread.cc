// SPDX-License-Identifier: GPL-3.0-or-later
// Starts real-time threads on given CPUs.
#include "amp-emu/rt-thread.h"

#include "common/command.h"
#include "common/cpulist.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sched.h>
#include <string>

namespace amp {

constexpr Nanoseconds second = 1'000'000'000;

Nanoseconds now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

void sleep_until(Nanoseconds when) {
  const timespec time = {when / second, when % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR)
    ;
}

double realtime_share() {
  double runtime = -1, period = 0;
  std::ifstream("/proc/sys/kernel/sched_rt_runtime_us") >> runtime;
  std::ifstream("/proc/sys/kernel/sched_rt_period_us") >> period;
  return runtime < 0 || period <= 0 || runtime > period ? 1 : runtime / period;
}

static Failure creation_failure(int cpu, int error) {
  std::string message = "cannot start a real-time (SCHED_FIFO) thread on CPU " +
                        std::to_string(cpu) + ": " + std::strerror(error);
  if (error == EPERM)
    message += "; this needs CAP_SYS_NICE (run it as root, in a container started with "
               "--cap-add SYS_NICE) or a limit on real-time priorities of at least 2 (ulimit -r 2)";
  return Failure(message + "; nothing was run");
}

RtThread::RtThread(int cpu, int priority, std::function<void()> body) : body_(std::move(body)) {
  cpu_set_t *const set = CPU_ALLOC(cpu_limit);
  const std::size_t size = CPU_ALLOC_SIZE(cpu_limit);
  CPU_ZERO_S(size, set);
  CPU_SET_S(cpu, size, set);
  sched_param parameters{};
  parameters.sched_priority = priority;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setaffinity_np(&attributes, size, set);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &parameters);

  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &previous);
  const int error = pthread_create(&thread_, &attributes, run, this);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  pthread_attr_destroy(&attributes);
  CPU_FREE(set);
  if (error)
    throw creation_failure(cpu, error);
}

RtThread::~RtThread() { pthread_join(thread_, nullptr); }

void *RtThread::run(void *self) {
  static_cast<RtThread *>(self)->body_();
  return nullptr;
}

} // namespace amp
