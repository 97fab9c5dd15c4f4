/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leukocyte after Rodinia's: detects blood cells in the first frame of a video, point by point, and
   tracks them through the others, cell by cell, each of which takes as long as its size and its
   edges want.

   Sources: those of detect.c and track.c; the program's shape: Che et al., "Rodinia", IISWC 2009.

   Verified by the video, whose cells all have to be found and followed; by a serial detection; and
   by tracking every cell again, serially, to the same place.  */

#include "bench.h"
#include "leukocyte.h"

#include <math.h>
#include <string.h>

enum
{
  /* How far, in pixels, a cell may be found from its centre.  */
  NEAR = 2
};

static const double *
frame_of (const struct video *v, long frame)
{
  return v->pixels + frame * v->side * v->side;
}

/* Move all cells to FRAME.  */
static void
track_all (struct cell *cells, const struct video *v, long frame)
{
  const double *pixels = frame_of (v, frame);
#pragma omp parallel for
  for (long i = 0; i < v->cells; i++)
    track_cell (&cells[i], pixels, v->side);
}

/* Whether each of the video's cells has one of CELLS near it.  */
static int
all_there (const struct cell *cells, const struct video *v, long frame)
{
  for (long i = 0; i < v->cells; i++)
    {
      double x, y, least = INFINITY;
      blood_centre (v, i, frame, &x, &y);
      for (long j = 0; j < v->cells; j++)
	least = fmin (least, hypot (cells[j].x - x, cells[j].y - y));
      if (!(least <= NEAR))
	return 0;
    }
  return 1;
}

/* Whether TRACKED, the cells by frames, is what the video has and what serial work leads to.  */
static int
verify (const struct cell *tracked, const struct detection *d, const struct video *v)
{
  if (!detect_verify (d, frame_of (v, 0)))
    return 0;
  for (long frame = 0; frame < v->frames; frame++)
    {
      const struct cell *cells = tracked + frame * v->cells;
      if (!all_there (cells, v, frame))
	return 0;
      for (long i = 0; i < v->cells && frame > 0; i++)
	{
	  struct cell again = cells[i - v->cells];
	  track_cell (&again, frame_of (v, frame), v->side);
	  if (again.x != cells[i].x || again.y != cells[i].y)
	    return 0;
	}
    }
  return 1;
}

int
main (int argc, char **argv)
{
  long cells = 36, frames = 8, repeats = 1;
  bench_options (argc, argv, "Detect blood cells in a video and track them.",
      { "cells", &cells, 1, 10000, "cells in the video", NULL },
      { "frames", &frames, 1, 1000, "frames of the video", NULL },
      { "repeats", &repeats, 1, 100000, "times that all is done", NULL });

  struct video v = blood_make (cells, frames);
  struct cell *tracked = bench_allocate (frames * cells, sizeof *tracked);

  struct detection d;
  detect_set_up (&d, v.side);
  for (long r = 0; r < repeats; r++)
    {
      bench_start ();
      detect_score (&d, v.pixels);
      long found = detect_find (&d, tracked, cells);
      for (long frame = 1; frame < frames && found == cells; frame++)
	{
	  struct cell *now = tracked + frame * cells;
	  memcpy (now, now - cells, cells * sizeof *now);
	  track_all (now, &v, frame);
	}
      bench_stop ();
      bench_verify (found == cells && verify (tracked, &d, &v));
    }

  return bench_result (NULL);
}
