/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A nowait chain from a parallel region into the functions that it calls.

   expect region 0 0 1
   expect calls 0 0 0
   expect called_first 0 0 1
   expect called_later 1 1 1
   expect not_called 1 1 1
   expect by_alias|other_name 0 0 1
   expect recursive 0 0 1  */

#include "check.h"

enum { N = 4096 };
static int x[N], y[N], z[N];

__attribute__ ((noinline)) void
called_first (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    y[i] = x[i];
}

__attribute__ ((noinline)) static void
by_alias (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    z[i] = x[i];
}

void other_name (void) __attribute__ ((alias ("by_alias")));

__attribute__ ((noinline)) void
called_later (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    z[i] = y[N - 1 - i];
}

__attribute__ ((noinline)) void
not_called (void)
{
#pragma omp for
  for (int i = 0; i < N; i++)
    z[i] = 0;
}

__attribute__ ((noinline)) void
recursive (int n)
{
  if (n)
    recursive (n - 1);
  else
    {
#pragma omp for
      for (int i = 0; i < N; i++)
        z[i] += x[i];
    }
}

__attribute__ ((noinline)) void
calls (int n)
{
  if (n == 0)
    called_first ();
  else if (n == 1)
    other_name ();
  else
    recursive (n);
}

__attribute__ ((noinline)) void
region (int n)
{
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later (i);
    calls (n);
  }
}

int
main (int argc, char **argv)
{
  int wrong = 0;
  (void) argv;
  for (int n = 0; n < 3; n++)
    region (n);
#pragma omp parallel
  {
    called_later ();
    if (argc > 5)
      not_called ();
  }
  for (int i = 0; i < N; i++)
    wrong += y[i] != i + 1 || z[i] != N - i;
  check ("region", wrong, 0);
  return failures;
}
