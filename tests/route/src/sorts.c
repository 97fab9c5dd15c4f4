/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts whose threads carry counts of their own from one schedule(static) loop
   over a barrier to the next: both loops must give each thread the same keys.

   expect counting_sort 0 0 0
   expect bucket_sort 0 0 0
   expect make_keys 0 1 0
   expect rank_buckets 1 1 1  */

#include <omp.h>
#include <string.h>
#include "check.h"

enum { KEYS = 20000, VALUES = 1 << 10, BUCKETS = 32, SHIFT = 5, THREADS = 64 };
static int key[KEYS], sorted[KEYS], counts[THREADS][VALUES];
static int sizes[THREADS][BUCKETS], first_of[BUCKETS + 1];

static void
make_keys (void)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < KEYS; i++)
    key[i] = (i * 7919L + i / 13) % VALUES;
}

/* A late iteration, so that a loop that is not static is not so by luck.  */
static int
key_at (int i)
{
  return later (i) - 1 == i ? key[i] : -1;
}

/* Each thread counts its keys and later puts them where they belong: after the
   smaller ones of all threads and the equal ones of earlier threads.  The sort
   is stable.  */
static void
counting_sort (void)
{
#pragma omp parallel
  {
    int me = omp_get_thread_num (), threads = omp_get_num_threads ();
    int next[VALUES];

    memset (counts[me], 0, sizeof counts[me]);
#pragma omp for schedule(static)
    for (int i = 0; i < KEYS; i++)
      counts[me][key_at (i)]++;
    for (int v = 0, sum = 0; v < VALUES; v++)
      for (int t = 0; t < threads; t++)
        {
          if (t == me)
            next[v] = sum;
          sum += counts[t][v];
        }
#pragma omp for schedule(static)
    for (int i = 0; i < KEYS; i++)
      sorted[next[key[i]]++] = key[i];
  }
}

/* As NPB's IS does with buckets: the threads' parts of a bucket lie one after
   the other.  */
static void
bucket_sort (void)
{
#pragma omp parallel
  {
    int me = omp_get_thread_num (), threads = omp_get_num_threads ();
    int next[BUCKETS];

    memset (sizes[me], 0, sizeof sizes[me]);
#pragma omp for schedule(static)
    for (int i = 0; i < KEYS; i++)
      sizes[me][key_at (i) >> SHIFT]++;
    int sum = 0;
    for (int b = 0; b < BUCKETS; b++)
      {
        if (me == 0)
          first_of[b] = sum;
        for (int t = 0; t < threads; t++)
          {
            if (t == me)
              next[b] = sum;
            sum += sizes[t][b];
          }
      }
#pragma omp for schedule(static)
    for (int i = 0; i < KEYS; i++)
      sorted[next[key[i] >> SHIFT]++] = key[i];
  }
  first_of[BUCKETS] = KEYS;
}

/* Sort each bucket by itself.  */
static void
rank_buckets (void)
{
#pragma omp parallel for
  for (int b = 0; b < BUCKETS; b++)
    {
      int count[1 << SHIFT] = { 0 }, at = first_of[b];
      for (int i = at; i < first_of[b + 1]; i++)
        count[sorted[i] & ((1 << SHIFT) - 1)]++;
      for (int v = 0; v < 1 << SHIFT; v++)
        for (int n = 0; n < count[v]; n++)
          sorted[at++] = (b << SHIFT) + v;
    }
}

/* The sorted keys are as many of each value as there are, in order.  */
static void
judge (const char *name)
{
  int balance[VALUES] = { 0 }, wrong = 0;
  for (int i = 0; i < KEYS; i++)
    {
      balance[key[i]]++;
      balance[sorted[i]]--;
      wrong += i > 0 && sorted[i - 1] > sorted[i];
    }
  memset (sorted, 0, sizeof sorted);
  for (int v = 0; v < VALUES; v++)
    wrong += balance[v] != 0;
  check (name, wrong, 0);
}

int
main (void)
{
  make_keys ();
  for (int round = 0; round < 5; round++)
    {
      counting_sort ();
      judge ("counting_sort");
      bucket_sort ();
      rank_buckets ();
      judge ("bucket_sort");
    }
  return failures;
}
