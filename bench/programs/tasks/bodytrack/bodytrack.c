/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodytrack after PARSEC's: follows an articulated body through frames by an annealed particle
   filter.  Of each frame first edges and the foreground are found, in bands of rows by three
   stages; then particles are weighed and drawn, layer by layer.  With tasks the views of the frames
   to come are made, in as many buffers as asked for, while particles are filtered; a draw is one
   task, between those that weigh.  With loops one stage follows the other.

   Sources: Deutscher, Blake, Reid, "Articulated Body Motion Capture by Annealed Particle
   Filtering", CVPR 2000; the shape of the program: Bienia et al., "The PARSEC Benchmark Suite",
   PACT 2008; that of the tasks: Chasapis et al., "PARSECSs: Evaluating the Impact of Task
   Parallelism in the PARSEC Benchmark Suite", ACM TACO 2016.

   Verified by a serial run of plainer algorithms, whose estimates have to be the same to the last
   bit, and by the motion that the frames were drawn from: in every frame the hip has to be within
   two pixels and a two hundredth of the image's height, and all angles within 0.2 radians.  A few
   hundred particles or layers less than three may lose the body, which fails the run.  */

#include "filter.h"
#include "reference.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
  PIXEL_SEED = 640
};

/* FRAMES images of WIDTH times HEIGHT pixels, one after the other in FRAME; how they are shared
   out: in BANDS of rows and GRAIN particles; and BUFFERS views, which frames take in turn.  */
struct tracker
{
  long width, height, frames, bands, grain, buffers;
  uint8_t *frame, *background;
  struct work *work;
  struct filter filter;
};

/* How the body is in frame T.  */
static void
true_pose (long t, long width, long height, double *pose)
{
  pose[HIP_X] = width * (0.5 - 0.2 * cos (0.06 * t));
  pose[HIP_Y] = height * (0.56 - 0.02 * cos (0.3 * t));
  pose[LEAN] = 0.15 * sin (0.1 * t + 1);
  pose[LEFT_ARM] = 0.4 * sin (0.15 * t);
  pose[RIGHT_ARM] = 0.4 * sin (0.13 * t + 2);
  pose[LEFT_LEG] = 0.2 * sin (0.2 * t);
  pose[RIGHT_LEG] = 0.2 * sin (0.2 * t + 2);
}

/* A background that is darker at one side than at the other, and the body in front of it, both with
   noise.  */
static void
make_frames (struct tracker *k)
{
  long pixels = k->width * k->height;
  for (long i = 0; i < pixels; i++)
    k->background[i] = 60 + 60 * (i % k->width) / k->width;
  for (long t = 0; t < k->frames; t++)
    {
      uint8_t *frame = k->frame + t * pixels;
      pose pose;
      true_pose (t, k->width, k->height, pose);
      memcpy (frame, k->background, pixels);
      body_draw (pose, frame, k->width, k->height);
      for (long i = 0; i < pixels; i++)
	frame[i] += bench_random (PIXEL_SEED + t, i) % 16;
    }
}

static const uint8_t *
frame_at (const struct tracker *k, long t)
{
  return k->frame + t * k->width * k->height;
}

/* The first row of band B.  */
static long
row_of (const struct tracker *k, long b)
{
  return k->height * b / k->bands;
}

static void
weigh_grain (struct tracker *k, long t, long layer, long first)
{
  long last = k->filter.particles - first < k->grain ? k->filter.particles : first + k->grain;
  filter_weigh (&k->filter, &k->work[t % k->buffers].view, t, layer, first, last);
}

static void
track_by_loops (struct tracker *k)
{
  long frames = k->frames, bands = k->bands, particles = k->filter.particles, grain = k->grain;
  long layers = k->filter.layers;
#pragma omp parallel default(none) firstprivate(k, frames, bands, particles, layers, grain)
  for (long t = 0; t < frames; t++)
    {
      struct work *w = &k->work[t % k->buffers];
      const uint8_t *frame = frame_at (k, t);
#pragma omp for
      for (long b = 0; b < bands; b++)
	find_edges (w, frame, row_of (k, b), row_of (k, b + 1));
#pragma omp for
      for (long b = 0; b < bands; b++)
	smooth_along (w, row_of (k, b), row_of (k, b + 1));
#pragma omp for
      for (long b = 0; b < bands; b++)
	finish_view (w, frame, k->background, row_of (k, b), row_of (k, b + 1));
#pragma omp single
      filter_predict (&k->filter, t);
      for (long layer = 0; layer < layers; layer++)
	{
#pragma omp for
	  for (long first = 0; first < particles; first += grain)
	    weigh_grain (k, t, layer, first);
#pragma omp single
	  filter_draw (&k->filter, t, layer);
	}
    }
}

/* Tasks that make the view of frame T.  The first pixel of a band stands for what a stage makes of
   it.  */
static void
look_by_tasks (struct tracker *k, long t)
{
  struct work *w = &k->work[t % k->buffers];
  const uint8_t *frame = frame_at (k, t);
  long bands = k->bands;
  for (long b = 0; b < bands; b++)
    {
      long row = row_of (k, b), end = row_of (k, b + 1);
#pragma omp task default(none) firstprivate(w, frame, row, end) depend(out : *raw_at (w, row))
      find_edges (w, frame, row, end);
    }
  for (long b = 0; b < bands; b++)
    {
      long row = row_of (k, b), end = row_of (k, b + 1);
#pragma omp task default(none) firstprivate(w, row, end) depend(in : *raw_at (w, row)) \
  depend(out : *along_at (w, row))
      smooth_along (w, row, end);
    }
  for (long b = 0; b < bands; b++)
    {
      long row = row_of (k, b), end = row_of (k, b + 1);
      long above = row_of (k, b > 0 ? b - 1 : b), below = row_of (k, b + 1 < bands ? b + 1 : b);
#pragma omp task default(none) firstprivate(k, w, frame, row, end)            \
  depend(in : *along_at (w, above), *along_at (w, row), *along_at (w, below)) \
  depend(out : *edges_at (w, row))
      finish_view (w, frame, k->background, row, end);
    }
}

/* Tasks that filter particles by the view of frame T.  The first one of them waits for the view,
   which is kept until the last one is done.  Places in TURN stand for the particles before each
   layer of each frame; nothing is stored there, only the addresses count.  One address for all
   would be slow: libgomp, given a task that reads, goes through all unfinished ones that read the
   same.  */
static void
filter_by_tasks (struct tracker *k, const char *turn, long t)
{
  struct filter *f = &k->filter;
  struct work *w = &k->work[t % k->buffers];
  turn += t * f->layers;
#pragma omp task default(none) firstprivate(f, t) depend(inout : turn[0]) \
  depend(iterator(long b = 0 : k->bands), in : *edges_at (w, row_of (k, b)))
  filter_predict (f, t);
  for (long layer = 0; layer < f->layers; layer++)
    {
      for (long first = 0; first < f->particles; first += k->grain)
	{
#pragma omp task default(none) firstprivate(k, t, layer, first) depend(in : turn[layer])
	  weigh_grain (k, t, layer, first);
	}
#pragma omp task default(none) firstprivate(f, t, layer)                \
  depend(out : turn[layer], turn[layer + 1])                            \
  depend(iterator(long b = 0 : (layer < f->layers - 1 ? 0 : k->bands)), \
	 in : *edges_at (w, row_of (k, b)))
      filter_draw (f, t, layer);
    }
}

static void
track_by_tasks (struct tracker *k)
{
  long ahead = k->buffers - 1;
  char *turn = bench_allocate (k->frames * k->filter.layers + 1, sizeof *turn);
#pragma omp parallel default(none) firstprivate(k, ahead, turn)
#pragma omp single
  for (long t = 0; t < k->frames + ahead; t++)
    {
      if (t < k->frames)
	look_by_tasks (k, t);
      if (t >= ahead)
	filter_by_tasks (k, turn, t - ahead);
    }
  free (turn);
}

/* Whether all estimates are those of REFERENCE, and near to what was drawn.  */
static int
verify (const struct tracker *k, const pose *reference)
{
  if (memcmp (k->filter.estimate, reference, k->frames * sizeof *reference) != 0)
    return 0;
  for (long t = 0; t < k->frames; t++)
    {
      const double *found = k->filter.estimate[t];
      pose truth;
      true_pose (t, k->width, k->height, truth);
      double off = hypot (found[HIP_X] - truth[HIP_X], found[HIP_Y] - truth[HIP_Y]);
      if (!(off <= 2 + k->height / 200.))
	return 0;
      for (int j = LEAN; j < JOINTS; j++)
	if (!(fabs (found[j] - truth[j]) <= 0.2))
	  return 0;
    }
  return 1;
}

int
main (int argc, char **argv)
{
  struct tracker k = { .height = 480, .frames = 60, .grain = 48, .buffers = 3 };
  long particles = 1536, layers = 5, rows = 40, with = BENCH_TASKS;
  bench_options (argc, argv, "Track a body by an annealed particle filter.",
      { "size", &k.height, 120, 4096, "rows of an image, which is 4/3 as wide", NULL },
      { "frames", &k.frames, 1, 10000, "images", NULL },
      { "particles", &particles, 1, 1000000, "poses at a time", NULL },
      { "layers", &layers, 1, 8, "times that particles are drawn in a frame", NULL },
      { "rows", &rows, SMOOTHING, 4096, "rows of a band, at least", NULL },
      { "grain", &k.grain, 1, 1000000, "particles weighed at a time", NULL },
      { "buffers", &k.buffers, 1, 64, "frames in work at a time", NULL },
      { "with", &with, 0, 0, "what shares the work out", bench_ways });

  k.width = k.height * 4 / 3;
  k.bands = k.height < rows ? 1 : k.height / rows;
  k.frame = bench_allocate (k.frames, k.width * k.height);
  k.background = bench_allocate (k.width, k.height);
  k.work = bench_allocate (k.buffers, sizeof *k.work);
  for (long b = 0; b < k.buffers; b++)
    work_allocate (&k.work[b], k.width, k.height);
  make_frames (&k);
  pose start, *reference = bench_allocate (k.frames, sizeof *reference);
  true_pose (0, k.width, k.height, start);
  filter_allocate (&k.filter, particles, layers, k.frames, start);

  bench_start ();
  if (with == BENCH_TASKS)
    track_by_tasks (&k);
  else
    track_by_loops (&k);
  bench_stop ();

  reference_track (k.frame, k.background, k.width, k.height, k.frames, particles, layers, start,
		   reference);
  bench_verify (verify (&k, reference));
  return bench_result (NULL);
}
