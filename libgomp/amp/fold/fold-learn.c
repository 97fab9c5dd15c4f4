/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns which worker should own which ids of a folded team.  */

#include "fold/fold-learn.h"
#include "base/partition.h"
#include <stdlib.h>
#include <string.h>

/* The part of a correction of speeds that is applied at once.  */
#define BELIEF .9

/* Larger ratios are not caused by speeds: between the speeds before and after a
   correction, and between a speed and the one that was given.  */
#define MOST_CORRECTION 4
#define MOST_ERROR 16

/* Workers without ids may be up to this many times as fast as is believed.  */
#define PROBE_SPEED 4

#define FIRST_RENEWAL 16

/* The part of the time that probes may cost.  */
#define PROBE_PART .02

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

/* The times of one worker's ids changed so much more than those of the others:
   its speed did, and not their work.  */
#define SPEED_CHANGE 1.2

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
   it does.  */

static double
cut (struct gomp_fold_learner *learner, double turn)
{
  struct gomp_amp_work work = { .units = learner->ids, .pieces = learner->ids,
				.before = learner->work, .turn = turn,
				.workers = learner->workers,
				.speed = learner->speed };

  gomp_amp_partition (&work, learner->cut);
  for (unsigned w = 0; w < learner->workers; w++)
    learner->next[w] = learner->cut[w];
  learner->next[learner->workers] = learner->ids;
  return end_of (learner, learner->next, turn);
}

/* Make the fastest worker's speed 1, and no speed too different from the one
   that was given.  */

static void
normalize (struct gomp_fold_learner *learner)
{
  double most = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    most = larger (most, learner->speed[w]);
  for (unsigned w = 0; w < learner->workers; w++)
    {
      double least = learner->told[w] / MOST_ERROR;

      learner->speed[w] = larger (learner->speed[w] / most, least);
    }
  most = 0;
  for (unsigned w = 0; w < learner->workers; w++)
    {
      if (learner->speed[w] > learner->told[w] * MOST_ERROR)
	learner->speed[w] = learner->told[w] * MOST_ERROR;
      most = larger (most, learner->speed[w]);
    }
  for (unsigned w = 0; w < learner->workers; w++)
    learner->speed[w] /= most;
}

struct gomp_fold_learner *
gomp_fold_make_learner (unsigned ids, unsigned workers, const double *speed,
			const unsigned *first)
{
  struct gomp_fold_learner *learner = calloc (1, sizeof *learner);
  size_t doubles = 2 * workers + ids + ids + 1;
  double *memory = malloc (doubles * sizeof (double));
  unsigned *more = malloc ((3 * (workers + 1) + ids) * sizeof (unsigned));
  unsigned long long *cut = malloc (workers * sizeof *cut);
  bool *probed = calloc (workers, sizeof *probed);
  double most = 0;

  if (learner == NULL || memory == NULL || more == NULL || cut == NULL
      || probed == NULL)
    {
      free (probed);
      free (cut);
      free (more);
      free (memory);
      free (learner);
      return NULL;
    }
  learner->ids = ids;
  learner->workers = workers;
  learner->speed = memory;
  learner->told = learner->speed + workers;
  learner->time = learner->told + workers;
  learner->work = learner->time + ids;
  learner->first = more;
  learner->next = learner->first + workers + 1;
  learner->home = learner->next + workers + 1;
  learner->owner = learner->home + workers + 1;
  learner->cut = cut;
  learner->probed = probed;
  learner->renewal = FIRST_RENEWAL;
  learner->gain = GOMP_FOLD_GAIN;
  learner->pause = FIRST_PAUSE;
  learner->guess = true;
  for (unsigned w = 0; w < workers; w++)
    {
      most = larger (most, speed[w]);
      if (speed[w] != speed[0])
	learner->guess = false;
    }
  if (learner->guess)
    learner->allowance = __builtin_inf ();
  learner->batch_ns = (learner->guess ? GOMP_FOLD_FIRST_GUESS_NS
		       : GOMP_FOLD_FIRST_BATCH_NS);
  for (unsigned w = 0; w < workers; w++)
    learner->speed[w] = learner->told[w] = speed[w] / most;
  for (unsigned id = 0; id < ids; id++)
    {
      learner->time[id] = 0;
      learner->owner[id] = 0;
    }
  memcpy (learner->first, first, (workers + 1) * sizeof *first);
  memcpy (learner->home, first, (workers + 1) * sizeof *first);
  return learner;
}

void
gomp_fold_free_learner (struct gomp_fold_learner *learner)
{
  if (learner == NULL)
    return;
  free (learner->probed);
  free (learner->cut);
  free (learner->first);
  free (learner->speed);
  free (learner);
}

/* Nothing is known but TIME: take ids for equally long.  Returns whether that
   is likely: not where one did something that the others did not do.  */

static bool
guess_speeds (struct gomp_fold_learner *learner, const double *time)
{
  double least = 0, most = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    {
      double sum = 0;
      unsigned count = learner->first[w + 1] - learner->first[w];

      for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
	sum += time[id];
      learner->speed[w] = sum > 0 ? count / sum : 0;
      most = larger (most, learner->speed[w]);
      if (sum > 0 && (least == 0 || learner->speed[w] < least))
	least = learner->speed[w];
    }
  if (most == 0)
    return false;
  for (unsigned w = 0; w < learner->workers; w++)
    if (learner->speed[w] == 0)
      learner->speed[w] = most;
  return most <= least * MOST_ERROR;
}

/* Whether ID, which took so long now, did alike in the last batch.  Of one that
   had nothing to do in one of the two the times say nothing of speeds.  */

static inline bool
comparable (const struct gomp_fold_learner *learner, unsigned id, double now)
{
  double before = learner->time[id];

  return (before > 0 && now > 0
	  && now < before * MOST_ERROR && before < now * MOST_ERROR);
}

/* How much longer than in the last batch the ids took that stayed on worker W.
   0 if there is none.  */

static double
growth_on (const struct gomp_fold_learner *learner, const double *time,
	   unsigned w)
{
  double before = 0, now = 0;

  for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
    if (comparable (learner, id, time[id]) && learner->owner[id] == w)
      {
	before += learner->time[id];
	now += time[id];
      }
  return before > 0 ? now / before : 0;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
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

      if (more > 0)
	sorted[count++] = more;
    }
  if (count == 0)
    return 1;
  qsort (sorted, count, sizeof *sorted, compare);
  median = sorted[count / 2];
  for (unsigned w = 0; w < learner->workers; w++)
    {
      double more = growth_on (learner, time, w);

      if (more > 0
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

/* Learn from the ids that changed their worker after the last batch.  Returns
   how much more work this batch was.  */

static double
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
	    if (comparable (learner, next, time[next]))
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
  return more;
}

/* How long one more id would take on worker TO, which is next to FROM, if it
   took as long as those that are there.  If there are none TO might be
   PROBE_SPEED times as fast as is believed, but not faster than FROM.  */

static double
guess_time (const struct gomp_fold_learner *learner, unsigned from,
	    unsigned to)
{
  unsigned first = learner->first[to], end = learner->first[to + 1];

  if (first == end)
    {
      unsigned id = from < to ? first - 1 : end;
      double speed = learner->speed[to] * PROBE_SPEED;

      if (speed > learner->speed[from])
	speed = learner->speed[from];
      return (learner->work[id + 1] - learner->work[id]) / speed;
    }
  return end_of_worker (learner, learner->first, to, 0) / (end - first);
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

/* Store in NEXT ranges in which one id crosses a boundary, if by the speeds
   that may be true that saves more than LEAST.  Returns the worker after the
   boundary, 0 if there is none.  */

static unsigned
find_probe (struct gomp_fold_learner *learner, double turn, double least)
{
  double most = least;
  unsigned best = 0;
  bool up = false;

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
  if (best != 0)
    {
      memcpy (learner->next, learner->first,
	      (learner->workers + 1) * sizeof *learner->next);
      learner->next[best] += up ? -1 : 1;
    }
  return best;
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
probe (struct gomp_fold_learner *learner, double turn, double least,
       double end)
{
  unsigned boundary;
  double loss;

  if (learner->batches >= learner->renewal)
    {
      memset (learner->probed, 0, learner->workers * sizeof *learner->probed);
      learner->renewal *= 2;
    }
  boundary = find_probe (learner, turn, larger (least, end * GOMP_FOLD_GAIN));
  if (boundary == 0)
    return false;
  loss = end_of (learner, learner->next, turn) - end;
  if (loss > learner->allowance)
    return false;
  learner->allowance -= larger (loss, 0);
  learner->probed[boundary] = true;
  return true;
}

/* The batch ended at END, measured in work of the last one.  If ranges were
   changed before, that should have been earlier: where it was not, and where
   costs change from batch to batch it is so by chance only, the next change has
   to promise more, and the results of probes may be wrong too.  Forgets that
   change.  */

static void
judge (struct gomp_fold_learner *learner, double end)
{
  if (learner->promised == 0)
    learner->gain *= FORGIVENESS;
  else if (end > learner->before)
    {
      learner->gain *= MISTRUST;
      memset (learner->probed, 0, learner->workers * sizeof *learner->probed);
    }
  else if (end < (learner->promised + learner->before) / 2)
    learner->gain *= TRUST;
  learner->gain = larger (learner->gain, GOMP_FOLD_GAIN);
  learner->promised = 0;
}

/* Make RANGES the present ones.  Returns whether they are others.  */

static bool
go_to (struct gomp_fold_learner *learner, const unsigned *ranges)
{
  size_t size = (learner->workers + 1) * sizeof *ranges;
  bool others = memcmp (learner->first, ranges, size) != 0;

  memcpy (learner->first, ranges, size);
  return others;
}

/* Measured times are no guide for now.  Returns whether the ranges change.  */

static bool
give_up (struct gomp_fold_learner *learner)
{
  memcpy (learner->speed, learner->told,
	  learner->workers * sizeof *learner->speed);
  learner->gain = GOMP_FOLD_GAIN;
  learner->rest = learner->pause;
  if (learner->pause < MOST_PAUSE)
    learner->pause *= 2;
  return go_to (learner, learner->home);
}

bool
gomp_fold_learn (struct gomp_fold_learner *learner, const double *time,
		 double turn, double least)
{
  double end, saved, more = 1;

  learner->batches++;
  learner->batch_ns *= 2;
  if (learner->batch_ns > GOMP_FOLD_LONGEST_BATCH_NS)
    learner->batch_ns = GOMP_FOLD_LONGEST_BATCH_NS;
  if (learner->rest != 0)
    {
      learner->rest--;
      return false;
    }
  if (!learner->guess)
    more = correct_speeds (learner, time);
  else
    {
      if (!guess_speeds (learner, time) && !learner->doubted)
	{
	  learner->doubted = true;
	  return false;
	}
      normalize (learner);
      learner->guess = false;
    }
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
  learner->allowance += PROBE_PART * end;
  judge (learner, end / more);
  saved = end - cut (learner, turn);
  if (learner->gain > HOPELESS)
    return give_up (learner);
  if (saved > larger (least, end * learner->gain))
    {
      learner->before = end;
      learner->promised = end - saved;
    }
  else if (!probe (learner, turn, least, end))
    return false;
  return go_to (learner, learner->next);
}
