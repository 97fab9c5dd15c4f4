/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stencil on a grid whose rows are distributed over ranks, and in each rank over threads by a
   static loop.  Between steps the initial thread exchanges the rows at the borders:
   MPI_THREAD_FUNNELED.  */

#include "ranks.h"

#include "bench.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static long columns = 1024, rows = 1024, steps = 40, capacity = 1;

/* Steps before the clock starts: the first region makes the threads.  */
enum { WARM_UP = 3 };

/* One step from OLD to NEW, COUNT rows of COLUMNS, whose neighbours lie before and after them.  */
static void
advance (const double *old, double *new, long count)
{
#pragma omp parallel for schedule(static)
  for (long r = 0; r < count; r++)
    {
      const double *row = old + r * columns, *up = row - columns, *down = row + columns;
      double *out = new + r * columns;

      out[0] = row[0];
      out[columns - 1] = row[columns - 1];
      for (long c = 1; c < columns - 1; c++)
	{
	  double x = 0.25 * (up[c] + down[c] + row[c - 1] + row[c + 1]);

	  out[c] = sqrt (x * x + 1e-3 * row[c] / (1 + x)) / sqrt (1 + 1e-3 * x);
	}
    }
}

static void
fill (double *grid, long first, long count)
{
  for (long i = 0; i < count * columns; i++)
    grid[i] = bench_uniform (1, first * columns + i);
}

/* A sum that does not depend on who has which row.  */
static uint64_t
checksum (const double *grid, long first, long count)
{
  uint64_t sum = 0, bits;

  for (long i = 0; i < count * columns; i++)
    {
      memcpy (&bits, &grid[i], sizeof bits);
      sum += bits * (2 * (uint64_t) (first * columns + i) + 1);
    }
  return sum;
}

/* Two grids of COUNT rows from FIRST on, each with a row before and after them.  */
struct grids
{
  double *old, *new;
  long first, count;
};

static struct grids
make_grids (long first, long count)
{
  struct grids grids = { .first = first, .count = count };
  double **const grid[] = { &grids.old, &grids.new };

  for (int i = 0; i < 2; i++)
    {
      *grid[i] = (double *) bench_allocate ((count + 2) * columns, sizeof (double)) + columns;
      fill (*grid[i] - (first > 0) * columns, first - (first > 0),
	    count + (first > 0) + (first + count < rows));
    }
  return grids;
}

/* Replace the rows before and after those of GRIDS by what the neighbours have.  ROOM is for four
   messages.  */
static void
exchange (struct ranks *ranks, struct grids *grids, double *const *room)
{
  struct message send[2], receive[2];
  double *to[2];
  int n = 0;

  for (int side = 0; side < 2; side++)
    {
      int other = ranks->rank + (side == 0 ? -1 : 1);

      if (other < 0 || other >= ranks->size)
	continue;
      send[n] = (struct message) { other, 0, columns, room[n] };
      receive[n] = (struct message) { other, 0, columns, room[2 + n] };
      memcpy (room[n], grids->old + (side == 0 ? 0 : grids->count - 1) * columns,
	      columns * sizeof (double));
      to[n++] = grids->old + (side == 0 ? -1 : grids->count) * columns;
    }
  ranks_exchange (ranks, n, send, n, receive);
  for (int i = 0; i < n; i++)
    memcpy (to[i], receive[i].data, columns * sizeof (double));
}

static void
swap (struct grids *grids)
{
  double *new = grids->new;

  grids->new = grids->old;
  grids->old = new;
}

/* The checksum after all steps, by this rank alone.  */
static uint64_t
expected (void)
{
  /* The first and the last row have no neighbour and stay as they are.  */
  struct grids grids = make_grids (0, rows);
  int threads = omp_get_max_threads ();

  omp_set_num_threads (1);
  for (long step = 0; step < WARM_UP + steps; step++)
    {
      advance (grids.old + columns, grids.new + columns, rows - 2);
      swap (&grids);
    }
  omp_set_num_threads (threads);
  return checksum (grids.old, 0, rows);
}

int
main (int argc, char **argv)
{
  struct ranks ranks;
  double *room[4];
  long before = 0, all = 0;

  ranks_start (&ranks, &argc, &argv);
  bench_options (argc, argv, "Run a stencil whose rows are distributed over MPI ranks.",
      { "columns", &columns, 3, 1 << 20, "columns of the grid", NULL },
      { "rows", &rows, 3, 1 << 20, "rows of the grid", NULL },
      { "steps", &steps, 1, 1 << 20, "steps that are timed", NULL },
      { "capacity", &capacity, 1, 1 << 20, "of this rank: rows are distributed by it", NULL });
  long *table = bench_allocate (ranks.size, sizeof *table);
  ranks_gather (capacity, table);
  for (int i = 0; i < ranks.size; i++)
    {
      before += i < ranks.rank ? table[i] : 0;
      all += table[i];
    }
  for (int i = 0; i < 4; i++)
    room[i] = bench_allocate (columns + 1, sizeof (double));
  long first = rows * before / all, end = rows * (before + capacity) / all;
  if (end - first < 2)
    {
      fprintf (stderr, "stencil: --rows=%ld: rank %d of %d gets less than two; nothing was run\n",
	       rows, ranks.rank, ranks.size);
      MPI_Abort (MPI_COMM_WORLD, 2);
    }
  struct grids grids = make_grids (first, end - first);
  /* The outermost rows are not computed.  */
  long skip = ranks.rank == 0, last = ranks.rank == ranks.size - 1;

  for (long step = 0; step < WARM_UP + steps; step++)
    {
      if (step == WARM_UP)
	ranks_reset_clock (&ranks);
      advance (grids.old + skip * columns, grids.new + skip * columns, grids.count - skip - last);
      swap (&grids);
      exchange (&ranks, &grids, room);
    }
  double seconds = ranks_read_clock (&ranks);

  return ranks_end (&ranks, seconds, checksum (grids.old, grids.first, grids.count), expected);
}
