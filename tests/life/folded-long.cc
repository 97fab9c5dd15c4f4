// SPDX-License-Identifier: GPL-3.0-or-later
// A folded team in whose phases each thread computes for longer than the library takes to suspect
// that it waits for memory. It stays folded: each thread but the first has the mask of one core.
#include "life.h"

int main() {
  life::ours();
  int unbound = 0, threads = 0;
#pragma omp parallel reduction(+ : unbound)
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int phase = 0; phase < 12; phase++) {
      const double end = omp_get_wtime() + 0.25;
      while (omp_get_wtime() < end)
        ;
#pragma omp barrier
    }
    cpu_set_t mask;
    if (omp_get_thread_num() != 0)
      unbound = sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) != 1;
  }
  if (threads == 1)
    life::skip("a team of one is not folded");
  life::check(unbound == 0, "%d of %d threads were unfolded", unbound, threads);
  return 0;
}
