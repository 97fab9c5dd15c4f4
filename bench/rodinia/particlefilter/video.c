/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the synthetic video, and says how likely the disc is where.

   Source: Goodrum et al., "Parallelization of Particle Filter Algorithms", EAMA 2010.  */

#include "video.h"
#include "bench.h"

#include <math.h>

enum
{
  SEED = 2010,
  /* Room around the disc's way.  */
  MARGIN = 16
};

void
video_normals (uint64_t seed, uint64_t n, double normals[2])
{
  static const double two_pi = 6.28318530717958647692;
  double radius = sqrt (-2 * log (1 - bench_uniform (seed, 2 * n)));
  double angle = two_pi * bench_uniform (seed, 2 * n + 1);
  normals[0] = radius * cos (angle);
  normals[1] = radius * sin (angle);
}

double
video_disc_x (const struct video *v, long frame)
{
  return v->side / 2 + frame * DRIFT_X;
}

double
video_disc_y (const struct video *v, long frame)
{
  return v->side / 2 + frame * DRIFT_Y;
}

struct video
video_make (long frames)
{
  /* The disc begins in the middle and moves by at most two pixels a frame.  */
  struct video v = { .frames = frames, .side = 4 * frames + 2 * MARGIN };
  v.pixels = bench_allocate (frames * v.side * v.side, 1);
  long i = 0;
  for (long frame = 0; frame < frames; frame++)
    for (long y = 0; y < v.side; y++)
      for (long x = 0; x < v.side; x++, i++)
	{
	  double dx = x - video_disc_x (&v, frame), dy = y - video_disc_y (&v, frame);
	  int inside = dx * dx + dy * dy <= DISC_RADIUS * DISC_RADIUS;
	  double normals[2];
	  video_normals (SEED, i, normals);
	  double value = (inside ? FOREGROUND : BACKGROUND) + NOISE * normals[0];
	  v.pixels[i] = fmin (255, fmax (0, value));
	}
  return v;
}

double
video_log_likelihood (const struct video *v, long frame, double x, double y)
{
  const uint8_t *pixels = v->pixels + frame * v->side * v->side;
  long column = lround (x), row = lround (y);
  long sum = 0, count = 0;
  for (long dy = -DISC_RADIUS; dy <= DISC_RADIUS; dy++)
    for (long dx = -DISC_RADIUS; dx <= DISC_RADIUS; dx++)
      {
	if (dx * dx + dy * dy > DISC_RADIUS * DISC_RADIUS)
	  continue;
	long r = row + dy, c = column + dx;
	int outside = r < 0 || r >= v->side || c < 0 || c >= v->side;
	long value = outside ? BACKGROUND : pixels[r * v->side + c];
	sum += (value - BACKGROUND) * (value - BACKGROUND)
	       - (value - FOREGROUND) * (value - FOREGROUND);
	count++;
      }
  return sum / (2. * NOISE * NOISE * count);
}
