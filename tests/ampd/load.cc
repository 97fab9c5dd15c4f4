// SPDX-License-Identifier: GPL-3.0-or-later
// A program that computes until SIGTERM, and then prints its CPU time by class as JSON.
//
// load CLASSES [THREADS]
//   CLASSES  the class of each CPU, the slowest 0: "1,0"
//   THREADS  of its own; all but the first compute, and are not counted
// What it does in the first .3 s is not counted: ampd has not placed it yet. SIGUSR1 forgets what
// was counted so far.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <thread>
#include <vector>

namespace {

volatile std::sig_atomic_t reset_asked, end_asked;

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void compute() {
  std::atomic<unsigned> count = 0;
  while (count.fetch_add(1, std::memory_order_relaxed) < 20000)
    ;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  std::vector<int> classes;
  for (const char *p = argv[1]; p && *p;
       p = std::strchr(p, ',') ? std::strchr(p, ',') + 1 : nullptr)
    classes.push_back(std::atoi(p));
  for (int i = argc > 2 ? std::atoi(argv[2]) : 1; i > 1; i--)
    std::thread([] {
      for (;;)
        compute();
    }).detach();
  std::signal(SIGUSR1, [](int) { reset_asked = 1; });
  std::signal(SIGTERM, [](int) { end_asked = 1; });
  double cpu_s[2] = {}, before = seconds(CLOCK_THREAD_CPUTIME_ID);
  const double start = seconds(CLOCK_MONOTONIC);
  bool settled = false;
  while (!end_asked) {
    compute();
    const double now = seconds(CLOCK_THREAD_CPUTIME_ID);
    const int cpu = sched_getcpu();
    cpu_s[cpu >= 0 && cpu < static_cast<int>(classes.size()) ? classes[cpu] : 0] += now - before;
    before = now;
    if (reset_asked || (!settled && seconds(CLOCK_MONOTONIC) - start > 0.3)) {
      reset_asked = 0;
      settled = true;
      cpu_s[0] = cpu_s[1] = 0;
    }
  }
  std::printf("{\"cpu_s\": [%.6f, %.6f]}\n", cpu_s[0], cpu_s[1]);
  return 0;
}
