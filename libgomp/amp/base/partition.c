/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts work into ranges: searches for the earliest end with which they are all
   of it, if each worker in turn takes as much as it can do until then.  */

#include "base/partition.h"
#include <stdbool.h>

/* The end is found to so many bits.  */
#define BITS 24

/* Let each worker take as many units as it can do until END, and store the
   first one of each in FIRST.  Returns whether these are all.  */

static bool
fill (const struct gomp_amp_work *work, double end, unsigned long long *first)
{
  double units_of_piece = (double) work->units / work->pieces;
  unsigned long long done = 0;

  for (unsigned w = 0; w < work->workers; w++)
    {
      double left = end * work->speed[w], turn = work->turn * work->speed[w];
      /* In pieces.  */
      double at = done / units_of_piece;
      unsigned piece = at;

      first[w] = done;
      while (piece < work->pieces)
	{
	  double cost = work->before[piece + 1] - work->before[piece] + turn;
	  double rest = cost * (piece + 1 - at);

	  if (rest > left)
	    {
	      at += left / cost;
	      break;
	    }
	  left -= rest;
	  at = ++piece;
	}
      double reached = at * units_of_piece;
      if (piece == work->pieces || !(reached < work->units))
	done = work->units;
      else if (reached > done)
	done = reached;
    }
  return done == work->units;
}

double
gomp_amp_partition (const struct gomp_amp_work *work,
		    unsigned long long *first)
{
  double cost = work->before[work->pieces], speeds = 0, fastest = 0;

  for (unsigned w = 0; w < work->workers; w++)
    {
      speeds += work->speed[w];
      if (work->speed[w] > fastest)
	fastest = work->speed[w];
    }
  /* The fastest worker can do all.  */
  double low = cost / speeds;
  double high = (cost / fastest + work->turn * work->pieces) * (1 + 1e-9);
  for (unsigned bit = 0; bit < BITS; bit++)
    {
      double middle = (low + high) / 2;

      if (fill (work, middle, first))
	high = middle;
      else
	low = middle;
    }
  fill (work, high, first);
  return high;
}
