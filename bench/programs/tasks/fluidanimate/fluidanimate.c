/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fluidanimate after PARSEC's: a column of water breaks onto a shallow layer of it, by
   smoothed-particle hydrodynamics in a grid of cells.  Tiles of columns of cells go through three
   stages a step: densities; forces and motion; and the next grid.  With tasks, a stage of a tile
   waits for the stages before of the tiles around it, so that steps overlap, and with loops for
   those of all tiles.  Tiles where the column stands cost several times what others do.

   Sources: Mueller, Charypar, Gross, "Particle-Based Fluid Simulation for Interactive
   Applications", SCA 2003; the shape of the program: Bienia et al., "The PARSEC Benchmark Suite",
   PACT 2008; that of the tasks: Chasapis et al., "PARSECSs: Evaluating the Impact of Task
   Parallelism in the PARSEC Benchmark Suite", ACM TACO 2016.

   Verified by a serial run without tiles, which leaves every particle at the same place to the last
   bit, with the same velocity and density; every particle has to be in one cell, which its position
   is in.  That run in turn is held against sums over all particles, to 1e-12, and has to conserve
   momentum, to 1e-12 of all accelerations.  */

#include "fluid.h"
#include "reference.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  SEED = 2003
};

/* What is asked for: the cells of the box, how many of its length the column takes, and how
   many of its height the column and the layer take.  */
struct flood
{
  long size[DIMENSIONS], steps, column, high, low;
};

/* How high the water is at X, a place in cells.  */
static double
height_at (const struct flood *a, double x)
{
  return x < a->column ? a->high : a->low;
}

/* Store the particles at the start in PARTICLE, unless it is null.  Returns how many there are.  */
static long
make_particles (const struct flood *a, struct particle *particle)
{
  long count = 0;
  for (double x = spacing / 2; x < a->size[X]; x += spacing)
    for (double z = spacing / 2; z < a->size[Z]; z += spacing)
      for (double y = spacing / 2; y < height_at (a, x); y += spacing, count++)
	if (particle != NULL)
	  {
	    const double place[] = { x, y, z };
	    struct particle *p = &particle[count];
	    p->number = count;
	    for (int k = 0; k < DIMENSIONS; k++)
	      {
		double u = bench_uniform (SEED, DIMENSIONS * (uint64_t) count + k);
		p->position[k] = place[k] + 0.1 * spacing * (u - 0.5);
	      }
	  }
  return count;
}

static void
run_by_loops (struct fluid *f, long steps)
{
  long tiles = f->across * f->deep;
#pragma omp parallel default(none) firstprivate(f, steps, tiles)
  for (long s = 0; s < steps; s++)
    {
      int g = s % 2;
#pragma omp for
      for (long t = 0; t < tiles; t++)
	tile_weigh (f, t, g);
#pragma omp for
      for (long t = 0; t < tiles; t++)
	tile_move (f, t, g);
#pragma omp for
      for (long t = 0; t < tiles; t++)
	tile_rebuild (f, t, g);
    }
}

/* Around place I of COUNT in a row: from place BEFORE up to AFTER - 1.  */
static long
before (long i)
{
  return i > 0 ? i - 1 : 0;
}

static long
after (long i, long count)
{
  return i + 1 < count ? i + 2 : count;
}

/* What stands for the outcome of a tile's stages in a step; REBUILT is the grid that the step
   starts with.  Nothing is stored there, only the addresses count.  Every step has its own because
   libgomp, given a task that reads, goes through all unfinished ones that read the same.  */
struct tokens
{
  char rebuilt, weighed, moved;
};

/* The tasks of a stage wait only for what they read: the stages between have waited for the tasks
   that read what these write over.  */
static void
run_by_tasks (struct fluid *f, long steps)
{
  long across = f->across, deep = f->deep, tiles = across * deep;
  struct tokens *token = bench_allocate ((steps + 1) * tiles, sizeof *token);
#pragma omp parallel default(none) firstprivate(f, token, steps, across, deep, tiles)
#pragma omp single
  for (long s = 0; s < steps; s++)
    for (int stage = 0; stage < 3; stage++)
      for (long x = 0; x < across; x++)
	for (long z = 0; z < deep; z++)
	  {
	    long t = x * deep + z;
	    int g = s % 2;
	    const struct tokens *now = token + s * tiles, *next = now + tiles;
	    if (stage == 0)
	      {
#pragma omp task default(none) firstprivate(f, t, g) depend(out : now[t].weighed) \
  depend(iterator(long i = before (x) : after (x, across),                        \
		  long j = before (z) : after (z, deep)),                         \
	 in : now[i * deep + j].rebuilt)
		tile_weigh (f, t, g);
	      }
	    else if (stage == 1)
	      {
#pragma omp task default(none) firstprivate(f, t, g) depend(out : now[t].moved) \
  depend(iterator(long i = before (x) : after (x, across),                      \
		  long j = before (z) : after (z, deep)),                       \
	 in : now[i * deep + j].weighed)
		tile_move (f, t, g);
	      }
	    else
	      {
#pragma omp task default(none) firstprivate(f, t, g) depend(out : next[t].rebuilt) \
  depend(iterator(long i = before (x) : after (x, across),                         \
		  long j = before (z) : after (z, deep)),                          \
	 in : now[i * deep + j].moved)
		tile_rebuild (f, t, g);
	      }
	  }
  free (token);
}

/* Whether each of COUNT particles is once in F, after STEPS steps, in the cell that it lies in, and
   is equal to REFERENCE; and whether the last step's densities are DENSITY.  */
static int
verify (const struct fluid *f, long steps, const struct particle *reference, const double *density,
	long count)
{
  long left = count, weighed = count;
  char *seen = bench_allocate (count, sizeof *seen);
  int verified = 1;
  for (long t = 0; t < f->across * f->deep; t++)
    {
      const struct generation *of = &f->tile[t].generation[steps % 2];
      const struct generation *last = &f->tile[t].generation[1 - steps % 2];
      for (long i = 0; i < of->count; i++, left--)
	{
	  const struct particle *p = &of->particle[i];
	  long cell = tile_cell (f, &f->tile[t], p);
	  verified = verified && cell >= 0 && i >= of->start[cell] && i < of->start[cell + 1]
		     && p->number >= 0 && p->number < count && !seen[p->number]++
		     && memcmp (p, &reference[p->number], sizeof *p) == 0;
	}
      for (long i = 0; i < last->count; i++, weighed--)
	verified = verified && last->density[i] == density[last->particle[i].number];
    }
  free (seen);
  return verified && left == 0 && weighed == 0;
}

int
main (int argc, char **argv)
{
  struct flood a = { .size = { 32, 10, 12 }, .steps = 60, .column = 10, .high = 8, .low = 2 };
  struct fluid f = { .edge = 3 };
  long with = BENCH_TASKS;
  bench_options (argc, argv, "Let a column of water break.",
      { "length", &a.size[X], 1, 1024, "cells of the box", NULL },
      { "height", &a.size[Y], 1, 64, "cells of the box", NULL },
      { "depth", &a.size[Z], 1, 1024, "cells of the box", NULL },
      { "column", &a.column, 0, 1024, "cells of the length that the column takes", NULL },
      { "high", &a.high, 1, 64, "cells of the height that the column takes", NULL },
      { "low", &a.low, 1, 64, "cells of the height that the layer takes", NULL },
      { "tile", &f.edge, 1, 1024, "cells of a tile, each way", NULL },
      { "steps", &a.steps, 1, 100000, "steps of time", NULL },
      { "with", &with, 0, 0, "what shares the work out", bench_ways });
  if (a.high > a.size[Y] || a.low > a.size[Y])
    bench_refuse ("--high=%ld, --low=%ld: must be at most --height=%ld", a.high, a.low, a.size[Y]);

  long count = make_particles (&a, NULL);
  struct particle *particle = bench_allocate (count, sizeof *particle);
  double *density = bench_allocate (count, sizeof *density);
  make_particles (&a, particle);
  memcpy (f.size, a.size, sizeof f.size);
  fluid_cut (&f);
  fluid_fill (&f, particle, count);

  bench_start ();
  if (with == BENCH_TASKS)
    run_by_tasks (&f, a.steps);
  else
    run_by_loops (&f, a.steps);
  bench_stop ();

  bench_verify (reference_run (f.size, particle, density, count, a.steps)
		 && verify (&f, a.steps, particle, density, count));
  char extra[64];
  snprintf (extra, sizeof extra, "particles=%ld", count);
  return bench_result (extra);
}
