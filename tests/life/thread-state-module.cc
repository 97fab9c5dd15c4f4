// SPDX-License-Identifier: GPL-3.0-or-later
// A module of thread-state.cc, whose threads keep a number from one region to the next in a library
// (thread-state-library.cc). With EXTERN it uses the library's variable itself.
#include <omp.h>

#ifdef EXTERN
extern thread_local int kept_number;
static void keep(int number) { kept_number = number; }
static int kept() { return kept_number; }
#else
void keep(int number);
int kept();
#endif

static void work() {
  volatile double x = 1;
  for (int i = 0; i < 20000; i++)
    x = x * 1.000001;
}

extern "C" int misses(int regions) {
  int missed = 0;
  for (int i = 0; i < regions; i++) {
#pragma omp parallel
    {
      work();
      keep(omp_get_thread_num() + 1000 * i);
    }
#pragma omp parallel reduction(+ : missed)
    {
      work();
      missed += kept() != omp_get_thread_num() + 1000 * i;
    }
  }
  return missed;
}
