/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts the ids of a folded team into ranges.  */

#include "fold-ranges.h"

/* Whether A ids on a worker of speed SPEED_A take longer than B ids on one of
   SPEED_B.  */

static inline int
longer (unsigned a, unsigned speed_a, unsigned b, unsigned speed_b)
{
  return ((unsigned long long) a * speed_b > (unsigned long long) b * speed_a);
}

void
gomp_fold_cut (unsigned ids, unsigned workers, const unsigned *speed,
	       unsigned *first)
{
  unsigned total = 0;

  /* FIRST[w] counts worker w's ids.  Giving each id to the worker that would
     end it first is the best that can be done for ids of equal work.  */
  for (unsigned w = 0; w <= workers; w++)
    first[w] = 0;
  for (unsigned id = 0; id < ids; id++)
    {
      unsigned best = 0;

      for (unsigned w = 1; w < workers; w++)
	if (longer (first[best] + 1, speed[best], first[w] + 1, speed[w]))
	  best = w;
      first[best]++;
    }
  for (unsigned w = 0; w <= workers; w++)
    {
      unsigned count = first[w];

      first[w] = total;
      total += count;
    }
}

unsigned
gomp_fold_auto (unsigned workers, const unsigned *speed, unsigned *first)
{
  double all = 0, least = 1;
  unsigned best = 1;

  for (unsigned w = 0; w < workers; w++)
    all += speed[w];
  for (unsigned k = 1; k <= GOMP_FOLD_MOST; k++)
    {
      double last = 0, loss;

      gomp_fold_cut (k * workers, workers, speed, first);
      for (unsigned w = 0; w < workers; w++)
	{
	  double end = (double) (first[w + 1] - first[w]) / speed[w];
	  if (end > last)
	    last = end;
	}
      loss = 1 - k * workers / all / last;
      if (loss <= 0.04)
	return k;
      if (loss < least)
	{
	  least = loss;
	  best = k;
	}
    }
  return best;
}
