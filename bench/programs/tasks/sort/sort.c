/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merge sort by tasks: the quarters of the keys are sorted by a task each, then merged by pairs,
   and the halves merged. A merge is split where the middle key of the longer run belongs in the
   shorter one, and so on, a task for each part. Short sorts and merges are serial.

   Sources: Akl and Santoro, "Optimal Parallel Merging and Sorting Without Memory Conflicts", IEEE
   Transactions on Computers, 1987; Duran, Teruel, Ferrer, Martorell, Ayguade, "Barcelona OpenMP
   Tasks Suite", ICPP 2009 (Sort, after Cilksort), with its three cut-offs.

   Keys are the numbers from 0 in random order, so that afterwards every key has to be its own
   place.  */

#include "bench.h"

#include <string.h>

enum
{
  SEED = 1987,
  PARTS = 4
};

/* Up to how many keys sorts and merges are serial, and sorts by insertion.  */
struct limits
{
  long sort, merge, insertion;
};

/* Keys in ascending order.  */
struct run
{
  const uint32_t *key;
  long count;
};

static void
insert_all (uint32_t *key, long count)
{
  for (long i = 1; i < count; i++)
    {
      uint32_t moved = key[i];
      long to = i;
      for (; to > 0 && key[to - 1] > moved; to--)
	key[to] = key[to - 1];
      key[to] = moved;
    }
}

static uint32_t
median (uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

/* Part KEY so that none of the first keys is above any of the others; the number of these first
   ones, neither 0 nor all, of three keys or more.  */
static long
partition (uint32_t *key, long count)
{
  uint32_t pivot = median (key[0], key[count / 2], key[count - 1]);
  long low = 0, high = count - 1;
  for (;;)
    {
      while (key[low] < pivot)
	low++;
      while (key[high] > pivot)
	high--;
      if (low >= high)
	return low;
      uint32_t swapped = key[low];
      key[low++] = key[high];
      key[high--] = swapped;
    }
}

/* Quicksort; a loop on the larger part, so that calls nest no deeper than the logarithm.  */
static void
sort_serially (const struct limits *limits, uint32_t *key, long count)
{
  while (count > limits->insertion)
    {
      long first = partition (key, count);
      if (first < count - first)
	{
	  sort_serially (limits, key, first);
	  key += first;
	  count -= first;
	}
      else
	{
	  sort_serially (limits, key + first, count - first);
	  count = first;
	}
    }
  insert_all (key, count);
}

/* Which key is next is as good as random: chosen without a branch.  */
static void
merge_serially (struct run a, struct run b, uint32_t *to)
{
  long i = 0, j = 0;
  while (i < a.count && j < b.count)
    {
      uint32_t first = a.key[i], second = b.key[j];
      int takes_first = first <= second;
      *to++ = takes_first ? first : second;
      i += takes_first;
      j += !takes_first;
    }
  memcpy (to, a.key + i, (a.count - i) * sizeof *to);
  memcpy (to + (a.count - i), b.key + j, (b.count - j) * sizeof *to);
}

/* How many of R's keys are below KEY.  */
static long
count_below (struct run r, uint32_t key)
{
  long least = 0, most = r.count;
  while (least < most)
    {
      long middle = least + (most - least) / 2;
      if (r.key[middle] < key)
	least = middle + 1;
      else
	most = middle;
    }
  return least;
}

static struct run
from (struct run r, long first)
{
  return (struct run){ r.key + first, r.count - first };
}

static void
merge (const struct limits *limits, struct run a, struct run b, uint32_t *to)
{
  if (a.count + b.count <= limits->merge)
    {
      merge_serially (a, b, to);
      return;
    }
  struct run longer = a.count < b.count ? b : a, shorter = a.count < b.count ? a : b;
  long half = longer.count / 2, below = count_below (shorter, longer.key[half]);
#pragma omp task default(none) firstprivate(limits, longer, shorter, half, below, to)
  merge (limits, (struct run){ longer.key, half }, (struct run){ shorter.key, below }, to);
#pragma omp task default(none) firstprivate(limits, longer, shorter, half, below, to)
  merge (limits, from (longer, half), from (shorter, below), to + half + below);
#pragma omp taskwait
}

/* Sort KEY; SPARE is room for as many keys.  */
static void
sort (const struct limits *limits, uint32_t *key, long count, uint32_t *spare)
{
  if (count <= limits->sort)
    {
      sort_serially (limits, key, count);
      return;
    }
  struct run part[PARTS];
  for (int i = 0; i < PARTS; i++)
    {
      long first = count / PARTS * i;
      long size = i < PARTS - 1 ? count / PARTS : count - first;
      part[i] = (struct run){ key + first, size };
#pragma omp task default(none) firstprivate(limits, key, spare, first, size)
      sort (limits, key + first, size, spare + first);
    }
#pragma omp taskwait
  long half = count / PARTS * (PARTS / 2);
#pragma omp task default(none) firstprivate(limits, part, spare)
  merge (limits, part[0], part[1], spare);
#pragma omp task default(none) firstprivate(limits, part, spare, half)
  merge (limits, part[2], part[3], spare + half);
#pragma omp taskwait
  merge (limits, (struct run){ spare, half }, (struct run){ spare + half, count - half }, key);
}

static void
sort_in_parallel (const struct limits *limits, uint32_t *key, long count, uint32_t *spare)
{
#pragma omp parallel default(none) firstprivate(limits, key, count, spare)
#pragma omp single
  sort (limits, key, count, spare);
}

/* Make KEY the numbers from 0 in random order.  */
static void
shuffle (uint32_t *key, long count, uint64_t seed)
{
  for (long i = 0; i < count; i++)
    {
      long j = bench_random (seed, i) % (i + 1);
      key[i] = key[j];
      key[j] = i;
    }
}

static int
is_in_order (const uint32_t *key, long count)
{
  for (long i = 0; i < count; i++)
    if (key[i] != i)
      return 0;
  return 1;
}

int
main (int argc, char **argv)
{
  struct limits limits = { .sort = 8192, .merge = 32768, .insertion = 20 };
  long size = 8000000, repeats = 1;
  bench_options (argc, argv, "Sort keys by merging.",
      { "size", &size, 1, 1L << 30, "keys", NULL },
      { "sort", &limits.sort, PARTS, 1L << 30, "keys up to which a sort is serial", NULL },
      { "merge", &limits.merge, 2, 1L << 30, "keys up to which a merge is serial", NULL },
      { "insertion", &limits.insertion, 2, 1000, "keys up to which a sort inserts", NULL },
      { "repeats", &repeats, 1, 100000, "times that keys are sorted", NULL });

  uint32_t *key = bench_allocate (size, sizeof *key);
  uint32_t *spare = bench_allocate (size, sizeof *spare);
  for (long r = 0; r < repeats; r++)
    {
      /* Another order each time: what the last sort left in SPARE must not do for this one.  */
      shuffle (key, size, SEED + r);
      bench_start ();
      sort_in_parallel (&limits, key, size, spare);
      bench_stop ();
      bench_verify (is_in_order (key, size));
    }
  return bench_result (NULL);
}
