/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat in a ring of blocks, each with cells of its own and copies of its neighbours' outermost
   rows: a step copies these, a loop over the ends of blocks, as few as there are threads or
   fewer, and advances all rows of all blocks.

   Verified by every cell, exactly, against one grid without copies.  */

#include "proxy.h"

/* A block has ROWS rows of COLUMNS cells, and a copied one before and after them.  */
struct blocks
{
  long count, rows, columns;
};

static inline double
warmth (long cell)
{
  return 300 + bench_uniform (1, cell);
}

/* Row ROW of BLOCK, which is -1 or ROWS if it is a copy.  */
static inline double *
row_of (const struct blocks *b, double *t, long block, long row)
{
  return t + (block * (b->rows + 2) + row + 1) * b->columns;
}

/* The row after HERE, of which NORTH and SOUTH are the neighbours; columns are a ring, too.  */
static inline void
advance (const double *north, const double *here, const double *south, double *to, long columns)
{
  for (long j = 0; j < columns; j++)
    {
      double west = here[j > 0 ? j - 1 : columns - 1], east = here[j < columns - 1 ? j + 1 : 0];
      to[j] = here[j] + 0.125 * ((north[j] + south[j]) + (west + east) - 4 * here[j]);
    }
}

static void
step (const struct blocks *b, double *t, double *after)
{
#pragma omp parallel for
  for (long end = 0; end < 2 * b->count; end++)
    {
      long block = end / 2, last = end % 2;
      long other = (block + (last ? 1 : b->count - 1)) % b->count;
      double *to = row_of (b, t, block, last ? b->rows : -1);
      const double *from = row_of (b, t, other, last ? 0 : b->rows - 1);
      for (long j = 0; j < b->columns; j++)
	to[j] = from[j];
    }
#pragma omp parallel for collapse(2)
  for (long block = 0; block < b->count; block++)
    for (long row = 0; row < b->rows; row++)
      advance (row_of (b, t, block, row - 1), row_of (b, t, block, row),
	       row_of (b, t, block, row + 1), row_of (b, after, block, row), b->columns);
}

int
main (int argc, char **argv)
{
  struct blocks b = { .count = 3, .rows = 32, .columns = 200 };
  long steps = 400;
  bench_options (argc, argv, "Let heat spread in blocks that copy their neighbours' rows.",
      { "size", &b.columns, 2, 1L << 20, "cells of a row", NULL },
      { "rows", &b.rows, 1, 1L << 20, "rows of a block", NULL },
      { "blocks", &b.count, 1, 1000, "blocks", NULL },
      { "steps", &steps, 1, 1000000, "steps", NULL });

  long rows = b.count * b.rows, cells = rows * b.columns;
  long room = cells + 2 * b.count * b.columns;
  double *t = bench_allocate (room, sizeof *t), *after = bench_allocate (room, sizeof *after);
  double *grid = bench_allocate (cells, sizeof *grid), *next = bench_allocate (cells, sizeof *next);
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < b.columns; j++)
      grid[i * b.columns + j] = row_of (&b, t, i / b.rows, i % b.rows)[j]
	= warmth (i * b.columns + j);

  bench_start ();
  for (long s = 0; s < steps; s++)
    {
      step (&b, t, after);
      double *done = t;
      t = after;
      after = done;
    }
  bench_stop ();

  for (long s = 0; s < steps; s++)
    {
      for (long i = 0; i < rows; i++)
	advance (grid + (i + rows - 1) % rows * b.columns, grid + i * b.columns,
		 grid + (i + 1) % rows * b.columns, next + i * b.columns, b.columns);
      double *done = grid;
      grid = next;
      next = done;
    }
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < b.columns; j++)
      bench_verify (row_of (&b, t, i / b.rows, i % b.rows)[j] == grid[i * b.columns + j]);
  return bench_result (NULL);
}
