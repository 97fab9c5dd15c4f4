/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot3D of the Rodinia suite: how the temperatures of a chip of several layers change, by a
   stencil of seven points, in many short steps, each a loop over blocks of rows of all planes.

   Source: ../hotspot/chip.h; Che et al., "Rodinia", IISWC 2009.

   Verified by the temperature of every cell, to 1e-9 kelvin, against a serial simulation; a step
   changes most of them by far more.  */

#include "../hotspot/chip.h"
#include "bench.h"

#include <stdlib.h>

/* One step of a row.  No heat leaves by an edge, as if the neighbour there were as warm; all layers
   lose some to the ambience.  */
static inline void
step_row (const struct chip *c, long plane, long row, const double *before, double *after)
{
  long size = c->size, area = size * size, last = size - 1, offset = plane * area + row * size;
  const double *here = before + offset, *power = c->power + offset;
  const double *north = row > 0 ? here - size : here, *south = row < last ? here + size : here;
  const double *below = plane > 0 ? here - area : here;
  const double *above = plane < c->layers - 1 ? here + area : here;
  double x = c->cell.x, y = c->cell.y, z = c->cell.z, kept = 1 - 2 * x - 2 * y - 3 * z;
  double *to = after + offset;

  for (long j = 1; j < last; j++)
    to[j] = kept * here[j] + x * (here[j - 1] + here[j + 1]) + y * (north[j] + south[j])
	    + z * (below[j] + above[j] + chip_ambience) + power[j];
  for (long j = 0; j < size; j += last)
    to[j] = kept * here[j] + x * (here[j > 0 ? j - 1 : j] + here[j < last ? j + 1 : j])
	    + y * (north[j] + south[j]) + z * (below[j] + above[j] + chip_ambience) + power[j];
}

/* Take STEPS steps with two buffers, of which *T has the temperatures before and after.  */
static void
simulate (const struct chip *c, long steps, double **t, double **other)
{
  for (long s = 0; s < steps; s++)
    {
      const double *before = *t;
      double *after = *other;

#pragma omp parallel for collapse(2)
      for (long plane = 0; plane < c->layers; plane++)
	for (long first = 0; first < c->size; first += c->block)
	  for (long row = first; row < bench_least (first + c->block, c->size); row++)
	    step_row (c, plane, row, before, after);

      *other = *t;
      *t = after;
    }
}

/* The gains of COUNT cells by the share PART of the difference to the cells APART from them.  */
static void
flow (double *restrict gain, const double *t, long count, long apart, double part)
{
  for (long i = 0; i < count; i++)
    gain[i] += part * (t[i + apart] - t[i]);
}

/* The same, one flow of heat after another.  */
static void
simulate_serially (const struct chip *c, long steps, double *t)
{
  long n = c->size, area = n * n, rows = n * c->layers, cells = n * rows;
  struct chip_cell cell = c->cell;
  double *gain = bench_allocate (cells, sizeof *gain);

  for (long s = 0; s < steps; s++)
    {
      for (long r = 0; r < rows; r++)
	{
	  double *to = gain + r * n;
	  const double *from = t + r * n;
	  for (long j = 0; j < n; j++)
	    to[j] = c->power[r * n + j] + cell.z * (chip_ambience - from[j]);
	  flow (to + 1, from + 1, n - 1, -1, cell.x);
	  flow (to, from, n - 1, 1, cell.x);
	  if (r % n > 0)
	    flow (to, from, n, -n, cell.y);
	  if (r % n < n - 1)
	    flow (to, from, n, n, cell.y);
	  if (r >= n)
	    flow (to, from, n, -area, cell.z);
	  if (r < rows - n)
	    flow (to, from, n, area, cell.z);
	}
      for (long i = 0; i < cells; i++)
	t[i] += gain[i];
    }
  free (gain);
}

int
main (int argc, char **argv)
{
  struct chip c = { .size = 512, .layers = 8, .block = 4 };
  long steps = 50, repeats = 2;
  bench_options (argc, argv, "Simulate the temperatures of a chip of several layers.",
      { "size", &c.size, 2, 1L << 14, "rows and columns of a layer", NULL },
      { "block", &c.block, 1, 1L << 14, "rows of an iteration of a loop", NULL },
      { "layers", &c.layers, 1, 100, "layers of the chip", NULL },
      { "steps", &steps, 1, 1000000, "steps of a simulation", NULL },
      { "repeats", &repeats, 1, 100000, "simulations, each from the beginning", NULL });

  return chip_compare (&c, steps, repeats, simulate, simulate_serially);
}
