// SPDX-License-Identifier: GPL-3.0-or-later
// Regions with loops, a lock and tasks, for another OpenMP library: llvm <rounds> [exit]. With the
// second the process ends in a region.
#include <stdlib.h>

static volatile long sink;

static void work(long steps) {
  for (long i = 0; i < steps; i++)
    sink = i;
}

__attribute__((noinline)) static void loops(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 400; i++)
      work(1000);
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 500; i++)
      work(1000);
#pragma omp critical
    work(1000);
  }
}

__attribute__((noinline)) static void tasks(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int i = 0; i < 20; i++)
#pragma omp task
      work(10000);
#pragma omp taskwait
  }
}

int main(int argc, char **argv) {
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++) {
    loops();
    tasks();
  }
  if (argc > 2) {
#pragma omp parallel num_threads(2)
#pragma omp single
    exit(3);
  }
}
