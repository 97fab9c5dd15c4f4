// SPDX-License-Identifier: GPL-3.0-or-later
// The initial thread gets a real-time priority after the team was made, whose threads have none. It
// may not compute for long without a sleep: a thread of its CPU that it waits for would not run.
// The kernel ends it where it does.
#include <sched.h>
#include <sys/resource.h>

#include <cerrno>

#include "life.h"

namespace {

constexpr int kRegions = 30, kTasks = 200, kMost = 64;
// In microseconds of CPU time without a sleep. Beside other load each region spins to its limit.
constexpr rlim_t kLimit = 5000000;

// Threads come to help with the tasks, and go when there are none.
void tasks() {
  int ran = 0;
#pragma omp parallel shared(ran)
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
#pragma omp task shared(ran)
    {
      for (volatile int work = 0; work < 300; work = work + 1)
        ;
#pragma omp atomic
      ran++;
    }
  }
  life::check(ran == kTasks, "%d tasks ran", ran);
}

void region() {
  int ran[kMost] = {}, ids = 0;
#pragma omp parallel shared(ran, ids)
  {
    if (omp_get_thread_num() == 0)
      ids = omp_get_num_threads();
    ran[omp_get_thread_num()]++;
  }
  for (int id = 0; id < kMost; id++)
    life::check(ran[id] == (id < ids), "id %d of %d ran %d times", id, ids, ran[id]);
  tasks();
}

} // namespace

int main() {
  life::ours();
  for (int i = 0; i < kRegions; i++)
    region();
  rlimit limit = {kLimit, kLimit};
  life::check(setrlimit(RLIMIT_RTTIME, &limit) == 0, "setrlimit");
  sched_param priority = {};
  priority.sched_priority = 5;
  if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &priority) != 0)
    life::skip("sched_setscheduler: %s", std::strerror(errno));
  for (int i = 0; i < kRegions; i++)
    region();
  return 0;
}
