// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams (GOMP_AMP_FOLD) whose size changes from region to region, in which threads wait for
// each other in all ways that OpenMP has; inner teams; teams of another thread; a pool that is
// given up.
//
// usage: life-folded [ROUNDS]
#include "life.h"

#include <omp.h>

#include <random>
#include <thread>

// A region of `size` threads, at least 1.
static void region(int size) {
  long dynamic = 0, tasks = 0, ordered = 0, numbers = 0;
  int critical = 0;
#pragma omp parallel num_threads(size) reduction(+ : numbers)
  {
    numbers += omp_get_thread_num();
#pragma omp barrier
#pragma omp critical
    critical++;
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 37; i++) {
#pragma omp atomic
      dynamic++;
    }
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
      {
#pragma omp atomic
        tasks++;
      }
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2 * size; i++) {
#pragma omp ordered
      life::check(ordered++ == i, "iteration %d comes as number %ld", i, ordered - 1);
    }
  }
  life::check(numbers == size * (size - 1L) / 2 && critical == size && dynamic == 37 && tasks == 10,
              "a team of %d: numbers %ld, critical %d, dynamic %ld, tasks %ld", size, numbers,
              critical, dynamic, tasks);
}

static void inner_teams() {
  int threads = 0;
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
#pragma omp atomic
    threads++;
  }
  life::check(threads == 12, "%d threads in inner teams, not 12", threads);
}

int main(int argc, char **argv) {
  life::ours();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
  std::mt19937 random(1);
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds; round++) {
    region(1 + random() % 12);
    if (round % 10 == 0)
      inner_teams();
    if (round % 50 == 0) {
      std::thread other([] {
        for (int i = 0; i < 50; i++)
          region(1 + i % 7);
      });
      region(6);
      other.join();
    }
    if (round % 97 == 0)
      omp_pause_resource_all(omp_pause_hard);
  }
  return 0;
}
