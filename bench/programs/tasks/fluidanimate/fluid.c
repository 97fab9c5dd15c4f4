/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done to one tile of the fluid.  */

#include "fluid.h"

#include "bench.h"

#include <stdlib.h>

enum
{
  /* Columns of cells next to one, and itself.  */
  COLUMNS_AROUND = 9
};

/* Particles next to each other in memory, and their densities.  */
struct run
{
  const struct particle *particle;
  const double *density;
  long count;
};

static long
cells_of (const struct fluid *f, const struct tile *t)
{
  return (t->high[X] - t->low[X]) * (t->high[Z] - t->low[Z]) * f->size[Y];
}

/* The lowest cell of column X, Z of tile T.  */
static long
column_of (const struct fluid *f, const struct tile *t, long x, long z)
{
  return ((x - t->low[X]) * (t->high[Z] - t->low[Z]) + z - t->low[Z]) * f->size[Y];
}

static struct tile *
tile_at (const struct fluid *f, long x, long z)
{
  return &f->tile[x / f->edge * f->deep + z / f->edge];
}

void
fluid_cut (struct fluid *f)
{
  f->across = (f->size[X] + f->edge - 1) / f->edge;
  f->deep = (f->size[Z] + f->edge - 1) / f->edge;
  f->tile = bench_allocate (f->across * f->deep, sizeof *f->tile);
  for (long x = 0; x < f->size[X]; x += f->edge)
    for (long z = 0; z < f->size[Z]; z += f->edge)
      {
	struct tile *t = tile_at (f, x, z);
	t->low[X] = x;
	t->low[Z] = z;
	t->high[X] = f->size[X] - x < f->edge ? f->size[X] : x + f->edge;
	t->high[Z] = f->size[Z] - z < f->edge ? f->size[Z] : z + f->edge;
	/* One cell more than there are, and one for counting.  */
	for (int g = 0; g < 2; g++)
	  t->generation[g].start = bench_allocate (cells_of (f, t) + 2, sizeof (long));
      }
}

long
tile_cell (const struct fluid *f, const struct tile *t, const struct particle *p)
{
  long x = (long) p->position[X], y = (long) p->position[Y], z = (long) p->position[Z];
  if (x < t->low[X] || x >= t->high[X] || z < t->low[Z] || z >= t->high[Z])
    return -1;
  return column_of (f, t, x, z) + y;
}

/* The three steps of sorting particles into the cells of a generation: count those that belong to
   cell C in START[C + 2], after emptying them all; sum up, and make room; and place each.  Then
   START[C + 1] has become the end of cell C.  */
static void
count_particles (const struct fluid *f, struct tile *t, int g, const struct particle *particle,
		 long count)
{
  long *counts = t->generation[g].start + 2;
  for (long i = 0; i < count; i++)
    {
      long cell = tile_cell (f, t, &particle[i]);
      if (cell >= 0)
	counts[cell]++;
    }
}

static void
make_room (const struct fluid *f, struct tile *t, int g)
{
  struct generation *of = &t->generation[g];
  long cells = cells_of (f, t);
  for (long c = 0; c < cells; c++)
    of->start[c + 2] += of->start[c + 1];
  of->count = of->start[cells + 1];
  if (of->count <= of->room)
    return;

  free (of->particle);
  free (of->moved);
  free (of->density);
  of->room = of->count + of->count / 2;
  of->particle = bench_allocate (of->room, sizeof *of->particle);
  of->moved = bench_allocate (of->room, sizeof *of->moved);
  of->density = bench_allocate (of->room, sizeof *of->density);
}

static void
place_particles (const struct fluid *f, struct tile *t, int g, const struct particle *particle,
		 long count)
{
  struct generation *of = &t->generation[g];
  for (long i = 0; i < count; i++)
    {
      long cell = tile_cell (f, t, &particle[i]);
      if (cell >= 0)
	of->particle[of->start[cell + 1]++] = particle[i];
    }
}

/* Sort every cell's particles by their numbers.  Few are not in that order already.  */
static void
order_cells (const struct fluid *f, struct tile *t, int g)
{
  struct generation *of = &t->generation[g];
  long cells = cells_of (f, t);
  for (long c = 0; c < cells; c++)
    for (long i = of->start[c] + 1; i < of->start[c + 1]; i++)
      {
	struct particle p = of->particle[i];
	long place = i;
	for (; place > of->start[c] && of->particle[place - 1].number > p.number; place--)
	  of->particle[place] = of->particle[place - 1];
	of->particle[place] = p;
      }
}

void
fluid_fill (struct fluid *f, const struct particle *particle, long count)
{
  for (long t = 0; t < f->across * f->deep; t++)
    {
      count_particles (f, &f->tile[t], 0, particle, count);
      make_room (f, &f->tile[t], 0);
      place_particles (f, &f->tile[t], 0, particle, count);
    }
}

/* What lies in cells LOW up to HIGH - 1 of column X, Z.  */
static struct run
run_of (const struct fluid *f, int g, long x, long z, long low, long high)
{
  const struct tile *t = tile_at (f, x, z);
  const struct generation *of = &t->generation[g];
  const long *start = of->start + column_of (f, t, x, z);
  long first = start[low];
  return (struct run){ of->particle + first, of->density + first, start[high] - first };
}

/* Store in RUNS what lies in the cell at X, Y, Z and the ones around it, and return how many runs
   that makes.  */
static int
find_neighbours (const struct fluid *f, int g, long x, long y, long z, struct run *runs)
{
  int count = 0;
  long low = y > 0 ? y - 1 : 0, high = y + 2 < f->size[Y] ? y + 2 : f->size[Y];
  for (long nx = x - 1; nx <= x + 1; nx++)
    for (long nz = z - 1; nz <= z + 1; nz++)
      if (nx >= 0 && nx < f->size[X] && nz >= 0 && nz < f->size[Z])
	runs[count++] = run_of (f, g, nx, nz, low, high);
  return count;
}

/* Of the particles from FIRST up to LAST - 1 of a generation.  */
static void
weigh_cell (struct generation *of, long first, long last, const struct run *runs, int count)
{
  for (long i = first; i < last; i++)
    {
      double sum = 0;
      for (int r = 0; r < count; r++)
	for (long j = 0; j < runs[r].count; j++)
	  {
	    double squared = squared_distance (&of->particle[i], &runs[r].particle[j]);
	    if (squared < 1)
	      sum += sph_nearness (squared);
	  }
      of->density[i] = sph_density_factor * sum;
    }
}

static void
move_cell (const struct fluid *f, struct generation *of, long first, long last,
	   const struct run *runs, int count)
{
  for (long i = first; i < last; i++)
    {
      double acceleration[DIMENSIONS] = { 0 };
      for (int r = 0; r < count; r++)
	for (long j = 0; j < runs[r].count; j++)
	  sph_push (&of->particle[i], of->density[i], &runs[r].particle[j], runs[r].density[j],
		    acceleration);
      of->moved[i] = of->particle[i];
      sph_advance (&of->moved[i], acceleration, f->size);
    }
}

/* Weigh or, if MOVES, move the particles of a tile.  */
static void
visit_cells (struct fluid *f, long place, int g, int moves)
{
  struct tile *t = &f->tile[place];
  struct generation *of = &t->generation[g];
  for (long x = t->low[X]; x < t->high[X]; x++)
    for (long z = t->low[Z]; z < t->high[Z]; z++)
      for (long y = 0; y < f->size[Y]; y++)
	{
	  const long *start = of->start + column_of (f, t, x, z) + y;
	  if (start[0] == start[1])
	    continue;
	  struct run runs[COLUMNS_AROUND];
	  int count = find_neighbours (f, g, x, y, z, runs);
	  if (moves)
	    move_cell (f, of, start[0], start[1], runs, count);
	  else
	    weigh_cell (of, start[0], start[1], runs, count);
	}
}

void
tile_weigh (struct fluid *f, long t, int g)
{
  visit_cells (f, t, g, 0);
}

void
tile_move (struct fluid *f, long t, int g)
{
  visit_cells (f, t, g, 1);
}

/* Count or, if PLACES, place what comes from the tile's columns and the ones around them.  */
static void
fetch (struct fluid *f, struct tile *t, int g, int places)
{
  long x_end = t->high[X] < f->size[X] ? t->high[X] + 1 : f->size[X];
  long z_end = t->high[Z] < f->size[Z] ? t->high[Z] + 1 : f->size[Z];
  for (long x = t->low[X] > 0 ? t->low[X] - 1 : 0; x < x_end; x++)
    for (long z = t->low[Z] > 0 ? t->low[Z] - 1 : 0; z < z_end; z++)
      {
	const struct tile *from = tile_at (f, x, z);
	const struct generation *of = &from->generation[g];
	const long *start = of->start + column_of (f, from, x, z);
	const struct particle *moved = of->moved + start[0];
	long count = start[f->size[Y]] - start[0];
	if (places)
	  place_particles (f, t, 1 - g, moved, count);
	else
	  count_particles (f, t, 1 - g, moved, count);
      }
}

void
tile_rebuild (struct fluid *f, long place, int g)
{
  struct tile *t = &f->tile[place];
  long *start = t->generation[1 - g].start, cells = cells_of (f, t);
  for (long c = 0; c < cells + 2; c++)
    start[c] = 0;
  fetch (f, t, g, 0);
  make_room (f, t, 1 - g);
  fetch (f, t, g, 1);
  order_cells (f, t, 1 - g);
}
