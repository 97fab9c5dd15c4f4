/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns which worker should own which ids of a folded team.  */

#include "fold-learn.h"
#include <stdlib.h>
#include <string.h>

/* How much of a correction of speeds is believed at once.  */
#define BELIEF .9

/* More than this is no matter of speed.  */
#define MOST_CORRECTION 4

/* Workers may be so many times as fast as is believed.  */
#define PROBE_SPEED 2

#define FIRST_RENEWAL 64

/* The times of one worker's ids changed so much more than those of the others:
   its speed did, and not their work.  */
#define SPEED_CHANGE 1.2

/* The end of the worker that ends last is found to so many bits.  */
#define BITS 20

/* How many ids from FIRST on worker W ends before END, if each costs TURN
   besides its work.  */

static unsigned
count_until (const struct gomp_fold_learner *learner, unsigned first,
	     unsigned w, double turn, double end)
{
  unsigned low = 0, high = learner->ids - first;

  while (low < high)
    {
      unsigned n = low + (high - low + 1) / 2;
      double work = learner->work[first + n] - learner->work[first];

      if (work / learner->speed[w] + n * turn <= end)
	low = n;
      else
	high = n - 1;
    }
  return low;
}

/* Store ranges in NEXT with which all workers end before END.  Returns false if
   there are none.  */

static bool
fill (struct gomp_fold_learner *learner, double turn, double end)
{
  unsigned first = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    {
      learner->next[w] = first;
      first += count_until (learner, first, w, turn, end);
    }
  learner->next[learner->workers] = first;
  return first == learner->ids;
}

static inline double
larger (double a, double b)
{
  return a > b ? a : b;
}

/* When worker W ends with the ranges FIRST.  */

static double
end_of_worker (const struct gomp_fold_learner *learner, const unsigned *first,
	       unsigned w, double turn)
{
  double work = learner->work[first[w + 1]] - learner->work[first[w]];

  return work / learner->speed[w] + (first[w + 1] - first[w]) * turn;
}

/* When the last worker does.  */

static double
end_of (const struct gomp_fold_learner *learner, const unsigned *first,
	double turn)
{
  double last = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    last = larger (last, end_of_worker (learner, first, w, turn));
  return last;
}

/* Store in NEXT the ranges of which the last worker ends first.  Returns when
   that is, for the work that is known.  */

static double
cut (struct gomp_fold_learner *learner, double turn)
{
  double low = 0, high = 0;

  /* The first of the fastest workers can run all.  */
  for (unsigned w = 0; w < learner->workers; w++)
    if (learner->speed[w] >= 1)
      {
	high = (learner->work[learner->ids] * (1 + 1e-9)
		+ learner->ids * turn);
	break;
      }
  for (int bit = 0; bit < BITS; bit++)
    {
      double end = (low + high) / 2;

      if (fill (learner, turn, end))
	high = end;
      else
	low = end;
    }
  fill (learner, turn, high);
  return end_of (learner, learner->next, turn);
}

/* Make the fastest worker's speed 1.  */

static void
normalize (struct gomp_fold_learner *learner)
{
  double most = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    most = larger (most, learner->speed[w]);
  for (unsigned w = 0; w < learner->workers; w++)
    learner->speed[w] /= most;
}

struct gomp_fold_learner *
gomp_fold_make_learner (unsigned ids, unsigned workers, const double *speed,
			const unsigned *first)
{
  struct gomp_fold_learner *learner = calloc (1, sizeof *learner);
  size_t doubles = workers + ids + ids + 1;
  double *memory = malloc (doubles * sizeof (double));
  unsigned *more = malloc ((2 * (workers + 1) + ids) * sizeof (unsigned));
  bool *probed = calloc (workers, sizeof *probed);

  if (learner == NULL || memory == NULL || more == NULL || probed == NULL)
    {
      free (probed);
      free (more);
      free (memory);
      free (learner);
      return NULL;
    }
  learner->ids = ids;
  learner->workers = workers;
  learner->speed = memory;
  learner->time = learner->speed + workers;
  learner->work = learner->time + ids;
  learner->first = more;
  learner->next = learner->first + workers + 1;
  learner->owner = learner->next + workers + 1;
  learner->probed = probed;
  learner->renewal = FIRST_RENEWAL;
  learner->guess = true;
  for (unsigned w = 0; w < workers; w++)
    {
      learner->speed[w] = speed[w];
      if (speed[w] != speed[0])
	learner->guess = false;
    }
  normalize (learner);
  for (unsigned id = 0; id < ids; id++)
    {
      learner->time[id] = 0;
      learner->owner[id] = 0;
    }
  memcpy (learner->first, first, (workers + 1) * sizeof *first);
  return learner;
}

void
gomp_fold_free_learner (struct gomp_fold_learner *learner)
{
  if (learner == NULL)
    return;
  free (learner->probed);
  free (learner->first);
  free (learner->speed);
  free (learner);
}

/* Nothing is known but TIME: take ids for equally long.  */

static void
guess_speeds (struct gomp_fold_learner *learner, const double *time)
{
  for (unsigned w = 0; w < learner->workers; w++)
    {
      double sum = 0;
      unsigned count = learner->first[w + 1] - learner->first[w];

      for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
	sum += time[id];
      if (sum > 0)
	learner->speed[w] = count / sum;
    }
}

/* How much longer than in the last batch the ids took that stayed on worker W.
   0 if there is none.  */

static double
growth_on (const struct gomp_fold_learner *learner, const double *time,
	   unsigned w)
{
  double before = 0, now = 0;

  for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
    if (learner->time[id] > 0 && learner->owner[id] == w)
      {
	before += learner->time[id];
	now += time[id];
      }
  return before > 0 ? now / before : 0;
}

/* How much more work this batch was than the last one: the median of the
   workers.  Correct the speeds of those that became faster or slower.  */

static double
growth (struct gomp_fold_learner *learner, const double *time)
{
  double *sorted = learner->work, median;
  unsigned count = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    {
      double more = growth_on (learner, time, w);
      unsigned at = count;

      if (more == 0)
	continue;
      for (; at > 0 && sorted[at - 1] > more; at--)
	sorted[at] = sorted[at - 1];
      sorted[at] = more;
      count++;
    }
  if (count == 0)
    return 1;
  median = sorted[count / 2];
  for (unsigned w = 0; w < learner->workers; w++)
    {
      double more = growth_on (learner, time, w);

      if (more > 0 && median > 0
	  && (more > median * SPEED_CHANGE || more * SPEED_CHANGE < median))
	learner->speed[w] *= median / more;
    }
  return median;
}

/* Worker TO is BY times as fast as was believed, compared with FROM: so are
   those beyond it, and partly those between the two.  */

static void
correct (struct gomp_fold_learner *learner, unsigned from, unsigned to,
	 double by)
{
  double more;

  if (by > MOST_CORRECTION)
    by = MOST_CORRECTION;
  else if (by < 1. / MOST_CORRECTION)
    by = 1. / MOST_CORRECTION;
  more = BELIEF * (by - 1);
  if (from < to)
    for (unsigned w = from + 1; w < learner->workers; w++)
      learner->speed[w]
	*= 1 + more * (w < to ? (double) (w - from) / (to - from) : 1);
  else
    for (unsigned w = 0; w < from; w++)
      learner->speed[w]
	*= 1 + more * (w > to ? (double) (from - w) / (from - to) : 1);
}

/* Learn from the ids that changed their worker after the last batch.  */

static void
correct_speeds (struct gomp_fold_learner *learner, const double *time)
{
  double more = growth (learner, time);

  for (unsigned w = 0; w < learner->workers; w++)
    for (unsigned id = learner->first[w], next; id < learner->first[w + 1];
	 id = next)
      {
	unsigned from = learner->owner[id];
	double before = 0, now = 0;

	/* The ids that came from the same worker are neighbours.  */
	for (next = id; next < learner->first[w + 1]; next++)
	  {
	    if (next > id && learner->owner[next] != from)
	      break;
	    if (learner->time[next] > 0 && time[next] > 0)
	      {
		before += learner->time[next] * more;
		now += time[next];
	      }
	  }
	if (from != w && now > 0)
	  correct (learner, from, w,
		   before * learner->speed[from] / (now * learner->speed[w]));
      }
  normalize (learner);
}

/* How long one more id would take on worker TO, which is next to FROM, if it
   took as long as those that are there.  If there are none it might be
   PROBE_SPEED times as fast as is believed.  */

static double
guess_time (const struct gomp_fold_learner *learner, unsigned from,
	    unsigned to)
{
  unsigned first = learner->first[to], end = learner->first[to + 1];
  unsigned id = from < to ? learner->first[to] - 1 : end;
  double time = 0;

  if (first == end)
    return ((learner->work[id + 1] - learner->work[id])
	    / (learner->speed[to] * PROBE_SPEED));
  for (id = first; id < end; id++)
    time += learner->time[id];
  return time / (end - first);
}

/* How much later worker FROM ends than TO, which is next to it, would with an
   id of FROM's.  0 if that was tried.  */

static double
gain_of_probe (const struct gomp_fold_learner *learner, unsigned from,
	       unsigned to, double turn)
{
  unsigned boundary = from < to ? to : from;

  if (learner->probed[boundary]
      || learner->first[from] == learner->first[from + 1])
    return 0;
  return (end_of_worker (learner, learner->first, from, turn)
	  - end_of_worker (learner, learner->first, to, turn)
	  - guess_time (learner, from, to) - turn);
}

/* By the speeds that are believed no ranges are better than the present ones.
   But neighbours may end at different times because their speeds are not what
   is believed, and no id has crossed the boundary between them to tell.  Store
   in NEXT ranges in which one id crosses a boundary, if that may save more than
   LEAST.  Returns whether it may: once for each boundary, and again after
   FIRST_RENEWAL batches, and twice as many, and so on.  */

static bool
probe (struct gomp_fold_learner *learner, double turn, double least)
{
  double most = least;
  unsigned best = 0;
  bool up = false;

  if (learner->batches >= learner->renewal)
    {
      memset (learner->probed, 0, learner->workers * sizeof *learner->probed);
      learner->renewal *= 2;
    }
  for (unsigned w = 1; w < learner->workers; w++)
    {
      double gain = gain_of_probe (learner, w - 1, w, turn);
      double other = gain_of_probe (learner, w, w - 1, turn);

      if (gain > most || other > most)
	{
	  best = w;
	  up = gain > other;
	  most = up ? gain : other;
	}
    }
  if (best == 0)
    return false;
  memcpy (learner->next, learner->first,
	  (learner->workers + 1) * sizeof *learner->next);
  learner->next[best] += up ? -1 : 1;
  learner->probed[best] = true;
  return true;
}

bool
gomp_fold_learn (struct gomp_fold_learner *learner, const double *time,
		 double turn, double least)
{
  double end, saved;

  learner->batches++;
  if (learner->guess)
    {
      guess_speeds (learner, time);
      normalize (learner);
      learner->guess = false;
    }
  else
    correct_speeds (learner, time);
  learner->work[0] = 0;
  for (unsigned w = 0; w < learner->workers; w++)
    for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
      {
	learner->work[id + 1]
	  = learner->work[id] + time[id] * learner->speed[w];
	learner->time[id] = time[id];
	learner->owner[id] = w;
      }
  end = end_of (learner, learner->first, turn);
  saved = end - cut (learner, turn);
  least = larger (least, end * GOMP_FOLD_GAIN);
  if (saved <= least && !probe (learner, turn, least))
    return false;
  memcpy (learner->first, learner->next,
	  (learner->workers + 1) * sizeof *learner->first);
  return true;
}
