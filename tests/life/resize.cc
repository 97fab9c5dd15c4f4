// SPDX-License-Identifier: GPL-3.0-or-later
// Teams change their size between loops, nested and dynamically too.
#include <random>

#include "life.h"

static life::Loops<3000> outer, inner[8];

int main() {
  life::ours();
  std::mt19937 random(20200817);
  omp_set_max_active_levels(2);
  for (int round = 0; round < 300; round++) {
    const omp_sched_t kind = life::kKinds[round % 3];
    const int threads = 1 + int(random() % 8), nested = 1 + int(random() % 3);
    omp_set_dynamic(round % 7 == 6);
    outer.run(kind, threads, int(random() % 3));
    if (round % 5 != 0)
      continue;
    omp_set_schedule(kind, 0);
#pragma omp parallel num_threads(threads)
    inner[omp_get_thread_num()].run(kind, nested, 0);
  }
  return 0;
}
