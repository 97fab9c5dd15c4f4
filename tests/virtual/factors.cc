// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how slow each thread is inside of loops and outside, as virtual time by CPU time: a line
// `WHERE THREAD SLOWNESS` each.
#include <dlfcn.h>
#include <omp.h>

#include <cmath>
#include <cstdio>

#include "cpu-clock.h"

namespace {

// The least of several, for the kernel may interrupt between two clocks being read.
void print_slowness(const char *where) {
  double least = HUGE_VAL;
  for (int attempt = 0; attempt < 5; attempt++) {
    const double begin = omp_get_wtime(), cpu_begin = cpu_seconds();
    work(1e-3);
    const double cpu = cpu_seconds() - cpu_begin;
    least = std::fmin(least, (omp_get_wtime() - begin) / cpu);
  }
#pragma omp critical(print)
  std::printf("%s %d %.4f\n", where, omp_get_thread_num(), least);
}

// The same over many loops of nothing: what the lab itself takes to tell them apart is CPU time,
// and no virtual time.
void print_slowness_of_nothing() {
  const double begin = omp_get_wtime(), cpu_begin = cpu_seconds();
  for (int loop = 0; loop < 500; loop++)
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < 2; i++)
      continue;
  const double cpu = cpu_seconds() - cpu_begin;
  const double slowness = (omp_get_wtime() - begin) / cpu;
#pragma omp critical(print)
  std::printf("nothing %d %.4f\n", omp_get_thread_num(), slowness);
}

} // namespace

int main() {
  Dl_info info = {};
  dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &info);
  std::printf("libgomp under test: %s\n", info.dli_fname);
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
    print_slowness_of_nothing();
  }
#pragma omp parallel for schedule(nonmonotonic : runtime) // combined
  for (int i = 0; i < 2; i++)
    print_slowness("combined");
}
