/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a construct COUNT times in one thread, for costs.py.

     costs CONSTRUCT COUNT  */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile long sum;
static omp_lock_t lock;

static void parallel(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    sum = i;
  }
}

static void barrier(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp barrier
  }
}

static void single(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp single nowait
    sum = i;
  }
}

static void critical(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp critical
    sum = i;
  }
}

static void locks(long n) {
  for (long i = 0; i < n; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}

static void ordered(long n) {
#pragma omp for ordered
  for (long i = 0; i < n; i++) {
#pragma omp ordered
    sum = i;
  }
}

static void sections(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp sections nowait
    { sum = i; }
  }
}

static void dynamic(long n) {
  for (long j = 0; j < n; j++) {
#pragma omp for schedule(dynamic) nowait
    for (long i = 0; i < 1; i++)
      sum = i;
  }
}

static void runtime(long n) {
  for (long j = 0; j < n; j++) {
#pragma omp for schedule(runtime) nowait
    for (long i = 0; i < 1; i++)
      sum = i;
  }
}

static void chunk(long n) {
#pragma omp for schedule(dynamic)
  for (long i = 0; i < n; i++)
    sum = i;
}

static void task(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp task
    sum = i;
#pragma omp taskwait
  }
}

static void undeferred(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp task if (0)
    sum = i;
  }
}

static void taskgroup(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp taskgroup
    sum = i;
  }
}

static const struct {
  const char *name;
  void (*run)(long);
} constructs[] = {{"parallel", parallel}, {"barrier", barrier},   {"single", single},
                  {"critical", critical}, {"lock", locks},        {"ordered", ordered},
                  {"sections", sections}, {"dynamic", dynamic},   {"runtime", runtime},
                  {"chunk", chunk},       {"task", task},         {"undeferred", undeferred},
                  {"taskgroup", taskgroup}};

int main(int argc, char **argv) {
  long n = argc > 2 ? atol(argv[2]) : 1;
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++)
    if (argc < 2)
      puts(constructs[i].name);
    else if (strcmp(constructs[i].name, argv[1]) == 0) {
      if (constructs[i].run == parallel)
        parallel(n);
      else {
#pragma omp parallel
        constructs[i].run(n);
      }
    }
  return 0;
}
