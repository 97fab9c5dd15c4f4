/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An OpenACC loop beside an OpenMP one.

   flags -fopenacc
   expect acc_loop 0 0 0
   expect omp_loop 1 1 1  */

#include "check.h"

enum { N = 1000 };
static int a[N];

static void
acc_loop (void)
{
#pragma acc parallel loop copy(a)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
omp_loop (void)
{
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    a[i] += i;
}

int
main (void)
{
  int wrong = 0;
  acc_loop ();
  omp_loop ();
  for (int i = 0; i < N; i++)
    wrong += a[i] != 2 * i;
  check ("acc_loop", wrong, 0);
  return failures;
}
