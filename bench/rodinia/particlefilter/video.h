/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A synthetic video of a bright disc that moves before a dark background, under noise.  */

#ifndef VIDEO_H
#define VIDEO_H 1

#include <stdint.h>

enum
{
  BACKGROUND = 100,
  FOREGROUND = 228,
  /* The noise's standard deviation.  */
  NOISE = 25,
  DISC_RADIUS = 5,
  /* What the disc moves by from one frame to the next.  */
  DRIFT_X = 1,
  DRIFT_Y = -2
};

/* SIDE rows and columns a frame, by rows.  */
struct video
{
  long frames, side;
  uint8_t *pixels;
};

/* Two independent normal variables, number N of the sequence called SEED.  */
void video_normals (uint64_t seed, uint64_t n, double normals[2]);

/* Where the disc's centre is in a frame.  */
double video_disc_x (const struct video *v, long frame);
double video_disc_y (const struct video *v, long frame);

/* A video as large as the disc needs, to be freed by freeing its pixels.  */
struct video video_make (long frames);

/* The mean over a disc at X, Y of the logarithm of how much likelier its pixels are as parts of the
   object than as background; any place may be asked for.  */
double video_log_likelihood (const struct video *v, long frame, double x, double y);

#endif
