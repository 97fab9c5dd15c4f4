/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orphaned loops of a file in which no nowait loop reaches its function's end:
   they are routed.

   expect with_barrier 1 1 1
   expect nowait_then_barrier 1 1 1
   expect own_chain 1 1 3
   expect region 1 1 1
   expect main 0 0 0  */

#include "check.h"

enum { N = 4096 };
static int x[N], y[N];

__attribute__ ((noinline)) void
with_barrier (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    x[i] = i + 1;
}

__attribute__ ((noinline)) void
nowait_then_barrier (void)
{
#pragma omp for nowait
  for (int i = 0; i < N; i++)
    y[i] = x[N - 1 - i];
#pragma omp barrier
}

__attribute__ ((noinline)) void
own_chain (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    x[i] = y[N - 1 - i];
#pragma omp for nowait
  for (int i = 0; i < N; i++)
    x[i] *= 2;
#pragma omp for
  for (int i = 0; i < N; i++)
    y[i] = x[i] / 2;
}

__attribute__ ((noinline)) void
region (void)
{
#pragma omp parallel
  {
    with_barrier ();
    nowait_then_barrier ();
    own_chain ();
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] += 0;
  }
}

int
main (void)
{
  int wrong = 0;
  region ();
  for (int i = 0; i < N; i++)
    wrong += y[i] != i + 1;
  check ("region", wrong, 0);
  return failures;
}
