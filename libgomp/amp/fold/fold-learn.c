/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns costs and speeds.  The rules are in fold-learn.h.  */

#include "fold/fold-learn.h"
#include <stdlib.h>
#include <string.h>

/* The part of what ids that crossed a boundary show that is believed, and of
   what is left.  */
#define CROSSED_PART .9
#define LEFT_PART .5

/* The part of the time that trials may cost.  */
#define TRIAL_PART .01

/* A worker whose ids should take less than this part of what the busiest one's
   should has shown less of its speed, in proportion: trivial ids are noise.  */
#define ENOUGH_PART .25

/* Larger ratios are not caused by speeds: corrections; and times by what they
   should be, of ids that had nothing to do in one of two batches.  */
#define MOST_CORRECTION 4
#define MOST_ERROR 16

void *
gomp_fold_allocate (size_t count, size_t size, bool *all)
{
  void *memory = calloc (count, size);

  if (memory == NULL)
    *all = false;
  return memory;
}

bool
gomp_fold_guess_p (unsigned workers, const double *speed)
{
  double most = 0;

  for (unsigned w = 0; w < workers; w++)
    most = gomp_fold_larger (most, speed[w]);
  for (unsigned w = 0; w < workers; w++)
    if (speed[w] != most && speed[w] > most * 2 * GOMP_FOLD_NO_SPEED)
      return false;
  return true;
}

/* Store the sums of costs.  */

static void
sum_costs (struct gomp_fold_learner *learner)
{
  for (unsigned id = 0; id < learner->ids; id++)
    learner->before[id + 1] = learner->before[id] + learner->cost[id];
}

/* LEARNER knows nothing yet, and believes SPEED, as gomp_fold_init_learner.  */

static void
believe (struct gomp_fold_learner *learner, const double *speed)
{
  unsigned ids = learner->ids, workers = learner->workers;
  bool guess = gomp_fold_guess_p (workers, speed);
  double most = 0;

  learner->known = false;
  learner->doubted = !guess;
  learner->limit = __builtin_inf ();
  learner->batch_ns = learner->allowance = 0;
  for (unsigned w = 0; w < workers; w++)
    most = gomp_fold_larger (most, speed[w]);
  for (unsigned w = 0; w < workers; w++)
    {
      learner->told[w] = most / speed[w];
      gomp_fold_set_slow (learner, w, learner->told[w]);
      learner->guess[w] = guess;
    }
  for (unsigned id = 0; id < ids; id++)
    learner->cost[id] = 1;
  sum_costs (learner);
  memset (learner->timed, 0, ids * sizeof *learner->timed);
  memset (learner->shown, 0, workers * sizeof *learner->shown);
}

bool
gomp_fold_init_learner (struct gomp_fold_learner *learner, unsigned ids,
			unsigned workers, const double *speed)
{
  bool all = true;

  *learner = (struct gomp_fold_learner) { .ids = ids, .workers = workers };
  learner->told = gomp_fold_allocate (workers, sizeof (double), &all);
  learner->cost = gomp_fold_allocate (ids, sizeof (double), &all);
  learner->before = gomp_fold_allocate (ids + 1, sizeof (double), &all);
  learner->slow = gomp_fold_allocate (workers, sizeof (double), &all);
  learner->speed = gomp_fold_allocate (workers, sizeof (double), &all);
  learner->guess = gomp_fold_allocate (workers, sizeof (bool), &all);
  learner->timed = gomp_fold_allocate (ids, sizeof *learner->timed, &all);
  learner->shown = gomp_fold_allocate (workers, sizeof *learner->shown, &all);
  learner->by = gomp_fold_allocate (workers, sizeof (double), &all);
  if (all)
    believe (learner, speed);
  return all;
}

void
gomp_fold_free_learner (struct gomp_fold_learner *learner)
{
  free (learner->told);
  free (learner->cost);
  free (learner->before);
  free (learner->slow);
  free (learner->speed);
  free (learner->guess);
  free (learner->timed);
  free (learner->shown);
  free (learner->by);
}

void
gomp_fold_lengthen (struct gomp_fold_learner *learner)
{
  learner->batch_ns *= 2;
  if (learner->batch_ns < GOMP_FOLD_SHORTEST_BATCH_NS)
    learner->batch_ns = GOMP_FOLD_SHORTEST_BATCH_NS;
  else if (learner->batch_ns > GOMP_FOLD_LONGEST_BATCH_NS)
    learner->batch_ns = GOMP_FOLD_LONGEST_BATCH_NS;
}

void
gomp_fold_forget_speeds (struct gomp_fold_learner *learner)
{
  for (unsigned w = 0; w < learner->workers; w++)
    gomp_fold_set_slow (learner, w, learner->told[w]);
}

void
gomp_fold_allow (struct gomp_fold_learner *learner, double spent)
{
  learner->allowance += TRIAL_PART * spent;
}

bool
gomp_fold_afford (struct gomp_fold_learner *learner, double loss)
{
  if (loss > learner->allowance)
    return false;
  learner->allowance -= gomp_fold_larger (loss, 0);
  return true;
}

/* How long a worker's ids should take so that it shows its speed.  */

static double
enough (const struct gomp_fold_learner *learner)
{
  double most = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    most = gomp_fold_larger (most, learner->shown[w].expected);
  return most * ENOUGH_PART;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The growth, by workers that have LEAST to do.  1 if no id stayed on its
   worker, and 0 if these are the first times, and one worker did something that
   the others did not do.  */

static double
growth (struct gomp_fold_learner *learner, double least)
{
  double *sorted = learner->by;
  unsigned count = 0;

  for (unsigned w = 0; w < learner->workers; w++)
    {
      const struct gomp_fold_shown *shown = &learner->shown[w];
      double took = shown->took, expected = shown->expected;

      if (learner->known)
	{
	  took -= shown->came_took;
	  expected -= shown->came_expected;
	}
      if (expected >= least)
	sorted[count++] = took / expected;
    }
  if (count == 0)
    return 1;
  qsort (sorted, count, sizeof *sorted, compare);
  if (!learner->known && !learner->doubted
      && sorted[count - 1] > sorted[0] * MOST_ERROR)
    {
      learner->doubted = true;
      return 0;
    }
  return sorted[count / 2];
}

/* The part of the correction BY > 0 of a speed that TRUST, 0 to 1, leaves.
   Like a power of BY: what is by turns too slow and too fast cancels out.  */

static inline double
trusted (double by, double trust)
{
  return (2 - trust + trust * by) / (2 - trust + trust / by);
}

static inline double
limited (double by)
{
  return (by > MOST_CORRECTION ? MOST_CORRECTION
	  : by < 1. / MOST_CORRECTION ? 1. / MOST_CORRECTION : by);
}

/* Store in BY how much slower workers are than was believed, by ids that
   crossed boundaries.  MORE is the growth.  */

static void
compare_neighbours (struct gomp_fold_learner *learner, double more)
{
  for (unsigned id = 0; id < learner->ids && learner->known; id++)
    {
      const struct gomp_fold_timed *timed = &learner->timed[id];
      unsigned from = timed->owner, to = timed->worker;
      double usual = learner->cost[id] * learner->slow[to];
      double time = timed->sum * learner->slow[to], by, part = 1;

      if (from == to || !gomp_fold_comparable (learner, time, usual))
	continue;
      /* The speeds of the workers between the two are assumed to be, too.  */
      by = (limited (time / (usual * more)) - 1) / abs ((int) (from - to));
      while (from != to)
	{
	  struct gomp_fold_shown *shown
	    = &learner->shown[from < to ? from + 1 : from];
	  double next = part + by;

	  shown->after += from < to ? usual * next / part : usual;
	  shown->before += from < to ? usual : usual * next / part;
	  part = next;
	  from += from < to ? 1 : -1;
	}
    }
  for (unsigned w = 1; w < learner->workers; w++)
    {
      const struct gomp_fold_shown *shown = &learner->shown[w];

      learner->by[w] = learner->by[w - 1];
      if (shown->before > 0)
	learner->by[w] *= trusted (limited (shown->after / shown->before),
				   CROSSED_PART);
    }
}

/* Correct BY by what each worker's ids took beside the growth MORE.  A worker
   with LEAST to do shows its speed.  Ids that stayed there should take as long
   as before, by whatever speed and costs that was explained.  */

static void
compare_workers (struct gomp_fold_learner *learner, double more, double least)
{
  for (unsigned w = 0; w < learner->workers; w++)
    {
      const struct gomp_fold_shown *shown = &learner->shown[w];
      double trust = shown->expected / least, by;

      if (shown->expected == 0)
	continue;
      by = shown->took / (more * (shown->expected
				  + ((learner->by[w] - 1)
				     * shown->came_expected)));
      if (trust > 1)
	trust = 1;
      if (learner->guess[w])
	learner->by[w] *= trusted (by, trust);
      else if (learner->known)
	learner->by[w] *= trusted (limited (by), trust * LEFT_PART);
      learner->guess[w] &= trust < 1;
    }
}

/* Correct what is known: workers are slower by BY, and there is more to do by
   MORE.  */

static void
correct (struct gomp_fold_learner *learner, double more)
{
  double fastest = __builtin_inf ();

  for (unsigned w = 0; w < learner->workers; w++)
    {
      learner->slow[w] *= learner->by[w];
      if (learner->slow[w] < fastest)
	fastest = learner->slow[w];
    }
  for (unsigned w = 0; w < learner->workers; w++)
    gomp_fold_set_slow (learner, w, learner->slow[w] / fastest);
  for (unsigned id = 0; id < learner->ids; id++)
    {
      struct gomp_fold_timed *timed = &learner->timed[id];
      double cost = learner->cost[id] * more;

      if (timed->count != 0)
	{
	  cost = timed->sum / timed->count / learner->by[timed->worker];
	  timed->owner = timed->worker;
	}
      learner->cost[id] = cost * fastest;
    }
  sum_costs (learner);
  learner->known = true;
  learner->limit = MOST_ERROR;
}

double
gomp_fold_learn (struct gomp_fold_learner *learner)
{
  double least = enough (learner), more = 0;

  if (least > 0)
    more = growth (learner, least);
  if (more > 0)
    {
      for (unsigned w = 0; w < learner->workers; w++)
	learner->by[w] = 1;
      compare_neighbours (learner, more);
      compare_workers (learner, more, least);
      correct (learner, more);
    }
  for (unsigned id = 0; id < learner->ids; id++)
    {
      learner->timed[id].sum = 0;
      learner->timed[id].count = 0;
    }
  memset (learner->shown, 0, learner->workers * sizeof *learner->shown);
  gomp_fold_lengthen (learner);
  return more;
}
