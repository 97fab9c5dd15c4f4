/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worksharing loop costs: nanoseconds a loop of trivial iterations, with its barrier and
   with nowait.

   Compiled twice: as loopcost, in which the compiler routes every loop to the run-time library, and
   as loopcost-inline, in which a plain compiler turns the same loops into inline static code.
   After EPCC's schedbench: Bull, "Measuring synchronisation and scheduling overheads in OpenMP",
   EWOMP 1999; the loop has next to no work in it, so nothing has to be subtracted.  */

#include "bench.h"

#include <omp.h>
#include <stdio.h>

/* A trivial iteration, which the compiler can neither drop nor merge with its neighbour.  */
static inline __attribute__ ((always_inline)) long
trivial_iteration (long i, long count)
{
  count++;
  __asm__ volatile ("" : "+r"(count) : "r"(i));
  return count;
}

/* Run LOOPS loops of N iterations each, and add to TALLIES what each thread ran.  Returns the
   seconds from the first thread's entry to the last thread's exit.  Called by every thread of a
   team; the result is that of the thread numbered 0.  */
static double __attribute__ ((noinline))
loops_with_barrier (long loops, long n, struct bench_tally *tallies)
{
  long count = 0;
#pragma omp barrier
  double start = bench_now ();
  for (long l = 0; l < loops; l++)
    {
#pragma omp for
      for (long i = 0; i < n; i++)
	count = trivial_iteration (i, count);
    }
  double seconds = bench_now () - start;
  tallies[omp_get_thread_num ()].count += count;
  return seconds;
}

/* The same without a barrier after each loop, but with one at the end.  */
static double __attribute__ ((noinline))
loops_nowait (long loops, long n, struct bench_tally *tallies)
{
  long count = 0;
#pragma omp barrier
  double start = bench_now ();
  for (long l = 0; l < loops; l++)
    {
#pragma omp for nowait
      for (long i = 0; i < n; i++)
	count = trivial_iteration (i, count);
    }
#pragma omp barrier
  double seconds = bench_now () - start;
  tallies[omp_get_thread_num ()].count += count;
  return seconds;
}

int
main (int argc, char **argv)
{
  long iterations = 64, loops = 10000, samples = 15, nowait = 0;
  bench_options (argc, argv, "Measure what a worksharing loop costs.",
      { "iterations", &iterations, 0, 1L << 40, "iterations of a loop", NULL },
      { "loops", &loops, 1, 1L << 40, "loops a sample", NULL },
      { "samples", &samples, 1, 10000, "samples, of which the median counts", NULL },
      { "nowait", &nowait, 0, 1, "whether the loops have no barrier", NULL });

  struct bench_tally *tallies = bench_tallies ();
  double *seconds = bench_allocate (samples, sizeof *seconds);

#pragma omp parallel
  /* The first sample, which starts the threads' caches and spin counts, is not kept.  */
  for (long s = -1; s < samples; s++)
    {
      double taken = nowait ? loops_nowait (loops, iterations, tallies)
			    : loops_with_barrier (loops, iterations, tallies);
      if (s >= 0 && omp_get_thread_num () == 0)
	seconds[s] = taken;
    }

  double total = 0;
  for (long s = 0; s < samples; s++)
    total += seconds[s];
  double per_loop = 1e9 * bench_median (seconds, samples) / loops;

  char extra[128];
  snprintf (extra, sizeof extra, "ns_per_loop=%.2f ns_per_iteration=%.4f", per_loop,
	    iterations > 0 ? per_loop / iterations : 0.0);
  long ran = bench_sum (tallies);
  return bench_print_result (total, ran == (samples + 1) * loops * iterations, extra);
}
