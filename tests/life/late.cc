// SPDX-License-Identifier: GPL-3.0-or-later
// A plugin that runs a routed loop while it is being opened, in a team whose first thread comes
// last: another one asks for the core classes first, while the first has the loader's lock.
#include <cstdio>
#include <cstdlib>

#include <omp.h>
#include <unistd.h>

static int hits[1000];

__attribute__((constructor)) static void loop() {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0)
      usleep(100000);
#pragma omp for schedule(nonmonotonic : runtime)
    for (int i = 0; i < 1000; i++)
      __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
  }
  for (int hit : hits)
    if (hit != 1) {
      std::printf("an iteration ran %d times\n", hit);
      std::exit(1);
    }
}

extern "C" void life_run(int) {}
