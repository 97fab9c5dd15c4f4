/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PathFinder of the Rodinia suite: the cheapest way down a grid of weights, by dynamic programming
   row by row, a short loop over blocks of columns and a barrier a row.

   Source: Che et al., "Rodinia: A benchmark suite for heterogeneous computing", IISWC 2009,
   table I.  From a column one may go straight down or to either neighbour.

   Verified by the costs of all columns of the last row, exactly.  */

#include "bench.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum
{
  /* Weights are below this.  */
  WEIGHTS = 10,
  /* Weights taken from one random number, a byte each.  */
  BYTES = 8
};

static const uint64_t seed = 7;

/* ROWS times COLUMNS weights, row by row, of which BLOCK at a time are an iteration.  */
struct grid
{
  long rows, columns, block;
  uint8_t *weight;
};

/* Costs of reaching each column of a row.  FRAME is one longer at both ends, out of reach.  */
struct costs
{
  int *frame, *cost;
};

static void
make_grid (struct grid *g)
{
  long cells = g->rows * g->columns;
  g->weight = bench_allocate (cells, 1);
  for (long i = 0; i < cells; i += BYTES)
    {
      uint64_t bits = bench_random (seed, i);
      for (long n = i; n < i + BYTES && n < cells; n++, bits >>= 8)
	g->weight[n] = (bits & 0xff) % WEIGHTS;
    }
}

static struct costs
new_costs (long columns)
{
  struct costs c = { .frame = bench_allocate (columns + 2, sizeof (int)) };
  c.frame[0] = c.frame[columns + 1] = INT_MAX;
  c.cost = c.frame + 1;
  return c;
}

static inline int
smaller (int a, int b)
{
  return a < b ? a : b;
}

/* The costs of the last row, in *LAST; OTHER is overwritten as well.  */
static void
find_paths (const struct grid *g, struct costs *last, struct costs *other)
{
  long columns = g->columns;
  for (long j = 0; j < columns; j++)
    last->cost[j] = g->weight[j];

  for (long i = 1; i < g->rows; i++)
    {
      const uint8_t *weight = g->weight + i * columns;
      struct costs above = *last;
      *last = *other;
      *other = above;
      const int *from = above.cost;
      int *to = last->cost;

#pragma omp parallel for
      for (long first = 0; first < columns; first += g->block)
	for (long j = first; j < bench_least (first + g->block, columns); j++)
	  to[j] = weight[j] + smaller (from[j], smaller (from[j - 1], from[j + 1]));
    }
}

/* The same, one after another, in a single row.  */
static void
find_paths_serially (const struct grid *g, int *cost)
{
  memset (cost, 0, g->columns * sizeof *cost);
  for (long i = 0; i < g->rows; i++)
    {
      int left = INT_MAX;
      for (long j = 0; j < g->columns; j++)
	{
	  int here = cost[j], best = here;
	  if (i > 0 && left < best)
	    best = left;
	  if (i > 0 && j + 1 < g->columns && cost[j + 1] < best)
	    best = cost[j + 1];
	  cost[j] = best + g->weight[i * g->columns + j];
	  left = here;
	}
    }
}

int
main (int argc, char **argv)
{
  struct grid g = { .rows = 50, .columns = 1000000, .block = 8192 };
  long repeats = 20;
  bench_options (argc, argv, "Find the cheapest ways through a grid.",
      { "size", &g.columns, 1, 1L << 28, "columns of the grid", NULL },
      { "block", &g.block, 1, 1L << 28, "columns of an iteration of a loop", NULL },
      { "rows", &g.rows, 1, 100000, "rows of the grid", NULL },
      { "repeats", &repeats, 1, 100000, "times the paths are found", NULL });

  make_grid (&g);
  int *expected = bench_allocate (g.columns, sizeof *expected);
  find_paths_serially (&g, expected);

  struct costs last = new_costs (g.columns), other = new_costs (g.columns);
  for (long r = 0; r < repeats; r++)
    {
      bench_start ();
      find_paths (&g, &last, &other);
      bench_stop ();
      bench_verify (memcmp (last.cost, expected, g.columns * sizeof *expected) == 0);
    }
  return bench_result (NULL);
}
