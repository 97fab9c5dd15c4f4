/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys sorted by counting, digit by digit: each thread counts in a histogram of its own, which
   it has to clear; the histograms are merged bin by bin; and each thread moves its keys.  What a
   thread costs in addition to its keys grows with the bins.

   Verified by the order of the keys, exactly, against qsort.  */

#include "proxy.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* One pass over the digit at SHIFT.  PLACES has room for THREADS + 1 histograms of BINS bins, of
   which the last one is of all threads.  */
static void
sort_digit (const uint32_t *from, uint32_t *to, long n, int shift, long bins, long *places)
{
#pragma omp parallel
  {
    long thread = omp_get_thread_num (), threads = omp_get_num_threads ();
    long *mine = places + thread * bins, *all = places + threads * bins;
    long first = n * thread / threads, end = n * (thread + 1) / threads;
    memset (mine, 0, bins * sizeof *mine);
    for (long i = first; i < end; i++)
      mine[(from[i] >> shift) & (bins - 1)]++;
#pragma omp barrier
    /* Of each bin, where each thread's keys begin, counted from the bin's own place.  */
#pragma omp for
    for (long bin = 0; bin < bins; bin++)
      {
	long sum = 0;
	for (long t = 0; t < threads; t++)
	  {
	    long count = places[t * bins + bin];
	    places[t * bins + bin] = sum;
	    sum += count;
	  }
	all[bin] = sum;
      }
#pragma omp single
    for (long bin = 0, sum = 0; bin < bins; bin++)
      {
	long count = all[bin];
	all[bin] = sum;
	sum += count;
      }
    for (long i = first; i < end; i++)
      {
	long bin = (from[i] >> shift) & (bins - 1);
	to[all[bin] + mine[bin]++] = from[i];
      }
  }
}

static int
compare (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return (x > y) - (x < y);
}

int
main (int argc, char **argv)
{
  long n = 100000, bits = 12, repeats = 10;
  bench_options (argc, argv, "Sort keys by counting digits in histograms of each thread.",
      { "size", &n, 1, 1L << 30, "keys", NULL },
      { "bits", &bits, 1, 16, "bits of a digit", NULL },
      { "repeats", &repeats, 1, 100000, "repetitions", NULL });

  long bins = 1L << bits;
  uint32_t *keys = bench_allocate (n, sizeof *keys), *next = bench_allocate (n, sizeof *next);
  uint32_t *expected = bench_allocate (n, sizeof *expected);
  long *places = bench_allocate ((omp_get_max_threads () + 1) * bins, sizeof *places);
  for (long r = 0; r < repeats; r++)
    {
      for (long i = 0; i < n; i++)
	keys[i] = expected[i] = bench_random (r, i) >> 40;
      bench_start ();
      for (int shift = 0; shift < 24; shift += bits)
	{
	  sort_digit (keys, next, n, shift, bins, places);
	  uint32_t *done = keys;
	  keys = next;
	  next = done;
	}
      bench_stop ();
      qsort (expected, n, sizeof *expected, compare);
      bench_verify (memcmp (keys, expected, n * sizeof *keys) == 0);
    }
  return bench_result (NULL);
}
