/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IS, the integer sort of the NAS Parallel Benchmarks: ranks of keys by counting, each thread in a
   histogram of its own.

   Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, with the problem
   sizes of NPB and its ranks of five keys of each class.

   Verified by these ranks in every iteration, and at the end by moving every key to its rank.  */

#include "bench.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  ITERATIONS = 10,
  TESTED = 5,
  /* Keys generated from one state of the generator.  */
  BLOCK = 4096,
  /* An element of a histogram is an int; this many fill a cache line.  */
  LINE = 16
};

/* A problem class: 2^LOG2_KEYS keys below 2^LOG2_VALUES.  Every iteration makes one more key small
   and one more large, so that the key at index AT has in iteration n the rank RANK, plus n - LATE
   if that is in the lower half, else minus n - EARLY.  */
struct problem
{
  int log2_keys, log2_values;
  long at[TESTED], rank[TESTED];
  int late, early;
};

/* Of the classes, the names and the problems.  */
static const char *const class_names[] = { "S", "W", "A", "B", NULL };
static const struct problem classes[]
  = { { 16, 11, { 48427, 17148, 23627, 62548, 4431 }, { 0, 18, 346, 64917, 65463 }, 0, 0 },
      { 20,
	16,
	{ 357773, 934767, 875723, 898999, 404505 },
	{ 1249, 11698, 1039987, 1043896, 1048018 },
	2,
	0 },
      { 23,
	19,
	{ 2112377, 662041, 5336171, 3642833, 4250760 },
	{ 104, 17523, 123928, 8288932, 8388264 },
	1,
	1 },
      { 25,
	21,
	{ 41869, 812306, 5102857, 18232239, 26860214 },
	{ 33422937, 10244, 59149, 33135281, 99 },
	0,
	0 } };

/* RANK[v] is the number of keys that are at most v.  COUNTS has a histogram a thread.  */
struct sort
{
  long keys, values;
  int *key, *rank, *counts;
};

/* The generator of NPB, x(k+1) = 5^13 x(k) mod 2^46.  */
static const uint64_t seed = 314159265, multiplier = 1220703125;

static uint64_t
product46 (uint64_t a, uint64_t b)
{
  return a * b & ((UINT64_C (1) << 46) - 1);
}

/* The generator's state before its number N.  */
static uint64_t
state_at (uint64_t n)
{
  uint64_t x = seed;
  for (uint64_t power = multiplier; n > 0; n >>= 1)
    {
      if (n & 1)
	x = product46 (x, power);
      power = product46 (power, power);
    }
  return x;
}

/* Every key is a sum of four random numbers, scaled.  */
static void
make_keys (struct sort *s, int log2_values)
{
#pragma omp parallel for
  for (long first = 0; first < s->keys; first += BLOCK)
    {
      uint64_t x = state_at (4 * (uint64_t) first);
      for (long i = first; i < first + BLOCK; i++)
	{
	  uint64_t sum = 0;
	  for (int n = 0; n < 4; n++)
	    sum += x = product46 (x, multiplier);
	  s->key[i] = sum >> (46 - (log2_values - 2));
	}
    }
}

/* Rank the keys.  */
static void
rank_keys (struct sort *s)
{
  long keys = s->keys, values = s->values;
  const int *key = s->key;
  int *rank = s->rank, *counts = s->counts;

#pragma omp parallel
  {
    int threads = omp_get_num_threads ();
    int *own = counts + omp_get_thread_num () * (values + LINE);

    memset (own, 0, values * sizeof *own);
#pragma omp for nowait
    for (long i = 0; i < keys; i++)
      own[key[i]]++;
    for (long v = 1; v < values; v++)
      own[v] += own[v - 1];

#pragma omp barrier
#pragma omp for
    for (long v = 0; v < values; v++)
      {
	int sum = 0;
	for (int t = 0; t < threads; t++)
	  sum += counts[t * (values + LINE) + v];
	rank[v] = sum;
      }
  }
}

/* Iteration N: change two keys, as NPB does, and rank all.  Whether NPB's five keys have the ranks
   that they should have.  */
static int
iterate (struct sort *s, const struct problem *p, int n)
{
  int tested[TESTED];

  s->key[n] = n;
  s->key[n + ITERATIONS] = s->values - n;
  for (int t = 0; t < TESTED; t++)
    tested[t] = s->key[p->at[t]];

  rank_keys (s);
  for (int t = 0; t < TESTED; t++)
    {
      long expected = p->rank[t] + (p->rank[t] < s->keys / 2 ? n - p->late : p->early - n);
      if (s->rank[tested[t] - 1] != expected)
	return 0;
    }
  return 1;
}

/* Whether the ranks sort the keys: each goes to a place of its own, and the places ascend.  */
static int
sorted (const struct sort *s)
{
  enum { FREE = -1 };
  int *place = bench_allocate (s->keys, sizeof (int));
  int good = 1;
  for (long i = 0; i < s->keys; i++)
    place[i] = FREE;
  for (long i = 0; i < s->keys && good; i++)
    {
      long to = --s->rank[s->key[i]];
      good = to >= 0 && to < s->keys && place[to] == FREE;
      if (good)
	place[to] = s->key[i];
    }
  for (long i = 1; i < s->keys && good; i++)
    good = place[i - 1] <= place[i];
  free (place);
  return good;
}

/* NPB's result block, as npb.f90 has it.  */
static void
print_block (const char *class, long keys, long iterations, double seconds, int right)
{
  double speed = 1e-6 * keys * iterations / seconds;
  int threads = omp_get_max_threads ();

  printf ("\n IS Benchmark Completed.\n");
  printf (" %-16s=%25s\n", "Class", class);
  printf (" %-16s=%25ld\n", "Size", keys);
  printf (" %-16s=%25ld\n", "Iterations", iterations);
  printf (" %-16s=%25.4f\n", "Time in seconds", seconds);
  printf (" %-16s=%25d\n", "Total threads", threads);
  printf (" %-16s=%25.2f\n", "Mop/s total", speed);
  printf (" %-16s=%25.2f\n", "Mop/s/thread", speed / threads);
  printf (" %-16s=%25s\n", "Operation type", "keys ranked");
  printf (" %-16s=%25s\n\n", "Verification", right ? "SUCCESSFUL" : "UNSUCCESSFUL");
}

int
main (int argc, char **argv)
{
  long class = 1, repeats = 1;
  bench_options (argc, argv, "Sort integers by counting.",
      { "class", &class, 0, 0, "NPB's problem class", class_names },
      { "repeats", &repeats, 1, 100000, "times the ten iterations are run", NULL });

  const struct problem *p = &classes[class];
  struct sort s = { .keys = 1L << p->log2_keys, .values = 1L << p->log2_values };
  s.key = bench_allocate (s.keys, sizeof (int));
  s.rank = bench_allocate (s.values, sizeof (int));
  s.counts = bench_allocate (omp_get_max_threads () * (s.values + LINE), sizeof (int));
  make_keys (&s, p->log2_values);

  /* The iterations change the first keys, and the next repetition begins with the old ones.  */
  int changed[2 * ITERATIONS + 1];
  memcpy (changed, s.key, sizeof changed);
  rank_keys (&s);

  bench_start ();
  for (long r = 0; r < repeats; r++)
    {
      memcpy (s.key, changed, sizeof changed);
      for (int n = 1; n <= ITERATIONS; n++)
	bench_verify (iterate (&s, p, n));
    }
  double seconds = bench_stop ();
  int right = bench_verify (sorted (&s));
  print_block (class_names[class], s.keys, repeats * ITERATIONS, seconds, right);
  return bench_result (NULL);
}
