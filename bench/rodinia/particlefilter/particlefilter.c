/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Particlefilter after Rodinia's: tracks an object in a video by particles, whose resampling
   searches the cumulated weights from the start, so that the last iterations are the longest.

   Sources: Goodrum et al., "Parallelization of Particle Filter Algorithms", EAMA 2010; the shape of
   the program: Che et al., "Rodinia", IISWC 2009.

   Verified by a serial filter that resamples in one pass: the particles at the end, exactly, and
   the estimates of every frame, to 1e-9; and by these being near the object.  */

#include "bench.h"
#include "video.h"

#include <math.h>
#include <string.h>

enum
{
  MOTION_SEED = 1,
  RESAMPLING_SEED = 2,
  /* How far, in pixels, an estimate may be from the object.  */
  NEAR = 3
};

/* The standard deviations of a particle's motion.  */
static const double spread_x = 5, spread_y = 2;

/* The weight of the likeliest particle.  Weights are whole numbers: their sums are the same in any
   order, and so are the particles that are drawn.  */
static const double full_weight = 0x1p40;

/* The particles, and their estimates of the object's place in each frame.  */
struct filter
{
  long size;
  double *x, *y, *drawn_x, *drawn_y, *log_weight;
  uint64_t *weight, *cumulated;
  double *estimate_x, *estimate_y;
};

static void
set_up (struct filter *f, long size, long frames)
{
  f->size = size;
  f->x = bench_allocate (size, sizeof (double));
  f->y = bench_allocate (size, sizeof (double));
  f->drawn_x = bench_allocate (size, sizeof (double));
  f->drawn_y = bench_allocate (size, sizeof (double));
  f->log_weight = bench_allocate (size, sizeof (double));
  f->weight = bench_allocate (size, sizeof (uint64_t));
  f->cumulated = bench_allocate (size, sizeof (uint64_t));
  f->estimate_x = bench_allocate (frames, sizeof (double));
  f->estimate_y = bench_allocate (frames, sizeof (double));
}

/* The move of particle I before FRAME.  */
static void
move (struct filter *f, long frame, long i)
{
  double normals[2];
  video_normals (MOTION_SEED, frame * f->size + i, normals);
  f->x[i] += DRIFT_X + spread_x * normals[0];
  f->y[i] += DRIFT_Y + spread_y * normals[1];
}

static uint64_t
weight_of (double log_weight, double best)
{
  return full_weight * exp (log_weight - best);
}

/* Of SIZE equal STEPs through the cumulated weights, where the first one begins.  */
static uint64_t
first_draw (long frame, uint64_t step)
{
  return bench_random (RESAMPLING_SEED, frame) % step;
}

static void
move_all (struct filter *f, long frame)
{
#pragma omp parallel for
  for (long i = 0; i < f->size; i++)
    move (f, frame, i);
}

static void
weigh_all (struct filter *f, const struct video *v, long frame)
{
  double best = -INFINITY;
#pragma omp parallel for reduction(max : best)
  for (long i = 0; i < f->size; i++)
    {
      f->log_weight[i] = video_log_likelihood (v, frame, f->x[i], f->y[i]);
      if (f->log_weight[i] > best)
	best = f->log_weight[i];
    }
#pragma omp parallel for
  for (long i = 0; i < f->size; i++)
    f->weight[i] = weight_of (f->log_weight[i], best);
}

/* Where the object is, as the mean of the particles by their weights.  */
static void
estimate (struct filter *f, long frame)
{
  uint64_t sum = 0;
  double x = 0, y = 0;
#pragma omp parallel for reduction(+ : sum, x, y)
  for (long i = 0; i < f->size; i++)
    {
      sum += f->weight[i];
      x += f->weight[i] * f->x[i];
      y += f->weight[i] * f->y[i];
    }
  f->estimate_x[frame] = x / sum;
  f->estimate_y[frame] = y / sum;
}

/* The first of the cumulated weights that is beyond DRAW.  */
static long
search (const uint64_t *cumulated, uint64_t draw)
{
  long i = 0;
  while (cumulated[i] <= draw)
    i++;
  return i;
}

/* Draw as many particles as there are, each as often as is its weight.  */
static void
resample (struct filter *f, long frame)
{
  uint64_t sum = 0;
  for (long i = 0; i < f->size; i++)
    f->cumulated[i] = sum += f->weight[i];
  uint64_t step = sum / f->size, first = first_draw (frame, step);

#pragma omp parallel for
  for (long j = 0; j < f->size; j++)
    {
      long i = search (f->cumulated, first + j * step);
      f->drawn_x[j] = f->x[i];
      f->drawn_y[j] = f->y[i];
    }
#pragma omp parallel for
  for (long i = 0; i < f->size; i++)
    {
      f->x[i] = f->drawn_x[i];
      f->y[i] = f->drawn_y[i];
    }
}

/* Put all particles where the disc is before the video begins.  */
static void
place (struct filter *f, const struct video *v)
{
  for (long i = 0; i < f->size; i++)
    {
      f->x[i] = video_disc_x (v, 0) - DRIFT_X;
      f->y[i] = video_disc_y (v, 0) - DRIFT_Y;
    }
}

static void
track (struct filter *f, const struct video *v)
{
  for (long frame = 0; frame < v->frames; frame++)
    {
      move_all (f, frame);
      weigh_all (f, v, frame);
      estimate (f, frame);
      resample (f, frame);
    }
}

/* The same as track, serially, and with one pass through the weights a frame.  */
static void
reference_track (struct filter *f, const struct video *v)
{
  for (long frame = 0; frame < v->frames; frame++)
    {
      double best = -INFINITY;
      for (long i = 0; i < f->size; i++)
	{
	  move (f, frame, i);
	  f->log_weight[i] = video_log_likelihood (v, frame, f->x[i], f->y[i]);
	  best = fmax (best, f->log_weight[i]);
	}
      double sum = 0, x = 0, y = 0;
      uint64_t total = 0;
      for (long i = 0; i < f->size; i++)
	{
	  uint64_t weight = weight_of (f->log_weight[i], best);
	  f->weight[i] = weight;
	  total += weight;
	  sum += weight;
	  x += weight * f->x[i];
	  y += weight * f->y[i];
	}
      f->estimate_x[frame] = x / sum;
      f->estimate_y[frame] = y / sum;

      uint64_t step = total / f->size, draw = first_draw (frame, step), passed = 0;
      long drawn = 0;
      for (long i = 0; i < f->size; i++)
	for (passed += f->weight[i]; drawn < f->size && draw < passed; draw += step, drawn++)
	  {
	    f->drawn_x[drawn] = f->x[i];
	    f->drawn_y[drawn] = f->y[i];
	  }
      memcpy (f->x, f->drawn_x, f->size * sizeof *f->x);
      memcpy (f->y, f->drawn_y, f->size * sizeof *f->y);
    }
}

static int
equal (const struct filter *f, const struct filter *reference, const struct video *v)
{
  for (long i = 0; i < f->size; i++)
    if (f->x[i] != reference->x[i] || f->y[i] != reference->y[i])
      return 0;
  for (long frame = 0; frame < v->frames; frame++)
    {
      double x = f->estimate_x[frame], y = f->estimate_y[frame];
      if (!(fabs (x - reference->estimate_x[frame]) <= 1e-9 * fabs (x)
	    && fabs (y - reference->estimate_y[frame]) <= 1e-9 * fabs (y)
	    && hypot (x - video_disc_x (v, frame), y - video_disc_y (v, frame)) <= NEAR))
	return 0;
    }
  return 1;
}

int
main (int argc, char **argv)
{
  long size = 12000, frames = 20, repeats = 1;
  bench_options (argc, argv, "Track an object in a video by a particle filter.",
      { "size", &size, 100, 1L << 22, "particles", NULL },
      { "frames", &frames, 1, 200, "frames of the video", NULL },
      { "repeats", &repeats, 1, 100000, "times that the video is tracked", NULL });

  struct video v = video_make (frames);
  struct filter f, reference;
  set_up (&f, size, frames);
  set_up (&reference, size, frames);
  place (&reference, &v);
  reference_track (&reference, &v);

  for (long r = 0; r < repeats; r++)
    {
      place (&f, &v);
      bench_start ();
      track (&f, &v);
      bench_stop ();
      bench_verify (equal (&f, &reference, &v));
    }

  return bench_result (NULL);
}
