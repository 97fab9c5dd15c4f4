// SPDX-License-Identifier: GPL-3.0-or-later
// Runs loops of every kind and allocates nothing itself, for a driver that makes allocations fail.
#include "life.h"

#include <cstdlib>

int main() {
  // Of the streams' own buffers none has to be allocated.
  static char out[BUFSIZ];
  std::setvbuf(stdout, out, _IOFBF, sizeof out);
  static life::Loops<3000> loops;
  for (int threads = 2; threads <= 3; threads++)
    for (omp_sched_t kind : life::kKinds) {
      loops.run(kind, threads);
      long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
      {
        // More loops in flight than a team has work shares to begin with.
        for (int loop = 0; loop < 12; loop++) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
          for (int i = 0; i < 100; i++)
            sum += i;
        }
      }
      life::check(sum == 12 * 4950, "the sum of loops in flight is %ld", sum);
      // Its threads wait for each other in memory, which takes folded teams long.
      if (std::getenv("GOMP_AMP_FOLD") == nullptr)
        life::sampled_loop(kind, threads, 1000, [] {});
    }
  return 0;
}
