/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot of the Rodinia suite: how the temperatures of a chip change, by a stencil of five
   points, in many short steps, each a loop over blocks of rows.

   Source: chip.h; Che et al., "Rodinia", IISWC 2009.

   Verified by the temperature of every cell, to 1e-9 kelvin, against a serial simulation; a step
   changes most of them by far more.  */

#include "bench.h"
#include "chip.h"

#include <stdlib.h>
#include <string.h>

/* What a cell's temperature HERE becomes beside such neighbours.  */
static inline double
step_cell (struct chip_cell c, double here, double west, double east, double north, double south,
	   double power)
{
  return here + power + c.x * (west + east - 2 * here) + c.y * (north + south - 2 * here)
	 + c.z * (chip_ambience - here);
}

/* One step of a row.  No heat leaves by an edge, as if the neighbour there were as warm.  */
static inline void
step_row (const struct chip *c, long row, const double *before, double *after)
{
  struct chip_cell cell = c->cell;
  long size = c->size, last = size - 1;
  const double *here = before + row * size, *power = c->power + row * size;
  const double *north = row > 0 ? here - size : here, *south = row < last ? here + size : here;
  double *to = after + row * size;

  to[0] = step_cell (cell, here[0], here[0], here[1], north[0], south[0], power[0]);
  for (long j = 1; j < last; j++)
    to[j] = step_cell (cell, here[j], here[j - 1], here[j + 1], north[j], south[j], power[j]);
  to[last] = step_cell (cell, here[last], here[last - 1], here[last], north[last], south[last],
			power[last]);
}

/* Take STEPS steps with two buffers, of which *T has the temperatures before and after.  */
static void
simulate (const struct chip *c, long steps, double **t, double **other)
{
  for (long s = 0; s < steps; s++)
    {
      const double *before = *t;
      double *after = *other;

#pragma omp parallel for
      for (long first = 0; first < c->size; first += c->block)
	for (long row = first; row < bench_least (first + c->block, c->size); row++)
	  step_row (c, row, before, after);

      *other = *t;
      *t = after;
    }
}

/* The same, one flow of heat after another, in a frame of cells beyond the edges.  */
static void
simulate_serially (const struct chip *c, long steps, double *t)
{
  long n = c->size, width = n + 2;
  double *frame = bench_allocate (width * width, sizeof *frame);
  double *restrict gain = bench_allocate (n, sizeof *gain);
  double *restrict above = bench_allocate (n, sizeof *above);

  for (long i = 0; i < n; i++)
    memcpy (frame + (i + 1) * width + 1, t + i * n, n * sizeof *t);
  for (long s = 0; s < steps; s++)
    {
      for (long i = 1; i <= n; i++)
	{
	  frame[i * width] = frame[i * width + 1];
	  frame[i * width + n + 1] = frame[i * width + n];
	}
      memcpy (frame, frame + width, width * sizeof *frame);
      memcpy (frame + (n + 1) * width, frame + n * width, width * sizeof *frame);
      memcpy (above, frame + 1, n * sizeof *above);

      for (long i = 0; i < n; i++)
	{
	  double *here = frame + (i + 1) * width + 1;
	  for (long j = 0; j < n; j++)
	    {
	      gain[j] = c->cell.x * (here[j - 1] - here[j]) + c->cell.x * (here[j + 1] - here[j]);
	      gain[j] += c->cell.y * (above[j] - here[j]) + c->cell.y * (here[j + width] - here[j]);
	      gain[j] += c->cell.z * (chip_ambience - here[j]) + c->power[i * n + j];
	    }
	  memcpy (above, here, n * sizeof *above);
	  for (long j = 0; j < n; j++)
	    here[j] += gain[j];
	}
    }
  for (long i = 0; i < n; i++)
    memcpy (t + i * n, frame + (i + 1) * width + 1, n * sizeof *t);
  free (frame);
  free (gain);
  free (above);
}

int
main (int argc, char **argv)
{
  struct chip c = { .size = 1024, .layers = 1, .block = 4 };
  long steps = 300, repeats = 2;
  bench_options (argc, argv, "Simulate the temperatures of a chip.",
      { "size", &c.size, 2, 1L << 15, "rows and columns of the chip", NULL },
      { "block", &c.block, 1, 1L << 15, "rows of an iteration of a loop", NULL },
      { "steps", &steps, 1, 1000000, "steps of a simulation", NULL },
      { "repeats", &repeats, 1, 100000, "simulations, each from the beginning", NULL });

  return chip_compare (&c, steps, repeats, simulate, simulate_serially);
}
