/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a synthetic microscope's video of blood cells.  */

#include "bench.h"
#include "leukocyte.h"

#include <math.h>

enum
{
  SEED = 2005,
  /* Every cell has a square of its own, and circles about its middle with this radius.  */
  PITCH = 44,
  ORBIT = 5,
  DARK = 90,
  BRIGHT = 160,
  NOISE = 5,
  /* Random numbers of a cell.  */
  DRAWS = 5
};

static const double two_pi = 6.28318530717958647692;

/* Random number D of a cell.  */
static double
draw (long cell, int d)
{
  return bench_uniform (SEED, DRAWS * cell + d);
}

/* How many cells there are in a row.  */
static long
cells_across (const struct video *v)
{
  return v->side / PITCH;
}

void
blood_centre (const struct video *v, long cell, long frame, double *x, double *y)
{
  double angle = two_pi * draw (cell, 0) + 0.3 * (2 * draw (cell, 1) - 1) * frame;
  *x = PITCH * (cell % cells_across (v) + 0.5) + ORBIT * cos (angle);
  *y = PITCH * (cell / cells_across (v) + 0.5) + ORBIT * sin (angle);
}

/* Add a cell, an ellipse with a soft edge, to a frame.  */
static void
paint (const struct video *v, long cell, long frame)
{
  double x, y;
  blood_centre (v, cell, frame, &x, &y);
  /* Most cells are small.  */
  double size = draw (cell, 2);
  double radius = LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * size * size;
  double stretch = 1 + 0.15 * draw (cell, 3), angle = two_pi * draw (cell, 4);

  long left = x - PITCH / 2, top = y - PITCH / 2;
  for (long row = top; row < top + PITCH; row++)
    for (long column = left; column < left + PITCH; column++)
      {
	if (row < 0 || row >= v->side || column < 0 || column >= v->side)
	  continue;
	double along = (column - x) * cos (angle) + (row - y) * sin (angle);
	double across = (row - y) * cos (angle) - (column - x) * sin (angle);
	double inside = radius - hypot (along / stretch, across * stretch);
	v->pixels[(frame * v->side + row) * v->side + column]
	  += (BRIGHT - DARK) / (1 + exp (-inside));
      }
}

struct video
blood_make (long cells, long frames)
{
  struct video v = { .cells = cells, .frames = frames };
  v.side = PITCH * (long) ceil (sqrt (cells));
  long points = frames * v.side * v.side;
  v.pixels = bench_allocate (points, sizeof *v.pixels);
  for (long i = 0; i < points; i++)
    v.pixels[i] = DARK + NOISE * (2 * bench_uniform (SEED + 1, i) - 1);
  for (long frame = 0; frame < frames; frame++)
    for (long cell = 0; cell < cells; cell++)
      paint (&v, cell, frame);
  return v;
}
