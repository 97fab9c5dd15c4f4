/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is seen in a frame.  */

#include "image.h"

#include "bench.h"

#include <stdlib.h>

void
work_allocate (struct work *w, long width, long height)
{
  w->view.width = width;
  w->view.height = height;
  w->view.edges = bench_allocate (width * height, sizeof *w->view.edges);
  w->view.foreground = bench_allocate (width * height, sizeof *w->view.foreground);
  w->raw = bench_allocate ((width + 2 * SMOOTHING) * height, sizeof *w->raw);
  w->along = bench_allocate (width * (height + 2 * SMOOTHING), sizeof *w->along);
}

/* Whether the pixel at X is of an edge, by Sobel's gradient, the sum of its two magnitudes: 255 or
   0.  LEFT and RIGHT are the places beside it.  */
static inline uint8_t
edge_at (const uint8_t *above, const uint8_t *here, const uint8_t *below, long left, long x,
	 long right)
{
  int across = above[right] + 2 * here[right] + below[right];
  across -= above[left] + 2 * here[left] + below[left];
  int down = below[left] + 2 * below[x] + below[right];
  down -= above[left] + 2 * above[x] + above[right];
  return abs (across) + abs (down) >= EDGE_LEAST ? 255 : 0;
}

/* The image goes on beyond its ends as at them.  */
void
find_edges (struct work *w, const uint8_t *frame, long first, long last)
{
  long width = w->view.width, height = w->view.height;
  for (long y = first; y < last; y++)
    {
      const uint8_t *here = frame + y * width;
      const uint8_t *above = y > 0 ? here - width : here;
      const uint8_t *below = y + 1 < height ? here + width : here;
      uint8_t *restrict raw = raw_at (w, y);
      raw[0] = edge_at (above, here, below, 0, 0, 1);
      for (long x = 1; x < width - 1; x++)
	raw[x] = edge_at (above, here, below, x - 1, x, x + 1);
      raw[width - 1] = edge_at (above, here, below, width - 2, width - 1, width - 1);
    }
}

void
smooth_along (struct work *w, long first, long last)
{
  long width = w->view.width;
  for (long y = first; y < last; y++)
    {
      const uint8_t *raw = raw_at (w, y) - SMOOTHING;
      uint32_t *restrict along = along_at (w, y);
      for (long x = 0; x < width; x++)
	{
	  uint32_t sum = 0;
	  for (int k = 0; k < SMOOTHING_WEIGHTS; k++)
	    sum += smoothing_weight[k] * raw[x + k];
	  along[x] = sum;
	}
    }
}

void
finish_view (struct work *w, const uint8_t *frame, const uint8_t *background, long first, long last)
{
  long width = w->view.width;
  for (long y = first; y < last; y++)
    {
      const uint32_t *along = along_at (w, y - SMOOTHING);
      uint8_t *restrict edges = edges_at (w, y);
      uint8_t *restrict foreground = w->view.foreground + y * width;
      for (long x = 0; x < width; x++)
	{
	  uint32_t sum = 0;
	  for (int k = 0; k < SMOOTHING_WEIGHTS; k++)
	    sum += smoothing_weight[k] * along[k * width + x];
	  edges[x] = sum >> (2 * 2 * SMOOTHING);
	}
      for (long x = 0; x < width; x++)
	{
	  int difference = frame[y * width + x] - background[y * width + x];
	  foreground[x] = abs (difference) >= FOREGROUND_LEAST ? 255 : 0;
	}
    }
}
