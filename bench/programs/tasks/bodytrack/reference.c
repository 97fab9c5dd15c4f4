/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracking in plain words, serially: the image at once, edges smoothed by adding the whole mask
   around each of them; particles drawn by bisection.  */

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long
within (long value, long count)
{
  return value < 0 ? 0 : value < count ? value : count - 1;
}

static int
is_edge (const uint8_t *frame, long width, long height, long x, long y)
{
  static const int weight[] = { 1, 2, 1 };
  int across = 0, down = 0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      {
	int pixel = frame[within (y + i, height) * width + within (x + j, width)];
	across += weight[i + 1] * j * pixel;
	down += weight[j + 1] * i * pixel;
      }
  return abs (across) + abs (down) >= EDGE_LEAST;
}

/* Fill in V; SUM is room for as many numbers as there are pixels.  */
static void
look_at (const uint8_t *frame, const uint8_t *background, struct view *v, long *sum)
{
  long width = v->width, height = v->height;
  memset (sum, 0, width * height * sizeof *sum);
  for (long y = 0; y < height; y++)
    for (long x = 0; x < width; x++)
      if (is_edge (frame, width, height, x, y))
	for (long i = 0; i < SMOOTHING_WEIGHTS; i++)
	  for (long j = 0; j < SMOOTHING_WEIGHTS; j++)
	    {
	      long to_y = y + i - SMOOTHING, to_x = x + j - SMOOTHING;
	      if (to_y >= 0 && to_y < height && to_x >= 0 && to_x < width)
		sum[to_y * width + to_x] += 255 * smoothing_weight[i] * smoothing_weight[j];
	    }
  for (long i = 0; i < width * height; i++)
    {
      v->edges[i] = sum[i] / (1L << 4 * SMOOTHING);
      v->foreground[i] = labs ((long) frame[i] - background[i]) < FOREGROUND_LEAST ? 0 : 255;
    }
}

/* Store in DRAWN what is drawn from the particles of F, and in MEAN their mean.  */
static void
weigh_and_draw (const struct filter *f, long turn, long layer, pose *drawn, double *mean)
{
  double best = HUGE_VAL, sum = 0;
  for (long i = 0; i < f->particles; i++)
    if (f->misfit[i] < best)
      best = f->misfit[i];
  pose total = { 0 };
  for (long i = 0; i < f->particles; i++)
    {
      double before = sum;
      sum += exp (sharpness (layer) * (best - f->misfit[i]));
      f->sum[i] = sum;
      for (int j = 0; j < JOINTS; j++)
	total[j] += (sum - before) * f->particle[i][j];
    }
  for (int j = 0; j < JOINTS; j++)
    mean[j] = total[j] / sum;

  for (long i = 0; i < f->particles; i++)
    {
      double at = (i + bench_uniform (DRAW_SEED, turn)) / f->particles * sum;
      long low = 0, high = f->particles - 1;
      while (low < high)
	{
	  long middle = (low + high) / 2;
	  if (f->sum[middle] > at)
	    high = middle;
	  else
	    low = middle + 1;
	}
      memcpy (drawn[i], f->particle[low], sizeof drawn[i]);
    }
}

void
reference_track (const uint8_t *frame, const uint8_t *background, long width, long height,
		 long frames, long particles, long layers, const double *start, pose *estimate)
{
  struct view v = { .width = width, .height = height };
  v.edges = bench_allocate (width * height, sizeof *v.edges);
  v.foreground = bench_allocate (width * height, sizeof *v.foreground);
  long *sum = bench_allocate (width * height, sizeof *sum);
  struct filter f;
  filter_allocate (&f, particles, layers, 1, start);

  uint64_t place = 0;
  for (long t = 0; t < frames; t++)
    {
      look_at (frame + t * width * height, background, &v, sum);
      for (long layer = 0; layer < layers; layer++)
	{
	  for (long i = 0; i < particles; i++)
	    {
	      for (int j = 0; j < JOINTS; j++)
		{
		  if (layer == 0 && t >= 2)
		    f.particle[i][j] += estimate[t - 1][j] - estimate[t - 2][j];
		  f.particle[i][j] += scatter (height, j, layer) * noise (place++);
		}
	      f.misfit[i] = body_misfit (f.particle[i], &v);
	    }
	  weigh_and_draw (&f, t * layers + layer, layer, f.drawn, estimate[t]);
	  memcpy (f.particle, f.drawn, particles * sizeof *f.particle);
	}
    }
  free (sum);
  free (v.edges);
  free (v.foreground);
}
