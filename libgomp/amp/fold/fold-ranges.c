/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts the ids of a folded team into ranges.  */

#include "fold/fold-ranges.h"

/* Whether A ids on a worker of speed SPEED_A take longer than B ids on one of
   SPEED_B.  */

static inline int
longer (unsigned a, unsigned speed_a, unsigned b, unsigned speed_b)
{
  return ((unsigned long long) a * speed_b > (unsigned long long) b * speed_a);
}

/* COUNT[w] is how many ids each worker has: give the next id to the worker that
   would end it first, which is the best that can be done for ids of equal work,
   and of several such ones to one without an id, which needs no turns.  Returns
   that worker.  */

static unsigned
give_next (unsigned workers, const unsigned *speed, unsigned *count)
{
  unsigned best = 0;

  for (unsigned w = 1; w < workers; w++)
    if (longer (count[best] + 1, speed[best], count[w] + 1, speed[w])
	|| (count[w] == 0 && count[best] != 0
	    && !longer (count[w] + 1, speed[w], count[best] + 1, speed[best])))
      best = w;
  count[best]++;
  return best;
}

void
gomp_fold_cut (unsigned ids, unsigned workers, const unsigned *speed,
	       unsigned *first)
{
  unsigned total = 0;

  /* FIRST[w] counts worker w's ids.  */
  for (unsigned w = 0; w <= workers; w++)
    first[w] = 0;
  for (unsigned id = 0; id < ids; id++)
    give_next (workers, speed, first);
  for (unsigned w = 0; w <= workers; w++)
    {
      unsigned count = first[w];

      first[w] = total;
      total += count;
    }
}

unsigned
gomp_fold_auto (unsigned workers, const unsigned *speed, unsigned *count)
{
  double all = 0, last = 0, least = 1;
  unsigned best = 0;

  for (unsigned w = 0; w < workers; w++)
    {
      count[w] = 0;
      all += speed[w];
    }
  for (unsigned ids = 1; ids <= GOMP_FOLD_MOST * workers && least > 0.04;
       ids++)
    {
      unsigned w = give_next (workers, speed, count);
      double end = (double) count[w] / speed[w];

      if (end > last)
	last = end;
      double loss = 1 - ids / all / last;
      /* Equal losses may differ by their rounding.  */
      if (ids >= workers && loss < least - 1e-9)
	{
	  least = loss;
	  best = ids;
	}
      if (ids == workers)
	{
	  unsigned most = 0;

	  for (w = 0; w < workers; w++)
	    most = count[w] > most ? count[w] : most;
	  if (most == 1)
	    /* That is a team that is not folded.  */
	    best = 0;
	}
    }
  return best;
}
