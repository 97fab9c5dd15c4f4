/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Deals the ids of called regions by what was measured.  */

#include "fold/fold-shares.h"
#include "base/partition.h"
#include <stdlib.h>
#include <string.h>

/* The weight of a batch in what is known of costs, and of waits.  */
#define COST_WEIGHT .75
#define WEIGHT .5

/* Ids of this mean time, in nanoseconds, are timed in each run, which costs 50
   each.  Shorter ones are in one of TIMED_RUNS runs.  */
#define TIMED_NS 1000
#define TIMED_RUNS 16

/* Neighbours are parted if that saves this part of the time.  */
#define SCATTER_GAIN .03

/* Another crew has to save this part.  So has it at first to leave a worker
   without an id, as the costs of ids are not known.  */
#define HYSTERESIS .05

/* The runs of a trial; before them comes one that is not measured if HOME was
   alone.  */
#define TRIAL_RUNS 4

/* Fewer workers are tried after so many batches at most.  HOME alone is not
   where it would take more than so many times as long as all: what the clock
   and the others' caches add to the time of an id is less than that.  */
#define LAST_FEWER 1024
#define MOST_ALONE 4

/* In longer runs it does not matter what it costs to wake a worker and to wait
   for it.  */
#define MOST_FAST_NS 1e5

/* What runs take by what they should take is in these limits.  More is caused
   by other processes.  */
#define LEAST_RATIO .25
#define MOST_RATIO 4

/* A worker that had no ids is tried again if it was found to be so much slower
   than it was said to be.  */
#define IDLE_ERROR 1.1

/* Of runs that HOME does alone in less than SHORT_NS one of SKIP + 1 is
   measured.  */
#define SHORT_NS 5000
#define SKIP 15

struct gomp_fold_cost
{
  double cost;
  unsigned id, worker;
};

/* When worker W begins if HOME is not alone; infinite if it is too slow for the
   crew that it is dealt to.  */

static inline double
begin_of (const struct gomp_fold_deal *deal, unsigned w)
{
  return (w == deal->home ? deal->publish_ns
	  : deal->learner.slow[w] <= deal->limit ? deal->wake_ns
	  : __builtin_inf ());
}

/* The order of the ids is their own.  */

static void
keep_order (struct gomp_fold_deal *deal)
{
  for (unsigned id = 0; id < deal->ids; id++)
    deal->dealt.order[id] = id;
}

/* Deal ranges of neighbours.  Returns when the last worker ends.  */

static double
deal_ranges (struct gomp_fold_deal *deal)
{
  const struct gomp_fold_learner *learner = &deal->learner;
  struct gomp_amp_work work = { .units = deal->ids, .before = learner->before,
				.workers = deal->workers,
				.slow = learner->slow, .begin = deal->end };
  double last;

  for (unsigned w = 0; w < deal->workers; w++)
    deal->end[w] = w < deal->home ? __builtin_inf () : begin_of (deal, w);
  /* HOME has id 0 whatever that takes.  */
  work.least = (deal->end[deal->home]
		+ learner->cost[0] * learner->slow[deal->home]);
  keep_order (deal);
  last = gomp_amp_partition (&work, deal->dealt.first);
  /* Rounded, that may be a little less than it takes.  */
  for (unsigned w = deal->home + 1; deal->dealt.first[w] == 0; w++)
    deal->dealt.first[w] = 1;
  return last;
}

/* The order of qsort: heavy ids first, of equal ones the lower.  */

static int
compare_costs (const void *a, const void *b)
{
  const struct gomp_fold_cost *x = a, *y = b;

  if (x->cost != y->cost)
    return x->cost < y->cost ? 1 : -1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* Give each id, from the heaviest one on, to the worker that ends it first, but
   id 0 to HOME before.  Stores that in SORTED.  Returns when the last worker
   ends.  */

static double
scatter (struct gomp_fold_deal *deal)
{
  const struct gomp_fold_learner *learner = &deal->learner;
  struct gomp_fold_cost *sorted = deal->sorted;
  double *end = deal->end, last;

  for (unsigned id = 0; id < deal->ids; id++)
    sorted[id] = (struct gomp_fold_cost) { learner->cost[id], id, deal->home };
  qsort (sorted + 1, deal->ids - 1, sizeof *sorted, compare_costs);
  for (unsigned w = 0; w < deal->workers; w++)
    end[w] = begin_of (deal, w);
  last = end[deal->home] += learner->cost[0] * learner->slow[deal->home];
  for (unsigned i = 1; i < deal->ids; i++)
    {
      double best
	= end[deal->home] + sorted[i].cost * learner->slow[deal->home];

      for (unsigned w = deal->home + 1; w < deal->workers; w++)
	{
	  double own = end[w] + sorted[i].cost * learner->slow[w];

	  if (own < best)
	    {
	      best = own;
	      sorted[i].worker = w;
	    }
	}
      end[sorted[i].worker] = best;
      last = gomp_fold_larger (last, best);
    }
  return last;
}

/* Deal what scatter stored.  */

static void
deal_scattered (struct gomp_fold_deal *deal)
{
  unsigned at = 0;

  for (unsigned w = 0; w < deal->workers; w++)
    {
      deal->dealt.first[w] = at;
      for (unsigned i = 0; i < deal->ids; i++)
	if (deal->sorted[i].worker == w)
	  deal->dealt.order[at++] = deal->sorted[i].id;
    }
}

/* Give each worker ids by its speed, as if all cost the same, HOME one at
   least.  */

static void
deal_by_speed (struct gomp_fold_deal *deal)
{
  double all = 0, sum = 0;

  for (unsigned w = deal->home; w < deal->workers; w++)
    all += deal->learner.speed[w];
  for (unsigned w = 0; w < deal->workers; w++)
    {
      unsigned first = deal->ids * sum / all + .5;

      deal->dealt.first[w] = w > deal->home && first == 0 ? 1 : first;
      if (w >= deal->home)
	sum += deal->learner.speed[w];
    }
  keep_order (deal);
}

/* HOME gets all ids.  */

static void
deal_alone (struct gomp_fold_deal *deal)
{
  for (unsigned w = 0; w <= deal->workers; w++)
    deal->dealt.first[w] = w <= deal->home ? 0 : deal->ids;
  keep_order (deal);
}

/* Store what workers guess by, of a region that ends at END.  */

static void
describe (struct gomp_fold_deal *deal, double end)
{
  double before = 0;
  float value = deal->learner.known ? end : 0;

  __atomic_store (&deal->dealt.end_ns, &value, __ATOMIC_RELAXED);
  for (unsigned at = 0; at <= deal->ids; at++)
    {
      value = before;
      __atomic_store (&deal->dealt.cost[at], &value, __ATOMIC_RELAXED);
      if (at < deal->ids)
	before += deal->learner.cost[deal->dealt.order[at]];
    }
  deal->woken = 0;
  for (unsigned w = 0; w < deal->workers; w++)
    {
      deal->dealt.slow[w] = deal->learner.known ? deal->learner.slow[w] : 0;
      deal->woken += deal->dealt.first[w] < deal->dealt.first[w + 1];
    }
}

/* How long HOME alone should take.  */

static double
predict_alone (const struct gomp_fold_deal *deal)
{
  const struct gomp_fold_learner *learner = &deal->learner;

  return learner->before[deal->ids] * learner->slow[deal->home];
}

/* How long a run should take as DEAL is dealt, if each worker runs its own ids
   only.  */

static double
predict_together (const struct gomp_fold_deal *deal)
{
  double last = 0;

  for (unsigned w = 0; w < deal->workers; w++)
    {
      double end = begin_of (deal, w);

      if (deal->dealt.first[w] == deal->dealt.first[w + 1])
	continue;
      for (unsigned at = deal->dealt.first[w]; at < deal->dealt.first[w + 1];
	   at++)
	end += (deal->learner.cost[deal->dealt.order[at]]
		* deal->learner.slow[w]);
      last = gomp_fold_larger (last, end);
    }
  return last + deal->arrive_ns;
}

/* What a run that took NS and should have taken PREDICTED says.  */

static double
ratio_of (double ns, double predicted)
{
  double ratio = ns / predicted;

  return (ratio < LEAST_RATIO ? LEAST_RATIO
	  : ratio > MOST_RATIO ? MOST_RATIO : ratio);
}

/* Which workers may have ids for CREW: those that are nearer to the fastest
   one than to the slowest one that runs at all, if not all.  Returns whether
   these are others than in the other crews.  */

static bool
set_limit (struct gomp_fold_deal *deal, enum gomp_fold_crew crew)
{
  const double *slow = deal->learner.slow;
  double slowest = 1;
  unsigned fast = 0, others = 0;

  deal->limit = __builtin_inf ();
  if (crew != GOMP_FOLD_CREW_FAST)
    return true;
  for (unsigned w = deal->home; w < deal->workers; w++)
    if (slow[w] < .5 / GOMP_FOLD_NO_SPEED)
      slowest = gomp_fold_larger (slowest, slow[w]);
  deal->limit = (1 + slowest) / 2;
  for (unsigned w = deal->home + 1; w < deal->workers; w++)
    {
      fast += slow[w] <= deal->limit;
      others += slow[w] > deal->limit;
    }
  return fast != 0 && others != 0;
}

/* Arrange DEAL for CREW.  Returns how long a run should take, infinite if
   the crew is none of its own.  */

static double
arrange (struct gomp_fold_deal *deal, enum gomp_fold_crew crew)
{
  double together, scattered;

  if (!set_limit (deal, crew))
    return __builtin_inf ();
  if (crew == GOMP_FOLD_CREW_HOME)
    {
      deal_alone (deal);
      return predict_alone (deal);
    }
  together = deal_ranges (deal);
  scattered = scatter (deal);
  if (scattered < together * (1 - SCATTER_GAIN))
    {
      deal_scattered (deal);
      together = scattered;
    }
  return (crew == GOMP_FOLD_CREW_FAST && together > MOST_FAST_NS
	  ? __builtin_inf () : together + deal->arrive_ns);
}

/* The crew that is predicted to end first.  */

static enum gomp_fold_crew
best_crew (const struct gomp_fold_deal *deal)
{
  enum gomp_fold_crew best = GOMP_FOLD_CREW_ALL;
  double least = __builtin_inf ();

  for (unsigned crew = 0; crew < GOMP_FOLD_CREWS && deal->learner.known; crew++)
    {
      const struct gomp_fold_used *used = &deal->used[crew];
      double ns = used->predicted * used->ratio;

      if (crew == deal->crew)
	ns *= 1 - HYSTERESIS;
      if (ns < least)
	{
	  least = ns;
	  best = crew;
	}
    }
  return best;
}

/* Predict each crew.  DEAL is arranged for CREW, FAST or ALL, then, which is
   most often the one to stay.  Returns how long a run should take so.  */

static double
predict_crews (struct gomp_fold_deal *deal, enum gomp_fold_crew crew)
{
  enum gomp_fold_crew other
    = GOMP_FOLD_CREW_FAST + GOMP_FOLD_CREW_ALL - crew;
  struct gomp_fold_used *used = deal->used;
  double end;

  used[GOMP_FOLD_CREW_HOME].predicted = predict_alone (deal);
  used[other].predicted = arrange (deal, other);
  end = used[crew].predicted = arrange (deal, crew);
  for (unsigned each = 0; each < GOMP_FOLD_CREWS && deal->changed; each++)
    if (each != deal->crew && used[each].ns > 0)
      used[each].ratio = ratio_of (used[each].ns, used[each].predicted);
  /* Slow workers would have no ids anyway.  */
  if (used[GOMP_FOLD_CREW_FAST].predicted
      <= used[GOMP_FOLD_CREW_ALL].predicted)
    used[GOMP_FOLD_CREW_FAST].predicted = __builtin_inf ();
  return end;
}

/* Arrange DEAL by what is known, for CREW, or for the best one if that is
   GOMP_FOLD_CREWS.  */

static void
redeal (struct gomp_fold_deal *deal, enum gomp_fold_crew crew)
{
  double cost = deal->learner.before[deal->ids], end;
  enum gomp_fold_crew last = deal->crew, arranged
    = last == GOMP_FOLD_CREW_FAST ? last : GOMP_FOLD_CREW_ALL;
  bool trial = crew != GOMP_FOLD_CREWS;

  end = predict_crews (deal, arranged);
  if (!trial)
    crew = best_crew (deal);
  if (crew != arranged)
    end = arrange (deal, crew);
  /* In a dynamic loop that HOME ran alone id 0 has all of the cost.  */
  if (trial && crew == GOMP_FOLD_CREW_ALL
      && deal->dealt.first[deal->home + 1] == deal->ids)
    deal_by_speed (deal);
  describe (deal, (crew == GOMP_FOLD_CREW_HOME
		   ? end * deal->used[crew].ratio : end - deal->arrive_ns));
  deal->crew = deal->woken == 1 ? GOMP_FOLD_CREW_HOME : crew;
  deal->changed = deal->crew != last;
  deal->short_ids = deal->learner.known && cost < TIMED_NS * (double) deal->ids;
  deal->next_timed = true;
}

void
gomp_fold_restart_deal (struct gomp_fold_deal *deal, const double *speed)
{
  gomp_fold_restart_learner (&deal->learner, speed);
  deal->woken = deal->skip = deal->runs = 0;
  deal->publish_ns = deal->wake_ns = deal->arrive_ns = 0;
  for (unsigned crew = 0; crew < GOMP_FOLD_CREWS; crew++)
    deal->used[crew] = (struct gomp_fold_used) { .ratio = 1, .after = 1 };
  deal->phase = GOMP_FOLD_STEADY;
  deal->changed = false;
  deal->crew = GOMP_FOLD_CREW_ALL;
  deal->batch = (struct gomp_fold_batch) { 0 };
  for (unsigned w = 0; w < deal->workers; w++)
    gomp_fold_set_slow (&deal->learner, w,
			gomp_fold_larger (1, (deal->learner.told[w]
					      * (1 - HYSTERESIS))));
  redeal (deal, GOMP_FOLD_CREWS);
  gomp_fold_forget_speeds (&deal->learner);
}

struct gomp_fold_deal *
gomp_fold_make_deal (unsigned ids, unsigned workers, unsigned home,
		     const double *speed)
{
  struct gomp_fold_deal *deal = calloc (1, sizeof *deal);
  struct gomp_fold_dealt *dealt;
  bool all;

  if (deal == NULL)
    return NULL;
  dealt = &deal->dealt;
  deal->ids = dealt->ids = ids;
  deal->workers = workers;
  deal->home = home;
  all = gomp_fold_init_learner (&deal->learner, ids, workers, speed, false,
				COST_WEIGHT);
  dealt->order = gomp_fold_allocate (ids, sizeof *dealt->order, &all);
  dealt->first = gomp_fold_allocate (workers + 1, sizeof *dealt->first, &all);
  dealt->slow = gomp_fold_allocate (workers, sizeof *dealt->slow, &all);
  dealt->times = gomp_fold_allocate (ids, sizeof *dealt->times, &all);
  dealt->cost = gomp_fold_allocate (ids + 1, sizeof *dealt->cost, &all);
  deal->end = gomp_fold_allocate (workers, sizeof *deal->end, &all);
  deal->sorted = gomp_fold_allocate (ids, sizeof *deal->sorted, &all);
  if (!all)
    {
      gomp_fold_free_deal (deal);
      return NULL;
    }
  gomp_fold_restart_deal (deal, speed);
  return deal;
}

size_t
gomp_fold_deal_size (unsigned ids, unsigned workers)
{
  const struct gomp_fold_deal *deal;
  const struct gomp_fold_learner *learner;
  const struct gomp_fold_dealt *dealt;
  /* What malloc needs for each array, and the deal.  */
  enum { ARRAYS = 17, EACH = 16 };

  return (sizeof *deal + ARRAYS * EACH
	  + ids * (sizeof *dealt->order + sizeof *dealt->times
		   + sizeof *dealt->cost + sizeof *deal->sorted
		   + sizeof *learner->cost + sizeof *learner->before
		   + sizeof *learner->timed)
	  + workers * (sizeof *dealt->first + sizeof *dealt->slow
		       + sizeof *deal->end + sizeof *learner->told
		       + sizeof *learner->slow + sizeof *learner->speed
		       + sizeof *learner->guess
		       + sizeof *learner->shown + sizeof *learner->by));
}

void
gomp_fold_free_deal (struct gomp_fold_deal *deal)
{
  if (deal == NULL)
    return;
  free (deal->dealt.order);
  free (deal->dealt.first);
  free (deal->dealt.slow);
  free (deal->dealt.times);
  free (deal->dealt.cost);
  gomp_fold_free_learner (&deal->learner);
  free (deal->end);
  free (deal->sorted);
  free (deal);
}

/* Add how long it took until workers began, and from the end of the last id on.
   A worker that was woken and took no id came too late for all.  */

static void
add_waits (struct gomp_fold_deal *deal, const struct gomp_fold_shares *shares,
	   unsigned long long begin, unsigned long long end)
{
  struct gomp_fold_batch *batch = &deal->batch;
  unsigned long long last = begin;

  for (unsigned w = deal->home; w < deal->workers; w++)
    {
      const struct gomp_fold_share *share = &shares->share[w];

      if (deal->dealt.first[w] == deal->dealt.first[w + 1])
	continue;
      if (share->ran != 0 && share->last_ns > last)
	last = share->last_ns;
      if (w == deal->home)
	batch->publish_ns += share->first_ns - begin;
      else
	{
	  unsigned long long first = share->ran != 0 ? share->first_ns : end;

	  /* A worker that still asked for ids of the last region may have read
	     the clock before this one began.  */
	  batch->wake_ns += first > begin ? first - begin : 0;
	  batch->wakes++;
	}
    }
  batch->arrive_ns += end - last;
}

/* Make *KNOWN, 0 if it is not known, nearer to the mean of COUNT values whose
   sum is SUM.  */

static void
approach (double *known, double sum, unsigned count)
{
  if (count != 0)
    *known += (sum / count - *known) * (*known > 0 ? WEIGHT : 1);
}

/* Whether runs for CREW may be tried where runs take WALL now.  Others that
   were never tried may take twice as long as HOME alone.  */

static bool
afford_crew (struct gomp_fold_deal *deal, enum gomp_fold_crew crew, double wall)
{
  const struct gomp_fold_used *used = &deal->used[crew];
  double more = (crew <= deal->crew ? used->predicted * used->ratio - wall
		 : used->ns > 0 ? used->ns - wall : wall);

  return gomp_fold_afford (&deal->learner,
			   ((TRIAL_RUNS + (crew > deal->crew))
			    * gomp_fold_larger (0, more)));
}

/* Forget that others came late, if it may cost what the allowance has to find
   out whether they still do.  Returns whether it did.  */

static bool
try_together (struct gomp_fold_deal *deal, double wall)
{
  deal_by_speed (deal);
  if (deal->dealt.first[deal->home + 1] == deal->ids
      || !afford_crew (deal, GOMP_FOLD_CREW_ALL, wall))
    return false;
  deal->publish_ns = deal->wake_ns = deal->arrive_ns = 0;
  return true;
}

/* Whether to try CREW, in which fewer workers have ids.  */

static bool
try_fewer (struct gomp_fold_deal *deal, enum gomp_fold_crew crew, double wall)
{
  struct gomp_fold_used *used = &deal->used[crew];

  if (++used->batches < used->after
      || __builtin_isinf (used->predicted)
      || (crew == GOMP_FOLD_CREW_HOME
	  && (!deal->short_ids
	      || used->predicted * used->ratio > MOST_ALONE * wall))
      || !afford_crew (deal, crew, wall))
    return false;
  used->batches = 0;
  if (used->after < LAST_FEWER)
    used->after *= 2;
  return true;
}

/* The same for workers that had no ids.  Returns whether there are such.  */

static bool
try_idle (struct gomp_fold_deal *deal, double wall)
{
  double heaviest = 0;
  bool any = false;

  for (unsigned id = 0; id < deal->ids; id++)
    heaviest = gomp_fold_larger (heaviest, deal->learner.cost[id]);
  for (unsigned w = deal->home + 1; w < deal->workers; w++)
    {
      double more
	= begin_of (deal, w) + heaviest * deal->learner.slow[w] - wall;
      double loss = TRIAL_RUNS * gomp_fold_larger (0, more);

      if (deal->dealt.first[w] < deal->dealt.first[w + 1]
	  || deal->learner.slow[w] < deal->learner.told[w] * IDLE_ERROR
	  || !gomp_fold_afford (&deal->learner, loss))
	continue;
      gomp_fold_set_slow (&deal->learner, w, deal->learner.told[w]);
      deal->learner.guess[w] = any = true;
      /* What it did to the times of runs counts no longer.  */
      deal->used[GOMP_FOLD_CREW_ALL].ratio = 1;
    }
  return any;
}

/* The crew to try next, where runs take WALL now, or GOMP_FOLD_CREWS.  */

static enum gomp_fold_crew
choose_trial (struct gomp_fold_deal *deal, double wall)
{
  if (deal->crew == GOMP_FOLD_CREW_HOME)
    return (try_together (deal, wall) ? GOMP_FOLD_CREW_ALL
	    : GOMP_FOLD_CREWS);
  if (try_fewer (deal, GOMP_FOLD_CREW_HOME, wall))
    return GOMP_FOLD_CREW_HOME;
  if (deal->crew == GOMP_FOLD_CREW_FAST)
    return (afford_crew (deal, GOMP_FOLD_CREW_ALL, wall) ? GOMP_FOLD_CREW_ALL
	    : GOMP_FOLD_CREWS);
  return (try_fewer (deal, GOMP_FOLD_CREW_FAST, wall) ? GOMP_FOLD_CREW_FAST
	  : GOMP_FOLD_CREWS);
}

/* The batch has ended.  */

static void
end_batch (struct gomp_fold_deal *deal)
{
  struct gomp_fold_batch *batch = &deal->batch;
  double wall = (batch->plain_runs != 0 ? batch->plain_ns / batch->plain_runs
		 : batch->spent_ns / batch->runs);
  double weight = deal->changed ? 1 : WEIGHT, predicted;
  struct gomp_fold_used *used = &deal->used[deal->crew];
  bool alone = deal->crew == GOMP_FOLD_CREW_HOME, tried = false;
  bool first = deal->learner.batch_ns == 0;
  enum gomp_fold_crew crew = GOMP_FOLD_CREWS, last = deal->crew;

  gomp_fold_learn (&deal->learner);
  gomp_fold_allow (&deal->learner,
		   batch->spent_ns * (alone && wall < SHORT_NS ? SKIP + 1 : 1));
  if (!alone && !first)
    {
      approach (&deal->publish_ns, batch->publish_ns, batch->runs);
      approach (&deal->wake_ns, batch->wake_ns, batch->wakes);
      approach (&deal->arrive_ns, batch->arrive_ns, batch->runs);
    }
  if (alone || !first)
    {
      predicted = alone ? predict_alone (deal) : predict_together (deal);
      used->ratio += weight * (ratio_of (wall, predicted) - used->ratio);
      used->ns = wall;
      /* The last trial may have taken long: that is no measure.  */
      tried = try_idle (deal, (used->predicted < wall ? used->predicted
			       : wall));
    }
  if (!deal->changed && !tried && !first)
    crew = choose_trial (deal, wall);
  redeal (deal, crew);
  deal->phase = (deal->crew > last ? GOMP_FOLD_COLD
		 : tried || first || crew != GOMP_FOLD_CREWS ? GOMP_FOLD_TRIAL
		 : GOMP_FOLD_STEADY);
  *batch = (struct gomp_fold_batch) { 0 };
}

void
gomp_fold_note (struct gomp_fold_deal *deal,
		const struct gomp_fold_shares *shares,
		unsigned long long begin, unsigned long long end)
{
  struct gomp_fold_batch *batch = &deal->batch;

  if (deal->phase == GOMP_FOLD_COLD)
    {
      deal->phase = GOMP_FOLD_TRIAL;
      return;
    }
  deal->runs++;
  batch->runs++;
  batch->spent_ns += end - begin;
  if (deal->dealt.timed)
    for (unsigned at = 0; at < deal->ids; at++)
      gomp_fold_add_time (&deal->learner, deal->dealt.order[at],
			  deal->dealt.times[at].worker,
			  deal->dealt.times[at].ns);
  else
    {
      batch->plain_runs++;
      batch->plain_ns += end - begin;
    }
  if (deal->woken > 1)
    add_waits (deal, shares, begin, end);
  deal->next_timed = !deal->short_ids || deal->runs % TIMED_RUNS == 0;
  if (batch->spent_ns >= deal->learner.batch_ns
      || (deal->phase == GOMP_FOLD_TRIAL && batch->runs == TRIAL_RUNS))
    end_batch (deal);
  if (deal->woken == 1 && deal->phase == GOMP_FOLD_STEADY
      && end - begin < SHORT_NS)
    deal->skip = SKIP;
}
