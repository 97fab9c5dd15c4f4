/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with a schedule clause of their own.

   expect plain_static 0 1 0
   expect plain_static_inner 0 1 0
   expect nonmonotonic_static 0 1 0
   expect two_static_with_barrier 0 0 0
   expect chunked_static 0 0 0
   expect monotonic_static 0 0 0
   expect simd_static 0 0 0
   expect ordered_static 0 0 0
   expect dynamic_one 0 0 0
   expect guided 0 0 0
   expect automatic 0 0 0
   always runtime 1 GOMP_parallel_loop_maybe_nonmonotonic_runtime
   always monotonic_runtime 1 GOMP_parallel_loop_runtime
   always nonmonotonic_runtime 1 GOMP_parallel_loop_nonmonotonic_runtime  */

#include "check.h"

enum { N = 1000 };
static int a[N];

#define PRAGMA(text) _Pragma (#text)
#define ADD_I(name, directive)                                                \
  static void name (void)                                                     \
  {                                                                           \
    PRAGMA (directive)                                                        \
    for (int i = 0; i < N; i++)                                               \
      a[i] += i;                                                              \
  }

ADD_I (plain_static, omp parallel for schedule(static))
ADD_I (nonmonotonic_static, omp parallel for schedule(nonmonotonic: static))
ADD_I (chunked_static, omp parallel for schedule(static, 3))
ADD_I (monotonic_static, omp parallel for schedule(monotonic: static))
ADD_I (simd_static, omp parallel for simd schedule(simd: static))
ADD_I (ordered_static, omp parallel for ordered schedule(static))
ADD_I (dynamic_one, omp parallel for schedule(dynamic))
ADD_I (guided, omp parallel for schedule(guided))
ADD_I (automatic, omp parallel for schedule(auto))
ADD_I (runtime, omp parallel for schedule(runtime))
ADD_I (monotonic_runtime, omp parallel for schedule(monotonic: runtime))
ADD_I (nonmonotonic_runtime, omp parallel for schedule(nonmonotonic: runtime))

static void
plain_static_inner (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

static void
two_static_with_barrier (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += 2 * i;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[N - 1 - i] -= N - 1 - i;
  }
}

static void
adds (const char *name, void (*f) (void))
{
  for (int i = 0; i < N; i++)
    a[i] = 0;
  f ();
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += a[i] != i;
  check (name, wrong, 0);
}

int
main (void)
{
  adds ("plain_static", plain_static);
  adds ("plain_static_inner", plain_static_inner);
  adds ("nonmonotonic_static", nonmonotonic_static);
  adds ("two_static_with_barrier", two_static_with_barrier);
  adds ("chunked_static", chunked_static);
  adds ("monotonic_static", monotonic_static);
  adds ("simd_static", simd_static);
  adds ("ordered_static", ordered_static);
  adds ("dynamic_one", dynamic_one);
  adds ("guided", guided);
  adds ("automatic", automatic);
  adds ("runtime", runtime);
  adds ("monotonic_runtime", monotonic_runtime);
  adds ("nonmonotonic_runtime", nonmonotonic_runtime);
  return failures;
}
