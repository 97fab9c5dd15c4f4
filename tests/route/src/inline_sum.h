/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A header to precompile, with a loop in it.  */

#include <stdio.h>

static inline long
inline_sum (int n)
{
  long sum = 0;
#pragma omp parallel for reduction(+:sum)
  for (int i = 1; i <= n; i++)
    sum += i;
  return sum;
}
