/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot3D of the Rodinia suite: how the temperatures of a chip of several layers change, by a
   stencil of seven points, in many short steps, each a loop over blocks of rows of all planes.

   Source: ../hotspot/chip.h; Che et al., "Rodinia", IISWC 2009.

   Verified by the temperature of every cell, to 1e-9 kelvin, against a serial simulation; a step
   changes most of them by far more.  */

#include "../hotspot/chip.h"
#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-9;
static const uint64_t seed_temperature = 1, seed_power = 2;

/* LAYERS planes of SIZE rows and columns.  POWER is what the circuits of each cell warm it by in a
   step, FIRST are the temperatures in the beginning.  BLOCK rows are an iteration of a loop.  */
struct chip
{
  long size, layers, block;
  struct chip_cell cell;
  double *power, *first;
};

static void
make_chip (struct chip *c)
{
  long cells = c->size * c->size * c->layers;
  c->cell = chip_make_cell (c->size, c->size, c->layers);
  c->power = bench_allocate (cells, sizeof (double));
  c->first = bench_allocate (cells, sizeof (double));
  for (long i = 0; i < cells; i++)
    {
      c->power[i] = c->cell.power * bench_uniform (seed_power, i);
      c->first[i]
	= chip_coolest + (chip_warmest - chip_coolest) * bench_uniform (seed_temperature, i);
    }
}

static inline long
least (long a, long b)
{
  return a < b ? a : b;
}

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
	  for (long row = first; row < least (first + c->block, c->size); row++)
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

static int
same (const double *a, const double *b, long cells)
{
  for (long i = 0; i < cells; i++)
    if (!(fabs (a[i] - b[i]) <= tolerance))
      return 0;
  return 1;
}

int
main (int argc, char **argv)
{
  struct chip c = { .size = 512, .layers = 8, .block = 4 };
  long steps = 50, repeats = 2;
  const struct bench_option options[]
    = { { "size", &c.size, 2, 1L << 14, "rows and columns of a layer", NULL },
	{ "block", &c.block, 1, 1L << 14, "rows of an iteration of a loop", NULL },
	{ "layers", &c.layers, 1, 100, "layers of the chip", NULL },
	{ "steps", &steps, 1, 1000000, "steps of a simulation", NULL },
	{ "repeats", &repeats, 1, 100000, "simulations, each from the beginning", NULL },
	{ 0 } };
  bench_options (argc, argv, "Simulate the temperatures of a chip of several layers.", options);

  make_chip (&c);
  long cells = c.size * c.size * c.layers;
  double *expected = bench_allocate (cells, sizeof *expected);
  double *t = bench_allocate (cells, sizeof *t), *other = bench_allocate (cells, sizeof *other);
  memcpy (expected, c.first, cells * sizeof *expected);
  simulate_serially (&c, steps, expected);

  int verified = 1;
  double seconds = 0;
  for (long r = 0; r < repeats; r++)
    {
      memcpy (t, c.first, cells * sizeof *t);
      double start = bench_now ();
      simulate (&c, steps, &t, &other);
      seconds += bench_now () - start;
      verified = same (t, expected, cells) && verified;
    }
  return bench_result (seconds, verified, NULL);
}
