// SPDX-License-Identifier: GPL-3.0-or-later
// A module of folded-process.cc: a region at the same place in two modules. If KERNEL is defined it
// imports gettid, and each id has a kernel thread of its own.

#ifdef KERNEL
#include <unistd.h>
#endif

extern "C" {

// What GCC makes of a parallel construct calls this.
void GOMP_parallel(void (*fn)(void *), void *data, unsigned ids, unsigned flags);
int omp_get_thread_num(void);

struct Run {
  int number, missed;
  int thread[1024];
};

__attribute__((section(".region"), aligned(64))) void region(void *data) {
#ifdef KERNEL
  Run *run = static_cast<Run *>(data);
  const int id = omp_get_thread_num(), thread = gettid();
  if (run->number == 0)
    run->thread[id] = thread;
  else if (run->thread[id] != thread)
    __atomic_fetch_add(&run->missed, 1, __ATOMIC_RELAXED);
#else
  (void)data;
#endif
}

// How often an id had another kernel thread than in the first region.
int misses(int regions, int ids) {
  static Run run;
  run = {};
  for (; run.number < regions; run.number++)
    GOMP_parallel(region, &run, static_cast<unsigned>(ids), 0);
  return run.missed;
}
}
