/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product of square matrices by tasks for the quarters of the result, down to blocks.  Verified
   by the product with a vector (Freivalds).  */

#include "bench.h"
#include <math.h>

static long size = 768, block = 64;
static double *a, *b, *c;

/* Rows from I and columns from J of C, COUNT each.  */
static void
multiply (long i, long j, long count)
{
  if (count > block)
    {
      long half = count / 2;
      for (long part = 0; part < 4; part++)
	{
#pragma omp task default(none) firstprivate(i, j, half, part)
	  multiply (i + part / 2 * half, j + part % 2 * half, half);
	}
#pragma omp taskwait
      return;
    }
  for (long row = i; row < i + count; row++)
    for (long k = 0; k < size; k++)
      for (long column = j; column < j + count; column++)
	c[row * size + column] += a[row * size + k] * b[k * size + column];
}

/* The largest difference between C x and A (B x) for one x.  */
static double
difference (void)
{
  double *x = bench_allocate (size, sizeof *x), *bx = bench_allocate (size, sizeof *x);
  double most = 0;
  for (long i = 0; i < size; i++)
    x[i] = bench_uniform (3, i);
  for (long i = 0; i < size; i++)
    for (long j = 0; j < size; j++)
      bx[i] += b[i * size + j] * x[j];
  for (long i = 0; i < size; i++)
    {
      double left = 0, right = 0;
      for (long j = 0; j < size; j++)
	{
	  left += c[i * size + j] * x[j];
	  right += a[i * size + j] * bx[j];
	}
      most = fmax (most, fabs (left - right));
    }
  return most;
}

int
main (int argc, char **argv)
{
  bench_options (argc, argv, "Multiply matrices by tasks.",
      { "size", &size, 1, 4096, "rows: the block's times a power of two", NULL },
      { "block", &block, 1, 4096, "most rows of a block that one task multiplies", NULL });
  a = bench_allocate (size * size, sizeof *a);
  b = bench_allocate (size * size, sizeof *b);
  c = bench_allocate (size * size, sizeof *c);
  for (long i = 0; i < size * size; i++)
    {
      a[i] = bench_uniform (1, i);
      b[i] = bench_uniform (2, i);
    }

  bench_start ();
#pragma omp parallel default(none) shared(size)
#pragma omp single
  multiply (0, 0, size);
  bench_stop ();
  bench_verify (difference () < 1e-9 * size * size);
  return bench_result (NULL);
}
