/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of leukocyte: the video, detection in its first frame, tracking through the others.  */

#ifndef LEUKOCYTE_H
#define LEUKOCYTE_H 1

enum
{
  /* The smallest and the largest radius of a cell, in pixels.  */
  LEAST_RADIUS = 6,
  MOST_RADIUS = 12
};

/* FRAMES square pictures of SIDE rows and columns, by rows.  */
struct video
{
  long cells, frames, side;
  double *pixels;
};

/* A cell as it was last seen.  */
struct cell
{
  double x, y, velocity_x, velocity_y, radius;
};

/* A video of bright cells of different sizes that move before a dark background, to be freed by
   freeing its pixels.  */
struct video blood_make (long cells, long frames);

/* Where a cell's centre is in a frame.  */
void blood_centre (const struct video *v, long cell, long frame, double *x, double *y);

/* What detection works on, for each point: the gradient, the score (how much the place looks like
   the centre of a cell) and the best score around.  */
struct detection
{
  long side;
  double *gradient_x, *gradient_y, *score, *best;
};

void detect_set_up (struct detection *d, long side);

/* Compute all of D for a frame.  */
void detect_score (struct detection *d, const double *frame);

/* Find the cells, by rows; at most MOST are stored in CELLS, all are counted.  */
long detect_find (const struct detection *d, struct cell *cells, long most);

/* Whether all of D is what a serial routine makes of the frame, to 1e-9.  */
int detect_verify (const struct detection *d, const double *frame);

/* Follow C to FRAME, a picture of SIDE rows and columns.  */
void track_cell (struct cell *c, const double *frame, long side);

#endif
