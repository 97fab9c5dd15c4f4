// SPDX-License-Identifier: GPL-3.0-or-later
// Teams of eight threads per CPU.
#include <sched.h>

#include "life.h"

int main() {
  life::ours();
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  const int threads = 8 * CPU_COUNT(&all);
  static life::Loops<50000> loops;
  for (int round = 0; round < 6; round++)
    for (omp_sched_t kind : life::kKinds)
      loops.run(kind, threads, round % 3);
  std::printf("%d threads\n", threads);
  return 0;
}
