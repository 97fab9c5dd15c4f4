/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orphaned loops of a file in which a nowait loop reaches its function's end:
   whatever an entry reaches may follow it.

   expect first_loop 0 0 1
   expect open_end 0 0 1
   expect called_through 0 0 0
   expect second_loop 1 1 2
   expect late_open_end 0 0 2
   expect region 1 1 2
   expect pointed 0 0 1
   expect other_region 1 1 1  */

#include "check.h"

enum { N = 4096 };
static int x[N], y[N], z[N], wrong;

/* Before open_end in this file: it is compiled without yet having seen it.  */
__attribute__ ((noinline)) void
first_loop (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    y[i] = x[i];
}

__attribute__ ((noinline)) void
open_end (void)
{
#pragma omp for nowait
  for (int i = 0; i < N; i++)
    x[i] = later (i);
}

__attribute__ ((noinline)) void
called_through (void)
{
  open_end ();
}

/* The second loop can follow only the first, which has a barrier.  */
__attribute__ ((noinline)) void
second_loop (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    z[i] = i;
#pragma omp for
  for (int i = 0; i < N; i++)
    z[i] += y[N - 1 - i] - N;
}

/* No entry reaches the second loop; but it may go on into any first loop.  */
__attribute__ ((noinline)) void
late_open_end (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    z[i] = i;
#pragma omp for nowait
  for (int i = 0; i < N; i++)
    x[i] = later (i);
}

__attribute__ ((noinline)) void
pointed (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    y[i] = x[i];
}

static void (*volatile pointer) (void) = pointed;

/* Count what is wrong in y, and forget.  */
static void
judge (void)
{
  for (int i = 0; i < N; i++)
    {
      wrong += y[i] != i + 1;
      x[i] = y[i] = 0;
    }
}

/* The first loop follows a call that ends open; the second does not.  */
__attribute__ ((noinline)) void
region (void)
{
#pragma omp parallel
  {
    called_through ();
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
    second_loop ();
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] += z[i];
#pragma omp single
    judge ();
    open_end ();
    pointer ();
#pragma omp single
    judge ();
    called_through ();
    first_loop ();
#pragma omp single
    judge ();
    late_open_end ();
    first_loop ();
#pragma omp single
    judge ();
  }
}

__attribute__ ((noinline)) void
other_region (void)
{
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    z[i] = 0;
}

int
main (void)
{
  for (int round = 0; round < 3; round++)
    region ();
  other_region ();
  check ("region", wrong, 0);
  return failures;
}
