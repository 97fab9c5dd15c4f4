/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An annealed particle filter.  */

#include "filter.h"

#include <math.h>
#include <string.h>

void
filter_allocate (struct filter *f, long particles, long layers, long frames, const double *start)
{
  f->particles = particles;
  f->layers = layers;
  f->particle = bench_allocate (particles, sizeof *f->particle);
  f->drawn = bench_allocate (particles, sizeof *f->drawn);
  f->estimate = bench_allocate (frames, sizeof *f->estimate);
  f->misfit = bench_allocate (particles, sizeof *f->misfit);
  f->sum = bench_allocate (particles, sizeof *f->sum);
  for (long i = 0; i < particles; i++)
    memcpy (f->particle[i], start, sizeof f->particle[i]);
}

void
filter_predict (struct filter *f, long frame)
{
  if (frame < 2)
    return;
  const double *now = f->estimate[frame - 1], *before = f->estimate[frame - 2];
  for (long i = 0; i < f->particles; i++)
    for (int j = 0; j < JOINTS; j++)
      f->particle[i][j] += now[j] - before[j];
}

void
filter_weigh (struct filter *f, const struct view *v, long frame, long layer, long first, long last)
{
  uint64_t place = ((uint64_t) frame * f->layers + layer) * f->particles + first;
  for (long i = first; i < last; i++, place++)
    {
      for (int j = 0; j < JOINTS; j++)
	f->particle[i][j] += scatter (v->height, j, layer) * noise (place * JOINTS + j);
      f->misfit[i] = body_misfit (f->particle[i], v);
    }
}

static void
estimate (struct filter *f, long frame)
{
  pose mean = { 0 };
  for (long i = 0; i < f->particles; i++)
    for (int j = 0; j < JOINTS; j++)
      mean[j] += (f->sum[i] - (i > 0 ? f->sum[i - 1] : 0)) * f->particle[i][j];
  for (int j = 0; j < JOINTS; j++)
    f->estimate[frame][j] = mean[j] / f->sum[f->particles - 1];
}

void
filter_draw (struct filter *f, long frame, long layer)
{
  double best = f->misfit[0], sum = 0;
  for (long i = 1; i < f->particles; i++)
    best = fmin (best, f->misfit[i]);
  for (long i = 0; i < f->particles; i++)
    f->sum[i] = sum += exp (sharpness (layer) * (best - f->misfit[i]));
  if (layer == f->layers - 1)
    estimate (f, frame);

  /* At equal distances along the sums.  */
  double offset = bench_uniform (DRAW_SEED, (uint64_t) frame * f->layers + layer);
  long from = 0;
  for (long i = 0; i < f->particles; i++)
    {
      double at = (i + offset) / f->particles * sum;
      while (from < f->particles - 1 && f->sum[from] <= at)
	from++;
      memcpy (f->drawn[i], f->particle[from], sizeof f->drawn[i]);
    }
  pose *drawn = f->drawn;
  f->drawn = f->particle;
  f->particle = drawn;
}
