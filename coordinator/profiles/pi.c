/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pi by random points in a square, counted by a tree of tasks.  Verified within five standard
   deviations.  */

#include "bench.h"
#include <math.h>

/* How many of the COUNT points from FIRST are within the circle.  */
static long
inside (long first, long count, long grain)
{
  long found = 0, other = 0;
  if (count <= grain)
    {
      for (long i = first; i < first + count; i++)
	{
	  double x = bench_uniform (1, i), y = bench_uniform (2, i);
	  found += x * x + y * y < 1;
	}
      return found;
    }
  long half = count / 2;
#pragma omp task default(none) shared(other) firstprivate(first, half, grain)
  other = inside (first, half, grain);
  found = inside (first + half, count - half, grain);
#pragma omp taskwait
  return found + other;
}

int
main (int argc, char **argv)
{
  long points = 50000000, grain = 50000;
  bench_options (argc, argv, "Estimate pi by tasks.",
      { "points", &points, 1, 2000000000, "points in the square", NULL },
      { "grain", &grain, 1, 2000000000, "most points of a task", NULL });

  long found = 0;
  bench_start ();
#pragma omp parallel default(none) shared(found) firstprivate(points, grain)
#pragma omp single
  found = inside (0, points, grain);
  bench_stop ();

  double estimate = 4.0 * found / points;
  bench_verify (fabs (estimate - M_PI) < 5 * 1.65 / sqrt (points));
  return bench_result (NULL);
}
