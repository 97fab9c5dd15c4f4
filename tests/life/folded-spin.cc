// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of a folded team that wait for each other by spinning on memory, which OpenMP's runtime
// does not see: each keeps the core from the one that it waits for. They have to come to an end.
#include "life.h"

#include <atomic>

static std::atomic<int> reached[1024];

int main() {
  life::ours();
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), last = omp_get_num_threads() - 1;
#pragma omp barrier
    for (int round = 1; round <= 5; round++) {
      if (me == 0)
        reached[0] = round;
      while (reached[me == 0 ? last : me - 1] < round)
        ;
      reached[me] = round;
    }
  }
  return 0;
}
