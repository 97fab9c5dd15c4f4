// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how slow each thread is inside of loops and outside, as virtual time by work: a line
// `WHERE THREAD SLOWNESS` each.
#include <omp.h>

#include <cstdio>

#include "work.h"

namespace {

void print_slowness(const char *where) {
  const double begin = omp_get_wtime(), worked = work_seconds();
  work(1e-3);
  const double slowness = (omp_get_wtime() - begin) / (work_seconds() - worked);
#pragma omp critical(print)
  std::printf("%s %d %.4f\n", where, omp_get_thread_num(), slowness);
}

} // namespace

int main() {
  print_library();
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    print_slowness("before");
#pragma omp for schedule(static, 1) // inline: unknown to the runtime
    for (int i = 0; i < threads; i++)
      print_slowness("inline");
#pragma omp for schedule(nonmonotonic : runtime) // flat
    for (int i = 0; i < threads; i++)
      print_slowness("flat");
    print_slowness("between");
#pragma omp for schedule(nonmonotonic : runtime) nowait // steep
    for (int i = 0; i < threads; i++)
      print_slowness("steep");
#pragma omp for schedule(nonmonotonic : runtime) // plain
    for (int i = 0; i < threads; i++)
      print_slowness("plain");
    print_slowness("after");
  }
#pragma omp parallel for schedule(nonmonotonic : runtime) // combined
  for (int i = 0; i < 2; i++)
    print_slowness("combined");
}
