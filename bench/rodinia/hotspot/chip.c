/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chip of chip.h.  */

#include "chip.h"
#include "bench.h"

#include <math.h>
#include <string.h>

/* In metres: the chip's edge and how thick it is.  */
static const double edge = 0.016, thickness = 0.0005;

/* Of silicon, J/(m^3 K) and W/(m K); the part of the volume that takes part.  */
static const double specific_heat = 1.75e6, conductivity = 100, factor = 0.5;

/* The most that the circuits use, W/m^2, and what of it a step may warm a cell by, in kelvin.  */
static const double power_density = 3e6, precision = 0.001;

/* In kelvin: the coolest and the warmest cell in the beginning.  */
static const double coolest = 323, warmest = 343;

static const double tolerance = 1e-9;
static const uint64_t seed_temperature = 1, seed_power = 2;

/* The cell of a net of ROWS by COLUMNS by LAYERS.  Nothing overshoots: a cell keeps at least half
   of its temperature in a step.  */
static struct chip_cell
make_cell (long rows, long columns, long layers)
{
  double width = edge / columns, height = edge / rows, depth = thickness / layers;
  double capacity = factor * specific_heat * width * height * depth;
  double x = 2 * conductivity * depth * height / width;
  double y = 2 * conductivity * depth * width / height;
  double z = conductivity * width * height / depth;
  double power = power_density * width * height / layers;
  double step = fmin (precision * capacity / power, capacity / (2 * (2 * x + 2 * y + 3 * z)));

  return (struct chip_cell){ x * step / capacity, y * step / capacity, z * step / capacity,
			     power * step / capacity };
}

static void
make_chip (struct chip *c, long cells)
{
  c->cell = make_cell (c->size, c->size, c->layers);
  c->power = bench_allocate (cells, sizeof (double));
  c->first = bench_allocate (cells, sizeof (double));
  for (long i = 0; i < cells; i++)
    {
      c->power[i] = c->cell.power * bench_uniform (seed_power, i);
      c->first[i] = coolest + (warmest - coolest) * bench_uniform (seed_temperature, i);
    }
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
chip_compare (struct chip *c, long steps, long repeats,
	      void (*simulate) (const struct chip *, long steps, double **, double **),
	      void (*serially) (const struct chip *, long steps, double *))
{
  long cells = c->size * c->size * c->layers;
  make_chip (c, cells);
  double *expected = bench_allocate (cells, sizeof *expected);
  double *t = bench_allocate (cells, sizeof *t), *other = bench_allocate (cells, sizeof *other);
  memcpy (expected, c->first, cells * sizeof *expected);
  serially (c, steps, expected);

  for (long r = 0; r < repeats; r++)
    {
      memcpy (t, c->first, cells * sizeof *t);
      bench_start ();
      simulate (c, steps, &t, &other);
      bench_stop ();
      bench_verify (same (t, expected, cells));
    }
  return bench_result (NULL);
}
