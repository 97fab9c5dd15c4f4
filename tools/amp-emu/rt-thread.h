// SPDX-License-Identifier: GPL-3.0-or-later
// Threads bound to one CPU that run before all normal threads there (SCHED_FIFO), and their clock.
#pragma once

#include <cstdint>
#include <functional>
#include <pthread.h>

namespace amp {

using Nanoseconds = std::int64_t;

// CLOCK_MONOTONIC.
Nanoseconds now();

// Sleeps until WHEN, a time of now(). A real-time thread wakes without timer slack.
void sleep_until(Nanoseconds when);

// The share of a CPU that the kernel lets real-time threads have, 0 to 1. Below it they are never
// throttled.
double realtime_share();

// A thread bound to a CPU with a real-time priority. It takes no signals. The thread that creates
// it keeps its own scheduling, and so do the processes that the creating thread forks.
class RtThread {
public:
  // Runs BODY on CPU at PRIORITY (1 to 99). Throws amp::Failure, which names what is missing, if
  // this process may not have such threads.
  RtThread(int cpu, int priority, std::function<void()> body);
  ~RtThread(); // waits for BODY to end
  RtThread(const RtThread &) = delete;
  RtThread &operator=(const RtThread &) = delete;

private:
  static void *run(void *self);

  std::function<void()> body_;
  pthread_t thread_;
};

} // namespace amp
