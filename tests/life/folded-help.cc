// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of folded teams that other workers take: each iteration runs once, locks and
// threadprivate data are what they should be, and when the regions are over every thread is bound
// where it was. Costs change all the time, so that workers guess wrongly too.
#include "life.h"

#include <omp.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <vector>

static int mine;
#pragma omp threadprivate(mine)

static void work(double seconds) {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const double begin = double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while (double(now.tv_sec) + 1e-9 * double(now.tv_nsec) < begin + seconds);
}

static double cost_of(int round, int i, int n) {
  switch (round / 40 % 3) {
  case 0:
    return .001;
  case 1:
    return i % (n / 2) == 0 ? .004 : .0001; // One id costs most.
  default:
    return round % 7 == 0 ? .00001 : .0003 * (i % 5);
  }
}

static std::vector<cpu_set_t> masks() {
  std::vector<cpu_set_t> found;
  found.resize(size_t(omp_get_max_threads()));
#pragma omp parallel
  {
#pragma omp barrier
    sched_getaffinity(0, sizeof found[0], &found[size_t(omp_get_thread_num())]);
#pragma omp barrier
  }
  return found;
}

int main() {
  life::ours();
  const int threads = omp_get_max_threads(), n = 4 * threads;
  std::vector<int> runs(size_t(n), 0);
  int sum = 0;
#pragma omp parallel
  mine = omp_get_thread_num();
  for (int round = 0; round < 240; round++)
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) {
      work(cost_of(round, i, n) / threads);
      runs[size_t(i)]++;
    }
    life::check(mine == omp_get_thread_num(), "thread %d has the data of thread %d",
                omp_get_thread_num(), mine);
#pragma omp critical
    sum++;
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      work(cost_of(round + 40, i, n) / threads);
  }
  for (const int count : runs)
    life::check(count == 240, "an iteration ran %d times, not 240", count);
  life::check(sum == 240 * threads, "%d threads were in the critical section, not %d", sum,
              240 * threads);
  // A worker may have taken a thread for a region that was over by then; the next one ends that.
  masks();
  const std::vector<cpu_set_t> now = masks();
  // Neighbours are of one worker, and there are as many CPUs as workers.
  int changes = 0;
  for (size_t id = 2; id < now.size(); id++)
    changes += !CPU_EQUAL(&now[id], &now[id - 1]);
  life::check(changes < omp_get_num_procs(), "threads are bound to %d CPUs in turn", changes + 1);
  return 0;
}
