/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which worker of a folded team helps which.  */

#include "fold/fold-help.h"

static inline double
later (double a, double b)
{
  return a > b ? a : b;
}

enum gomp_fold_help
gomp_fold_judge_help (const struct gomp_fold_helps *how, double speed,
		      double now, const struct gomp_fold_load *load,
		      double *gain)
{
  double left = load->end - now;
  double slower = load->speed / speed;
  enum gomp_fold_help best = GOMP_FOLD_NO_HELP;

  *gain = how->least;
  /* One of what is left runs, so the last one has not begun.  */
  if (how->steal && left > load->each)
    {
      double end = later (load->end - load->each,
			  now + how->cost + load->each * slower);

      if (load->end - end > *gain)
	{
	  *gain = load->end - end;
	  best = GOMP_FOLD_STEAL;
	}
    }
  else if (how->pull && left - how->cost - left * slower > *gain)
    {
      *gain = left - how->cost - left * slower;
      best = GOMP_FOLD_PULL;
    }
  return best;
}

enum gomp_fold_help
gomp_fold_choose_help (const struct gomp_fold_helps *how,
		       const struct gomp_fold_load *load, unsigned count,
		       unsigned helper, double now, unsigned *other)
{
  enum gomp_fold_help best = GOMP_FOLD_NO_HELP;
  double most = 0;

  for (unsigned w = 0; w < count; w++)
    {
      double gain;
      enum gomp_fold_help way
	= gomp_fold_judge_help (how, load[helper].speed, now, &load[w], &gain);

      if (w != helper && way != GOMP_FOLD_NO_HELP && gain > most)
	{
	  most = gain;
	  best = way;
	  *other = w;
	}
    }
  return best;
}

bool
gomp_fold_steals_may_pay (const struct gomp_fold_helps *how,
			  const struct gomp_fold_load *load)
{
  double gain;

  /* In the best case one id is half done, and one has not begun.  */
  return (how->steal && load->end > 1.5 * load->each
	  && gomp_fold_judge_help (how, load->speed,
				   load->end - 1.5 * load->each, load,
				   &gain) == GOMP_FOLD_STEAL);
}

/* So many times as many helps as workers are looked at.  */
#define MOST_HELPS 8

/* The worker of LOAD that is done next after NOW, or at NOW and after LAST.
   COUNT if there is none.  */

static unsigned
next_done (const struct gomp_fold_load *load, unsigned count, double now,
	   unsigned last)
{
  unsigned first = count;

  for (unsigned w = 0; w < count; w++)
    if ((load[w].end > now || (load[w].end == now && w > last))
	&& (first == count || load[w].end < load[first].end))
      first = w;
  return first;
}

/* Worker HELPER of LOAD is done: let it help one, if that gains anything.  */

static void
help_one (const struct gomp_fold_helps *how, struct gomp_fold_load *load,
	  unsigned count, unsigned helper)
{
  double now = load[helper].end, slower;
  enum gomp_fold_help way;
  unsigned other;

  /* It has no thread.  */
  if (load[helper].each == 0)
    return;
  way = gomp_fold_choose_help (how, load, count, helper, now, &other);
  if (way == GOMP_FOLD_NO_HELP)
    return;
  slower = load[other].speed / load[helper].speed;
  if (way == GOMP_FOLD_STEAL)
    {
      load[helper].end += how->cost + load[other].each * slower;
      load[other].end -= load[other].each;
    }
  else
    {
      load[helper].end += how->cost + (load[other].end - now) * slower;
      load[other].end = now;
    }
}

double
gomp_fold_end_with_help (const struct gomp_fold_helps *how,
			 struct gomp_fold_load *load, unsigned count)
{
  double now = -1, end = 0;
  unsigned w, last = 0;

  for (unsigned n = MOST_HELPS * count;
       n != 0 && (w = next_done (load, count, now, last)) != count; n--)
    {
      now = load[w].end;
      last = w;
      help_one (how, load, count, w);
    }
  for (w = 0; w < count; w++)
    end = later (end, load[w].end);
  return end;
}
