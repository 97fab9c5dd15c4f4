// SPDX-License-Identifier: GPL-3.0-or-later
// A module of called-modules.cc: a region of which each id has thread-local variables of its own,
// if OWN is defined, or none. It is at the same place in both modules.

extern "C" {

// What GCC makes of a parallel construct calls this.
void GOMP_parallel(void (*fn)(void *), void *data, unsigned ids, unsigned flags);

#ifdef OWN
static thread_local int runs;
#endif

struct Run {
  int number, missed;
};

__attribute__((section(".region"), aligned(64))) void region(void *data) {
#ifdef OWN
  Run *run = static_cast<Run *>(data);
  if (runs++ != run->number)
    __atomic_fetch_add(&run->missed, 1, __ATOMIC_RELAXED);
#else
  (void)data;
#endif
}

int misses(int regions, int ids) {
  Run run = {0, 0};
  for (; run.number < regions; run.number++)
    GOMP_parallel(region, &run, static_cast<unsigned>(ids), 0);
  return run.missed;
}
}
