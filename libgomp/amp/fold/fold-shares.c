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
#define LEAST_PART .25
#define MOST_PART 4

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
begin_of (const struct gomp_fold_site *site, unsigned w)
{
  return (w == site->home ? site->publish_ns
	  : site->learner.slow[w] <= site->limit ? site->wake_ns
	  : __builtin_inf ());
}

/* The order of the ids is their own.  */

static void
keep_order (struct gomp_fold_site *site)
{
  for (unsigned id = 0; id < site->ids; id++)
    site->dealt.order[id] = id;
}

/* Deal ranges of neighbours.  Returns when the last worker ends.  */

static double
deal_ranges (struct gomp_fold_site *site)
{
  const struct gomp_fold_learner *learner = &site->learner;
  struct gomp_amp_work work = { .units = site->ids, .before = learner->before,
				.workers = site->workers,
				.slow = learner->slow, .begin = site->end };
  double last;

  for (unsigned w = 0; w < site->workers; w++)
    site->end[w] = w < site->home ? __builtin_inf () : begin_of (site, w);
  /* HOME has id 0 whatever that takes.  */
  work.least = (site->end[site->home]
		+ learner->cost[0] * learner->slow[site->home]);
  keep_order (site);
  last = gomp_amp_partition (&work, site->dealt.first);
  /* Rounded, that may be a little less than it takes.  */
  for (unsigned w = site->home + 1; site->dealt.first[w] == 0; w++)
    site->dealt.first[w] = 1;
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
scatter (struct gomp_fold_site *site)
{
  const struct gomp_fold_learner *learner = &site->learner;
  struct gomp_fold_cost *sorted = site->sorted;
  double *end = site->end, last;

  for (unsigned id = 0; id < site->ids; id++)
    sorted[id] = (struct gomp_fold_cost) { learner->cost[id], id, site->home };
  qsort (sorted + 1, site->ids - 1, sizeof *sorted, compare_costs);
  for (unsigned w = 0; w < site->workers; w++)
    end[w] = begin_of (site, w);
  last = end[site->home] += learner->cost[0] * learner->slow[site->home];
  for (unsigned i = 1; i < site->ids; i++)
    {
      double best
	= end[site->home] + sorted[i].cost * learner->slow[site->home];

      for (unsigned w = site->home + 1; w < site->workers; w++)
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
deal_scattered (struct gomp_fold_site *site)
{
  unsigned at = 0;

  for (unsigned w = 0; w < site->workers; w++)
    {
      site->dealt.first[w] = at;
      for (unsigned i = 0; i < site->ids; i++)
	if (site->sorted[i].worker == w)
	  site->dealt.order[at++] = site->sorted[i].id;
    }
}

/* Give each worker ids by its speed, as if all cost the same, HOME one at
   least.  */

static void
deal_by_speed (struct gomp_fold_site *site)
{
  double all = 0, sum = 0;

  for (unsigned w = site->home; w < site->workers; w++)
    all += 1 / site->learner.slow[w];
  for (unsigned w = 0; w < site->workers; w++)
    {
      unsigned first = site->ids * sum / all + .5;

      site->dealt.first[w] = w > site->home && first == 0 ? 1 : first;
      if (w >= site->home)
	sum += 1 / site->learner.slow[w];
    }
  keep_order (site);
}

/* HOME gets all ids.  */

static void
deal_alone (struct gomp_fold_site *site)
{
  for (unsigned w = 0; w <= site->workers; w++)
    site->dealt.first[w] = w <= site->home ? 0 : site->ids;
  keep_order (site);
}

/* Store what workers guess by, of a region that ends at END.  */

static void
describe (struct gomp_fold_site *site, double end)
{
  double before = 0;
  float value = site->learner.known ? end : 0;

  __atomic_store (&site->dealt.end_ns, &value, __ATOMIC_RELAXED);
  for (unsigned at = 0; at <= site->ids; at++)
    {
      value = before;
      __atomic_store (&site->dealt.cost[at], &value, __ATOMIC_RELAXED);
      if (at < site->ids)
	before += site->learner.cost[site->dealt.order[at]];
    }
  site->woken = 0;
  for (unsigned w = 0; w < site->workers; w++)
    {
      site->dealt.slow[w] = site->learner.known ? site->learner.slow[w] : 0;
      site->woken += site->dealt.first[w] < site->dealt.first[w + 1];
    }
}

/* How long HOME alone should take.  */

static double
predict_alone (const struct gomp_fold_site *site)
{
  const struct gomp_fold_learner *learner = &site->learner;

  return learner->before[site->ids] * learner->slow[site->home];
}

/* How long a run should take as SITE is dealt, if each worker runs its own ids
   only.  */

static double
predict_together (const struct gomp_fold_site *site)
{
  double last = 0;

  for (unsigned w = 0; w < site->workers; w++)
    {
      double end = begin_of (site, w);

      if (site->dealt.first[w] == site->dealt.first[w + 1])
	continue;
      for (unsigned at = site->dealt.first[w]; at < site->dealt.first[w + 1];
	   at++)
	end += (site->learner.cost[site->dealt.order[at]]
		* site->learner.slow[w]);
      last = gomp_fold_larger (last, end);
    }
  return last + site->arrive_ns;
}

/* What a run that took NS and should have taken PREDICTED says.  */

static double
part_of (double ns, double predicted)
{
  double part = ns / predicted;

  return part < LEAST_PART ? LEAST_PART : part > MOST_PART ? MOST_PART : part;
}

/* Which workers may have ids in this WAY: those that are nearer to the fastest
   one than to the slowest one that runs at all, if not all.  Returns whether
   these are others than in the other crews.  */

static bool
set_limit (struct gomp_fold_site *site, enum gomp_fold_crew crew)
{
  const double *slow = site->learner.slow;
  double slowest = 1;
  unsigned fast = 0, others = 0;

  site->limit = __builtin_inf ();
  if (crew != GOMP_FOLD_CREW_FAST)
    return true;
  for (unsigned w = site->home; w < site->workers; w++)
    if (slow[w] < .5 / GOMP_FOLD_NO_SPEED)
      slowest = gomp_fold_larger (slowest, slow[w]);
  site->limit = (1 + slowest) / 2;
  for (unsigned w = site->home + 1; w < site->workers; w++)
    {
      fast += slow[w] <= site->limit;
      others += slow[w] > site->limit;
    }
  return fast != 0 && others != 0;
}

/* Deal SITE in this WAY.  Returns how long a run should take, infinite if the
   crew is none of its own.  */

static double
arrange (struct gomp_fold_site *site, enum gomp_fold_crew crew)
{
  double together, scattered;

  if (!set_limit (site, crew))
    return __builtin_inf ();
  if (crew == GOMP_FOLD_CREW_HOME)
    {
      deal_alone (site);
      return predict_alone (site);
    }
  together = deal_ranges (site);
  scattered = scatter (site);
  if (scattered < together * (1 - SCATTER_GAIN))
    {
      deal_scattered (site);
      together = scattered;
    }
  return (crew == GOMP_FOLD_CREW_FAST && together > MOST_FAST_NS
	  ? __builtin_inf () : together + site->arrive_ns);
}

/* The crew that is predicted to end first.  */

static enum gomp_fold_crew
best_crew (const struct gomp_fold_site *site)
{
  enum gomp_fold_crew best = GOMP_FOLD_CREW_ALL;
  double least = __builtin_inf ();

  for (unsigned crew = 0; crew < GOMP_FOLD_CREWS && site->learner.known; crew++)
    {
      const struct gomp_fold_used *used = &site->used[crew];
      double ns = used->predicted * used->part;

      if (crew == site->crew)
	ns *= 1 - HYSTERESIS;
      if (ns < least)
	{
	  least = ns;
	  best = crew;
	}
    }
  return best;
}

/* Deal SITE by what is known, in this WAY, or in the best one if that is
   GOMP_FOLD_CREWS.  */

static void
deal (struct gomp_fold_site *site, enum gomp_fold_crew crew)
{
  double cost = site->learner.before[site->ids], end;
  enum gomp_fold_crew last = site->crew;
  bool trial = crew != GOMP_FOLD_CREWS;

  for (unsigned each = 0; each < GOMP_FOLD_CREWS; each++)
    {
      struct gomp_fold_used *used = &site->used[each];

      used->predicted = arrange (site, each);
      if (site->changed && each != last && used->ns > 0)
	used->part = part_of (used->ns, used->predicted);
    }
  /* Slow workers would have no ids anyway.  */
  if (site->used[GOMP_FOLD_CREW_FAST].predicted
      <= site->used[GOMP_FOLD_CREW_ALL].predicted)
    site->used[GOMP_FOLD_CREW_FAST].predicted = __builtin_inf ();
  if (!trial)
    crew = best_crew (site);
  end = (crew == GOMP_FOLD_CREW_ALL ? site->used[crew].predicted
	 : arrange (site, crew));
  /* In a dynamic loop that HOME ran alone id 0 has all of the cost.  */
  if (trial && crew == GOMP_FOLD_CREW_ALL
      && site->dealt.first[site->home + 1] == site->ids)
    deal_by_speed (site);
  describe (site, (crew == GOMP_FOLD_CREW_HOME ? end * site->used[crew].part
		   : end - site->arrive_ns));
  site->crew = site->woken == 1 ? GOMP_FOLD_CREW_HOME : crew;
  site->changed = site->crew != last;
  site->short_ids = site->learner.known && cost < TIMED_NS * (double) site->ids;
  site->next_timed = true;
}

void
gomp_fold_restart_site (struct gomp_fold_site *site, const double *speed)
{
  gomp_fold_restart_learner (&site->learner, speed);
  site->woken = site->skip = site->runs = 0;
  site->publish_ns = site->wake_ns = site->arrive_ns = 0;
  for (unsigned crew = 0; crew < GOMP_FOLD_CREWS; crew++)
    site->used[crew] = (struct gomp_fold_used) { .part = 1 };
  for (unsigned crew = 0; crew < GOMP_FOLD_CREW_ALL; crew++)
    {
      site->fewer_after[crew] = 1;
      site->batches[crew] = 0;
    }
  site->trial = site->cold = site->changed = false;
  site->crew = GOMP_FOLD_CREW_ALL;
  site->batch = (struct gomp_fold_batch) { 0 };
  for (unsigned w = 0; w < site->workers; w++)
    site->learner.slow[w]
      = gomp_fold_larger (1, site->learner.told[w] * (1 - HYSTERESIS));
  deal (site, GOMP_FOLD_CREWS);
  gomp_fold_forget_speeds (&site->learner);
}

struct gomp_fold_site *
gomp_fold_make_site (unsigned ids, unsigned workers, unsigned home,
		     const double *speed)
{
  struct gomp_fold_site *site = calloc (1, sizeof *site);
  struct gomp_fold_dealt *dealt;
  bool all;

  if (site == NULL)
    return NULL;
  dealt = &site->dealt;
  site->ids = dealt->ids = ids;
  site->workers = workers;
  site->home = home;
  all = gomp_fold_init_learner (&site->learner, ids, workers, speed, false,
				COST_WEIGHT);
  dealt->order = gomp_fold_allocate (ids, sizeof *dealt->order, &all);
  dealt->first = gomp_fold_allocate (workers + 1, sizeof *dealt->first, &all);
  dealt->slow = gomp_fold_allocate (workers, sizeof *dealt->slow, &all);
  dealt->run = gomp_fold_allocate (ids, sizeof *dealt->run, &all);
  dealt->cost = gomp_fold_allocate (ids + 1, sizeof *dealt->cost, &all);
  site->end = gomp_fold_allocate (workers, sizeof *site->end, &all);
  site->sorted = gomp_fold_allocate (ids, sizeof *site->sorted, &all);
  if (!all)
    {
      gomp_fold_free_site (site);
      return NULL;
    }
  gomp_fold_restart_site (site, speed);
  return site;
}

size_t
gomp_fold_site_size (unsigned ids, unsigned workers)
{
  const struct gomp_fold_site *site;
  const struct gomp_fold_learner *learner;
  const struct gomp_fold_dealt *dealt;
  /* What malloc needs for each array, and the site.  */
  enum { ARRAYS = 16, EACH = 16 };

  return (sizeof *site + ARRAYS * EACH
	  + ids * (sizeof *dealt->order + sizeof *dealt->run
		   + sizeof *dealt->cost + sizeof *site->sorted
		   + sizeof *learner->cost + sizeof *learner->before
		   + sizeof *learner->timed)
	  + workers * (sizeof *dealt->first + sizeof *dealt->slow
		       + sizeof *site->end + sizeof *learner->told
		       + sizeof *learner->slow + sizeof *learner->guess
		       + sizeof *learner->shown + sizeof *learner->by));
}

void
gomp_fold_free_site (struct gomp_fold_site *site)
{
  if (site == NULL)
    return;
  free (site->dealt.order);
  free (site->dealt.first);
  free (site->dealt.slow);
  free (site->dealt.run);
  free (site->dealt.cost);
  gomp_fold_free_learner (&site->learner);
  free (site->end);
  free (site->sorted);
  free (site);
}

/* Add the times of a timed run to the batch.  */

static void
add_times (struct gomp_fold_site *site)
{
  for (unsigned at = 0; at < site->ids; at++)
    {
      const struct gomp_fold_run *run = &site->dealt.run[at];

      gomp_fold_add_time (&site->learner, site->dealt.order[at], run->worker,
			  run->ns);
    }
}

/* Add how long it took until workers began, and from the end of the last id on.
   A worker that was woken and took no id came too late for all.  */

static void
add_waits (struct gomp_fold_site *site, const struct gomp_fold_shares *shares,
	   unsigned long long begin, unsigned long long end)
{
  struct gomp_fold_batch *batch = &site->batch;
  unsigned long long last = begin;

  for (unsigned w = site->home; w < site->workers; w++)
    {
      const struct gomp_fold_share *share = &shares->share[w];

      if (site->dealt.first[w] == site->dealt.first[w + 1])
	continue;
      if (share->ran != 0 && share->last_ns > last)
	last = share->last_ns;
      if (w == site->home)
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

/* Whether runs in this WAY may be tried where runs take WALL now.  Others that
   were never tried may take twice as long as HOME alone.  */

static bool
afford_crew (struct gomp_fold_site *site, enum gomp_fold_crew crew, double wall)
{
  const struct gomp_fold_used *used = &site->used[crew];
  double more = (crew <= site->crew ? used->predicted * used->part - wall
		 : used->ns > 0 ? used->ns - wall : wall);

  return gomp_fold_afford (&site->learner,
			   ((TRIAL_RUNS + (crew > site->crew))
			    * gomp_fold_larger (0, more)));
}

/* Forget that others came late, if it may cost what the allowance has to find
   out whether they still do.  Returns whether it did.  */

static bool
try_together (struct gomp_fold_site *site, double wall)
{
  deal_by_speed (site);
  if (site->dealt.first[site->home + 1] == site->ids
      || !afford_crew (site, GOMP_FOLD_CREW_ALL, wall))
    return false;
  site->publish_ns = site->wake_ns = site->arrive_ns = 0;
  return true;
}

/* Whether to try WAY, in which fewer workers have ids.  */

static bool
try_fewer (struct gomp_fold_site *site, enum gomp_fold_crew crew, double wall)
{
  double predicted = site->used[crew].predicted;

  if (++site->batches[crew] < site->fewer_after[crew]
      || __builtin_isinf (predicted)
      || (crew == GOMP_FOLD_CREW_HOME
	  && (!site->short_ids
	      || predicted * site->used[crew].part > MOST_ALONE * wall))
      || !afford_crew (site, crew, wall))
    return false;
  site->batches[crew] = 0;
  if (site->fewer_after[crew] < LAST_FEWER)
    site->fewer_after[crew] *= 2;
  return true;
}

/* The same for workers that had no ids.  Returns whether there are such.  */

static bool
try_idle (struct gomp_fold_site *site, double wall)
{
  double heaviest = 0;
  bool any = false;

  for (unsigned id = 0; id < site->ids; id++)
    heaviest = gomp_fold_larger (heaviest, site->learner.cost[id]);
  for (unsigned w = site->home + 1; w < site->workers; w++)
    {
      double more
	= begin_of (site, w) + heaviest * site->learner.slow[w] - wall;
      double loss = TRIAL_RUNS * gomp_fold_larger (0, more);

      if (site->dealt.first[w] < site->dealt.first[w + 1]
	  || site->learner.slow[w] < site->learner.told[w] * IDLE_ERROR
	  || !gomp_fold_afford (&site->learner, loss))
	continue;
      site->learner.slow[w] = site->learner.told[w];
      site->learner.guess[w] = any = true;
      /* What it did to the times of runs counts no longer.  */
      site->used[GOMP_FOLD_CREW_ALL].part = 1;
    }
  return any;
}

/* The crew to try next, where runs take WALL now, or GOMP_FOLD_CREWS.  */

static enum gomp_fold_crew
choose_trial (struct gomp_fold_site *site, double wall)
{
  if (site->crew == GOMP_FOLD_CREW_HOME)
    return (try_together (site, wall) ? GOMP_FOLD_CREW_ALL
	    : GOMP_FOLD_CREWS);
  if (try_fewer (site, GOMP_FOLD_CREW_HOME, wall))
    return GOMP_FOLD_CREW_HOME;
  if (site->crew == GOMP_FOLD_CREW_FAST)
    return (afford_crew (site, GOMP_FOLD_CREW_ALL, wall) ? GOMP_FOLD_CREW_ALL
	    : GOMP_FOLD_CREWS);
  return (try_fewer (site, GOMP_FOLD_CREW_FAST, wall) ? GOMP_FOLD_CREW_FAST
	  : GOMP_FOLD_CREWS);
}

/* The batch has ended.  */

static void
end_batch (struct gomp_fold_site *site)
{
  struct gomp_fold_batch *batch = &site->batch;
  double wall = (batch->plain_runs != 0 ? batch->plain_ns / batch->plain_runs
		 : batch->spent_ns / batch->runs);
  double weight = site->changed ? 1 : WEIGHT, predicted;
  struct gomp_fold_used *used = &site->used[site->crew];
  bool alone = site->crew == GOMP_FOLD_CREW_HOME;
  bool first = site->learner.batch_ns == 0;
  bool tried = false;
  enum gomp_fold_crew crew = GOMP_FOLD_CREWS, last = site->crew;

  gomp_fold_learn (&site->learner);
  gomp_fold_allow (&site->learner,
		   batch->spent_ns * (alone && wall < SHORT_NS ? SKIP + 1 : 1));
  if (!alone && !first)
    {
      approach (&site->publish_ns, batch->publish_ns, batch->runs);
      approach (&site->wake_ns, batch->wake_ns, batch->wakes);
      approach (&site->arrive_ns, batch->arrive_ns, batch->runs);
    }
  if (alone || !first)
    {
      predicted = alone ? predict_alone (site) : predict_together (site);
      used->part += weight * (part_of (wall, predicted) - used->part);
      used->ns = wall;
      /* The last trial may have taken long: that is no measure.  */
      tried = try_idle (site, (used->predicted < wall ? used->predicted
			       : wall));
    }
  if (!site->changed && !tried && !first)
    crew = choose_trial (site, wall);
  deal (site, crew);
  site->cold = site->crew > last;
  site->trial = site->cold || tried || first || crew != GOMP_FOLD_CREWS;
  batch->runs = batch->plain_runs = batch->wakes = 0;
  batch->spent_ns = batch->plain_ns = 0;
  batch->publish_ns = batch->wake_ns = batch->arrive_ns = 0;
}

void
gomp_fold_note (struct gomp_fold_site *site,
		const struct gomp_fold_shares *shares,
		unsigned long long begin, unsigned long long end)
{
  struct gomp_fold_batch *batch = &site->batch;

  if (site->cold)
    {
      /* The others slept while HOME was alone.  */
      site->cold = false;
      return;
    }
  site->runs++;
  batch->runs++;
  batch->spent_ns += end - begin;
  if (site->dealt.timed)
    add_times (site);
  else
    {
      batch->plain_runs++;
      batch->plain_ns += end - begin;
    }
  if (site->woken > 1)
    add_waits (site, shares, begin, end);
  site->next_timed = !site->short_ids || site->runs % TIMED_RUNS == 0;
  if (batch->spent_ns >= site->learner.batch_ns
      || (site->trial && batch->runs == TRIAL_RUNS))
    end_batch (site);
  if (site->woken == 1 && !site->trial && end - begin < SHORT_NS)
    site->skip = SKIP;
}
