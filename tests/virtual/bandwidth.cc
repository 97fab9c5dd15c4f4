// SPDX-License-Identifier: GPL-3.0-or-later
// Each thread does the same work, three times: in static code, in a loop that the
// runtime knows, and in static code again. Prints the virtual time that each took, divided by that
// work: a line `WHERE THREAD RATIO` each.
#include <omp.h>

#include <cstdio>

#include "work.h"

namespace {

constexpr double seconds = 5e-3;

void print_ratio(const char *where, double begin) {
  const double ratio = (omp_get_wtime() - begin) / seconds;
#pragma omp critical(print)
  std::printf("%s %d %.4f\n", where, omp_get_thread_num(), ratio);
}

} // namespace

int main() {
  print_library();
#pragma omp parallel
  {
    double begin;
    const int threads = omp_get_num_threads();
#pragma omp barrier
    begin = omp_get_wtime();
    work(seconds);
    print_ratio("static", begin);
#pragma omp barrier
    begin = omp_get_wtime();
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < threads; i++)
      work(seconds);
    print_ratio("loop", begin);
    // All threads begin together, each time.
#pragma omp barrier
    begin = omp_get_wtime();
    work(seconds);
    print_ratio("after", begin);
  }
}
