/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the video of a heart: tissue with a texture, which shrinks and grows as it beats.  */

#include "heart.h"
#include "bench.h"

#include <math.h>

enum
{
  SEED = 2009,
  INNER_RADIUS = 45,
  OUTER_RADIUS = 80,
  /* Frames of a heartbeat.  */
  PERIOD = 20,
  NOISE = 6
};

static const double pi = 3.14159265358979323846;

/* How large the heart is in a frame, of its size in the first one.  */
static double
scale (long frame)
{
  double s = sin (pi * frame / PERIOD);
  return 1 - 0.15 * s * s;
}

void
heart_point (long i, long points, long frame, double *x, double *y)
{
  /* In Rodinia's video there are 20 points on the inner wall and 31 on the outer one.  */
  long inner = points * 20 / 51;
  double turn = i < inner ? (double) i / inner : (double) (i - inner) / (points - inner);
  double radius = (i < inner ? INNER_RADIUS : OUTER_RADIUS) * scale (frame);
  *x = HEART_SIDE / 2 + radius * cos (2 * pi * turn);
  *y = HEART_SIDE / 2 + radius * sin (2 * pi * turn);
}

/* Random values from 0 to 1 on a grid of SPACING, and between its points a smooth surface.  */
static double
texture (double x, double y, double spacing, uint64_t seed)
{
  double column = floor (x / spacing), row = floor (y / spacing);
  double right = x / spacing - column, down = y / spacing - row;
  double value = 0;
  for (int dy = 0; dy < 2; dy++)
    for (int dx = 0; dx < 2; dx++)
      {
	uint64_t place = (uint64_t) (row + dy + 4096) * 8192 + (uint64_t) (column + dx + 4096);
	value += bench_uniform (seed, place) * (dx ? right : 1 - right) * (dy ? down : 1 - down);
      }
  return value;
}

uint8_t *
heart_video (long frames)
{
  uint8_t *pixels = bench_allocate (frames * HEART_SIDE * HEART_SIDE, 1);
  long i = 0;
  for (long frame = 0; frame < frames; frame++)
    for (long row = 0; row < HEART_SIDE; row++)
      for (long column = 0; column < HEART_SIDE; column++, i++)
	{
	  /* The place in the tissue as it is in the first frame.  */
	  double x = (column - HEART_SIDE / 2) / scale (frame);
	  double y = (row - HEART_SIDE / 2) / scale (frame);
	  double radius = hypot (x, y);
	  double muscle = radius > INNER_RADIUS && radius < OUTER_RADIUS ? 60 : 0;
	  double grain = 60 * texture (x, y, 9, SEED) + 60 * texture (x, y, 4, SEED + 1);
	  double noise = NOISE * (2 * bench_uniform (SEED + 2, i) - 1);
	  pixels[i] = 20 + muscle + grain + noise;
	}
  return pixels;
}
