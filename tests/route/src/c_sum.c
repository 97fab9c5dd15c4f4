/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C part of sums.c: one loop that every mode routes.  */

long
c_sum (int n)
{
  long sum = 0;
#pragma omp parallel for reduction(+:sum)
  for (int i = 1; i <= n; i++)
    sum += i;
  return sum;
}
