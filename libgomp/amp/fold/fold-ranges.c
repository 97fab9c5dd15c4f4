/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts the ids of a folded team into ranges.  */

#include "fold/fold-ranges.h"
#include "base/partition.h"
#include <stdlib.h>
#include <string.h>

/* Workers without ids may be up to this many times as fast as is believed.  */
#define PROBE_SPEED 4

#define FIRST_RENEWAL 16

/* Factors of the gain that a change has to promise: after a change that did not
   keep its promise, after one that did, and after a batch without a change.  */
#define MISTRUST 2
#define TRUST .7
#define FORGIVENESS .98

/* If a change would have to promise this much, measured times are no guide: the
   ranges are the first ones again, for FIRST_PAUSE batches, then for twice as
   many, and so on.  */
#define HOPELESS .25
#define FIRST_PAUSE 8
#define MOST_PAUSE 4096

/* Whether A ids on a worker of speed SPEED_A take longer than B ids on one of
   SPEED_B.  */

static inline int
longer (unsigned a, unsigned speed_a, unsigned b, unsigned speed_b)
{
  return ((unsigned long long) a * speed_b > (unsigned long long) b * speed_a);
}

/* COUNT[w] is how many ids each worker has: give the next id to the worker that
   would end it first, which is the best that can be done for ids of equal work,
   and of several such ones to one without an id, which picks up no other one.
   Returns that worker.  */

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

void
gomp_fold_spread (unsigned ids, unsigned workers, const unsigned *speed,
		  unsigned *first, unsigned *owner, unsigned *order)
{
  unsigned total = 0, home = 0, at = 0;

  for (unsigned w = 0; w <= workers; w++)
    first[w] = 0;
  for (unsigned id = 0; id < ids; id++)
    owner[id] = give_next (workers, speed, first);
  while (first[home] == 0)
    home++;
  while (owner[at] != home)
    at++;
  owner[at] = owner[0];
  owner[0] = home;
  for (unsigned w = 0; w < workers; w++)
    {
      unsigned count = first[w];

      first[w] = total;
      total += count;
    }
  for (unsigned id = 0; id < ids; id++)
    order[first[owner[id]]++] = id;
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

/* When worker W ends with the ranges FIRST.  */

static double
end_of_worker (const struct gomp_fold_ranges *ranges, const unsigned *first,
	       unsigned w, double turn)
{
  const struct gomp_fold_learner *learner = &ranges->learner;
  double cost = learner->before[first[w + 1]] - learner->before[first[w]];

  return cost * learner->slow[w] + (first[w + 1] - first[w]) * turn;
}

/* When the last worker does.  */

static double
end_of (const struct gomp_fold_ranges *ranges, const unsigned *first,
	double turn)
{
  double last = 0;

  for (unsigned w = 0; w < ranges->learner.workers; w++)
    last = gomp_fold_larger (last, end_of_worker (ranges, first, w, turn));
  return last;
}

/* Store in NEXT the ranges of which the last worker ends first.  Returns when
   it does.  */

static double
cut (struct gomp_fold_ranges *ranges, double turn)
{
  const struct gomp_fold_learner *learner = &ranges->learner;
  struct gomp_amp_work work = { .units = learner->ids,
				.before = learner->before, .turn = turn,
				.workers = learner->workers,
				.slow = learner->slow };

  gomp_amp_partition (&work, ranges->next);
  return end_of (ranges, ranges->next, turn);
}

struct gomp_fold_ranges *
gomp_fold_make_ranges (unsigned ids, unsigned workers, const double *speed,
		       const unsigned *first)
{
  struct gomp_fold_ranges *ranges = calloc (1, sizeof *ranges);
  size_t size = (workers + 1) * sizeof *first;
  bool all = true;

  if (ranges == NULL)
    return NULL;
  all = gomp_fold_init_learner (&ranges->learner, ids, workers, speed);
  ranges->first = gomp_fold_allocate (1, size, &all);
  ranges->home = gomp_fold_allocate (1, size, &all);
  ranges->next = gomp_fold_allocate (1, size, &all);
  ranges->probed = gomp_fold_allocate (workers, sizeof *ranges->probed, &all);
  if (!all)
    {
      gomp_fold_free_ranges (ranges);
      return NULL;
    }
  ranges->renewal = FIRST_RENEWAL;
  ranges->gain = GOMP_FOLD_GAIN;
  ranges->pause = FIRST_PAUSE;
  if (gomp_fold_guess_p (workers, speed))
    {
      ranges->learner.allowance = __builtin_inf ();
      ranges->learner.batch_ns = GOMP_FOLD_SHORTEST_BATCH_NS;
    }
  else
    ranges->learner.batch_ns = GOMP_FOLD_FIRST_BATCH_NS;
  memcpy (ranges->first, first, size);
  memcpy (ranges->home, first, size);
  return ranges;
}

void
gomp_fold_free_ranges (struct gomp_fold_ranges *ranges)
{
  if (ranges == NULL)
    return;
  gomp_fold_free_learner (&ranges->learner);
  free (ranges->first);
  free (ranges->home);
  free (ranges->next);
  free (ranges->probed);
  free (ranges);
}

/* How long one more id would take on worker TO, which is next to FROM, if it
   took as long as those that are there.  If there are none TO might be
   PROBE_SPEED times as fast as is believed, but not faster than FROM.  */

static double
guess_time (const struct gomp_fold_ranges *ranges, unsigned from,
	    unsigned to)
{
  unsigned first = ranges->first[to], end = ranges->first[to + 1];

  if (first == end)
    {
      unsigned id = from < to ? first - 1 : end;
      double slow = gomp_fold_larger (ranges->learner.slow[to] / PROBE_SPEED,
				      ranges->learner.slow[from]);

      return ranges->learner.cost[id] * slow;
    }
  return end_of_worker (ranges, ranges->first, to, 0) / (end - first);
}

/* How much later worker FROM ends than TO, which is next to it, would with an
   id of FROM's.  0 if that was tried.  */

static double
gain_of_probe (const struct gomp_fold_ranges *ranges, unsigned from,
	       unsigned to, double turn)
{
  unsigned boundary = from < to ? to : from;

  if (ranges->probed[boundary]
      || ranges->first[from + 1] == ranges->first[from])
    return 0;
  return (end_of_worker (ranges, ranges->first, from, turn)
	  - end_of_worker (ranges, ranges->first, to, turn)
	  - guess_time (ranges, from, to) - turn);
}

/* Store in NEXT ranges in which one id crosses a boundary, if by the speeds
   that may be true that saves more than LEAST.  Returns the worker after the
   boundary, 0 if there is none.  */

static unsigned
find_probe (struct gomp_fold_ranges *ranges, double turn, double least)
{
  double most = least;
  unsigned best = 0;
  bool up = false;

  for (unsigned w = 1; w < ranges->learner.workers; w++)
    {
      double gain = gain_of_probe (ranges, w - 1, w, turn);
      double other = gain_of_probe (ranges, w, w - 1, turn);

      if (gain > most || other > most)
	{
	  best = w;
	  up = gain > other;
	  most = up ? gain : other;
	}
    }
  if (best != 0)
    {
      memcpy (ranges->next, ranges->first,
	      (ranges->learner.workers + 1) * sizeof *ranges->next);
      ranges->next[best] += up ? -1 : 1;
    }
  return best;
}

static void
forget_probes (struct gomp_fold_ranges *ranges)
{
  memset (ranges->probed, 0,
	  ranges->learner.workers * sizeof *ranges->probed);
}

/* By the estimated speeds no ranges are better than the present ones, with
   which the batch ended at END.  But neighbours may end at different times
   because the estimates are wrong, and no id has crossed the boundary between
   them to show it.  Store in NEXT the ranges of a probe, if that may save more
   than LEAST. Returns whether it may.  A boundary is probed once, and again
   after FIRST_RENEWAL batches, after twice as many, and so on.  Where speeds
   were given there is no probe before its cost, if the estimates are right, is
   a small part of the time that has passed.  */

static bool
probe (struct gomp_fold_ranges *ranges, double turn, double least,
       double end)
{
  unsigned boundary;

  if (ranges->batches >= ranges->renewal)
    {
      forget_probes (ranges);
      ranges->renewal *= 2;
    }
  boundary = find_probe (ranges, turn,
			 gomp_fold_larger (least, end * GOMP_FOLD_GAIN));
  if (boundary == 0
      || !gomp_fold_afford (&ranges->learner,
			    end_of (ranges, ranges->next, turn) - end))
    return false;
  ranges->probed[boundary] = true;
  return true;
}

/* The batch ended at END, measured in work of the last one.  If ranges were
   changed before, that should have been earlier: where it was not, and where
   costs change from batch to batch it is so by chance only, the next change has
   to promise more, and the results of probes may be wrong too.  Forgets that
   change.  */

static void
judge (struct gomp_fold_ranges *ranges, double end)
{
  if (ranges->promised == 0)
    ranges->gain *= FORGIVENESS;
  else if (end > ranges->before)
    {
      ranges->gain *= MISTRUST;
      forget_probes (ranges);
    }
  else if (end < (ranges->promised + ranges->before) / 2)
    ranges->gain *= TRUST;
  ranges->gain = gomp_fold_larger (ranges->gain, GOMP_FOLD_GAIN);
  ranges->promised = 0;
}

/* Make FIRST the present ones.  Returns whether they are others.  */

static bool
go_to (struct gomp_fold_ranges *ranges, const unsigned *first)
{
  size_t size = (ranges->learner.workers + 1) * sizeof *first;
  bool others = memcmp (ranges->first, first, size) != 0;

  memcpy (ranges->first, first, size);
  return others;
}

/* Measured times are no guide for now.  Returns whether the ranges change.  */

static bool
give_up (struct gomp_fold_ranges *ranges)
{
  gomp_fold_forget_speeds (&ranges->learner);
  ranges->gain = GOMP_FOLD_GAIN;
  ranges->rest = ranges->pause;
  if (ranges->pause < MOST_PAUSE)
    ranges->pause *= 2;
  return go_to (ranges, ranges->home);
}

bool
gomp_fold_better_ranges (struct gomp_fold_ranges *ranges, const double *time,
			 double turn, double least)
{
  struct gomp_fold_learner *learner = &ranges->learner;
  double end, saved, more;

  ranges->batches++;
  if (ranges->rest != 0)
    {
      ranges->rest--;
      gomp_fold_lengthen (learner);
      return false;
    }
  for (unsigned w = 0; w < learner->workers; w++)
    for (unsigned id = ranges->first[w]; id < ranges->first[w + 1]; id++)
      gomp_fold_add_time (learner, id, w, time[id]);
  more = gomp_fold_learn (learner);
  if (more == 0)
    return false;
  end = end_of (ranges, ranges->first, turn);
  gomp_fold_allow (learner, end);
  judge (ranges, end / more);
  saved = end - cut (ranges, turn);
  if (ranges->gain > HOPELESS)
    return give_up (ranges);
  if (saved > gomp_fold_larger (least, end * ranges->gain))
    {
      ranges->before = end;
      ranges->promised = end - saved;
    }
  else if (!probe (ranges, turn, least, end))
    return false;
  return go_to (ranges, ranges->next);
}
