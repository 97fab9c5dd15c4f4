/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts work into ranges: searches for the earliest end with which they are all
   of it, if each worker in turn takes as much as it can do until then.  */

#include "base/partition.h"
#include "base/assert.h"
#include <stdbool.h>

/* The end is found to so many bits.  */
#define BITS 24

/* Let each worker take as many units as it can do until END, and store the
   first one of each in FIRST.  Returns whether these are all.  */

static bool
fill (const struct gomp_amp_work *work, double end, unsigned *first)
{
  unsigned unit = 0;

  for (unsigned w = 0; w < work->workers; w++)
    {
      double left = end / work->slow[w];
      double turn = work->turn / work->slow[w];

      first[w] = unit;
      for (; unit < work->units; unit++)
	{
	  left -= work->before[unit + 1] - work->before[unit] + turn;
	  if (!(left >= 0))
	    break;
	}
    }
  first[work->workers] = work->units;
  return unit == work->units;
}

/* Whether FIRST cuts all units of WORK into ranges that follow each other.  */

static inline bool
ranges_p (const struct gomp_amp_work *work, const unsigned *first)
{
  for (unsigned w = 0; w < work->workers; w++)
    if (first[w] > first[w + 1])
      return false;
  return first[0] == 0 && first[work->workers] == work->units;
}

void
gomp_amp_partition (const struct gomp_amp_work *work, unsigned *first)
{
  double cost = work->before[work->units], speeds = 0;
  double high = __builtin_inf (), low;

  GOMP_AMP_ASSERT (work->workers != 0 && work->turn >= 0);
  for (unsigned w = 0; w < work->workers; w++)
    {
      GOMP_AMP_ASSERT (work->slow[w] > 0);
      double alone = cost * work->slow[w] + work->turn * work->units;

      speeds += 1 / work->slow[w];
      if (alone < high)
	high = alone;
    }
  low = cost / speeds;
  if (high < low)
    high = low;
  high *= 1 + 1e-9;
  for (unsigned bit = 0; bit < BITS; bit++)
    {
      double middle = (low + high) / 2;

      if (fill (work, middle, first))
	high = middle;
      else
	low = middle;
    }
  fill (work, high, first);
  GOMP_AMP_ASSERT (ranges_p (work, first));
}
