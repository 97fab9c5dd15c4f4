/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a parallel region takes on cores of two speeds, which the program makes itself, without
   an emulator: what runs on CPU --slow-cpu does all of its work twice.  The region is a static
   loop, or with --barrier=1 two of them with a barrier between them.  */

#define _GNU_SOURCE
#include "bench.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>

static const double initial = 1.5;
static long slow_cpu = -1, work = 400;

static inline double
worked (double y)
{
  for (long k = 0; k < work; k++)
    y = y * .999999 + 1e-9;
  return y;
}

/* An iteration.  The result does not depend on the CPU.  */
static inline double
iterate (double from)
{
  double y = worked (from);

  if (sched_getcpu () == slow_cpu)
    {
      /* The compiler may not take the work for the same.  */
      __asm__ volatile ("" : "+x"(from));
      y = worked (from);
    }
  return y;
}

static void __attribute__ ((noinline))
one_loop (double *values, long n)
{
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; i++)
    values[i] = iterate (values[i]);
}

static void __attribute__ ((noinline))
two_loops (double *values, long n)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < n / 2; i++)
      values[i] = iterate (values[i]);
#pragma omp for schedule(static)
    for (long i = n / 2; i < n; i++)
      values[i] = iterate (values[i]);
  }
}

int
main (int argc, char **argv)
{
  long iterations = 1024, loops = 100, samples = 9, barrier = 0;
  bench_options (argc, argv, "Measure parallel regions on cores of two speeds.",
      { "iterations", &iterations, 2, 1L << 24, "iterations of a region", NULL },
      { "work", &work, 0, 1L << 30, "steps of an iteration", NULL },
      { "loops", &loops, 1, 1L << 30, "regions a sample", NULL },
      { "samples", &samples, 1, 10000, "samples, of which the median counts", NULL },
      { "barrier", &barrier, 0, 1, "whether there is a barrier in the middle", NULL },
      { "slow-cpu", &slow_cpu, -1, 1L << 20, "a CPU that is half as fast, or -1", NULL });

  double *values = bench_allocate (iterations, sizeof *values);
  double *seconds = bench_allocate (samples, sizeof *seconds);
  for (long i = 0; i < iterations; i++)
    values[i] = initial;

  double total = 0;
  /* The first sample, in which threads are made and speeds learned, does not count.  */
  for (long s = -1; s < samples; s++)
    {
      double taken = bench_now ();
      for (long l = 0; l < loops; l++)
	(barrier ? two_loops : one_loop) (values, iterations);
      taken = bench_now () - taken;
      if (s >= 0)
	total += seconds[s] = taken;
    }

  double expected = initial;
  for (long run = 0; run < (samples + 1) * loops; run++)
    expected = worked (expected);
  int verified = 1;
  for (long i = 0; i < iterations; i++)
    verified &= values[i] == expected;

  char extra[64];
  snprintf (extra, sizeof extra, "us_per_region=%.4f",
	    1e6 * bench_median (seconds, samples) / loops);
  return bench_print_result (total, verified, extra);
}
