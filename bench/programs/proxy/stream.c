/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long vectors copied, scaled, added, and both: four loops, which wait for memory where it is
   real, or where amp-emu caps its bandwidth (matrix virtual-bandwidth).

   After McCalpin, "Memory bandwidth and machine balance in current high performance computers",
   1995.

   Verified by every element, exactly: all of a vector are alike.  */

#include "proxy.h"

int
main (int argc, char **argv)
{
  long n = 50000, repeats = 100;
  bench_options (argc, argv, "Copy, scale and add vectors.",
      { "size", &n, 1, 1L << 30, "elements of a vector", NULL },
      { "repeats", &repeats, 1, 1000000, "repetitions of the four loops", NULL });

  double *a = bench_allocate (n, sizeof *a), *b = bench_allocate (n, sizeof *b);
  double *c = bench_allocate (n, sizeof *c);
  const double scale = 0.25;
  bench_start ();
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    a[i] = 1;
  for (long r = 0; r < repeats; r++)
    {
#pragma omp parallel for
      for (long i = 0; i < n; i++)
	c[i] = a[i];
#pragma omp parallel for
      for (long i = 0; i < n; i++)
	b[i] = scale * c[i];
#pragma omp parallel for
      for (long i = 0; i < n; i++)
	c[i] = a[i] + b[i];
#pragma omp parallel for
      for (long i = 0; i < n; i++)
	a[i] = b[i] + scale * c[i];
    }
  bench_stop ();

  double x = 1, y = 0, z = 0;
  for (long r = 0; r < repeats; r++)
    {
      y = scale * x;
      z = x + y;
      x = y + scale * z;
    }
  for (long i = 0; i < n; i++)
    bench_verify (a[i] == x && b[i] == y && c[i] == z);
  return bench_result (NULL);
}
