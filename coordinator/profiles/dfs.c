/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree walked by a task for every node but the lowest, each leaf of which does the same work: the
   shape of the DFS benchmark of Cilk and Lace.  Verified by the sum over the leaves.  */

#include "bench.h"

/* The work of leaf PLACE, of LENGTH steps.  */
static uint64_t
leaf (uint64_t place, long length)
{
  uint64_t x = place;
  for (long i = 0; i < length; i++)
    x = x * UINT64_C (6364136223846793005) + 1;
  return x;
}

/* The sum over the leaves below node PLACE of a level with DEPTH levels below it.  */
static uint64_t
walk (uint64_t place, long width, long depth, long length)
{
  if (depth == 0)
    return leaf (place, length);
  uint64_t sum[16];
  for (long i = 0; i < width; i++)
    {
#pragma omp task default(none) shared(sum) if (depth > 1)                      \
  firstprivate(place, width, depth, length, i)
      sum[i] = walk (place * width + i, width, depth - 1, length);
    }
#pragma omp taskwait
  uint64_t total = 0;
  for (long i = 0; i < width; i++)
    total += sum[i];
  return total;
}

int
main (int argc, char **argv)
{
  long width = 5, depth = 5, length = 40000;
  bench_options (argc, argv, "Walk a tree by tasks.",
      { "width", &width, 1, 16, "children of a node", NULL },
      { "depth", &depth, 0, 12, "levels", NULL },
      { "length", &length, 0, 1000000, "steps of a leaf", NULL });

  uint64_t total = 0;
  bench_start ();
#pragma omp parallel default(none) shared(total, width, depth, length)
#pragma omp single
  total = walk (0, width, depth, length);
  bench_stop ();

  /* LENGTH steps are one multiplication and one addition, so the leaves' sum is linear in the sum
     of their places.  */
  uint64_t leaves = 1, factor = 1, term = 0;
  for (long i = 0; i < depth; i++)
    leaves *= width;
  for (long i = 0; i < length; i++)
    {
      term = term * UINT64_C (6364136223846793005) + 1;
      factor *= UINT64_C (6364136223846793005);
    }
  uint64_t places = leaves % 2 ? leaves * ((leaves - 1) / 2) : leaves / 2 * (leaves - 1);
  bench_verify (total == factor * places + leaves * term);
  return bench_result (NULL);
}
