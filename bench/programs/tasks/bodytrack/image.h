/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is seen in a frame: smoothed edges and the foreground, made in bands of rows by three stages
   with whole numbers, so that every way to do it gives the same.  */

#ifndef IMAGE_H
#define IMAGE_H 1

#include <stdint.h>

enum
{
  /* The smoothing's weights are the binomial coefficients of twice as much, a Gaussian of a
     deviation of 1.7 pixels; their sum is two to the same power.  Of that the square times 255 is
     just less than 2^32.  */
  SMOOTHING = 6,
  SMOOTHING_WEIGHTS = 2 * SMOOTHING + 1,
  /* Sums of differences over three by three pixels that make an edge.  */
  EDGE_LEAST = 160,
  /* How far from the background a pixel of the foreground is.  */
  FOREGROUND_LEAST = 40
};

static const uint32_t smoothing_weight[SMOOTHING_WEIGHTS]
  = { 1, 12, 66, 220, 495, 792, 924, 792, 495, 220, 66, 12, 1 };

/* What is seen, of WIDTH times HEIGHT pixels, 0 to 255.  */
struct view
{
  long width, height;
  uint8_t *edges, *foreground;
};

/* A view and what it is made by way of: raw edges, 0 or 255, of rows longer by SMOOTHING zeros on
   each side; and edges smoothed along rows, times the weights' sum, with SMOOTHING rows of zeros
   before and after.  */
struct work
{
  struct view view;
  uint8_t *raw;
  uint32_t *along;
};

/* Where row Y starts in each: its first pixel.  */
static inline uint8_t *
raw_at (const struct work *w, long y)
{
  return w->raw + y * (w->view.width + 2 * SMOOTHING) + SMOOTHING;
}

static inline uint32_t *
along_at (const struct work *w, long y)
{
  return w->along + (y + SMOOTHING) * w->view.width;
}

static inline uint8_t *
edges_at (const struct work *w, long y)
{
  return w->view.edges + y * w->view.width;
}

void work_allocate (struct work *w, long width, long height);

/* The stages, for rows FIRST up to LAST - 1.  The first one and the last look at FRAME; the first
   one also at the row before and the row after; the last takes the second one's rows from
   SMOOTHING before up to SMOOTHING after.  */
void find_edges (struct work *w, const uint8_t *frame, long first, long last);
void smooth_along (struct work *w, long first, long last);
void finish_view (struct work *w, const uint8_t *frame, const uint8_t *background, long first,
		  long last);

#endif
