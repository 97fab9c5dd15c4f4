/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Deals the ids of called regions by what was measured.  */

#include "fold/fold-shares.h"
#include <stdlib.h>
#include <string.h>

/* A batch lasts so long, in nanoseconds.  The first one is one run, the second
   one SECOND_BATCH_NS, and each one twice as long as the one before.  */
#define SECOND_BATCH_NS 200000
#define LONGEST_BATCH_NS 20000000

/* The weight of a batch in what is known.  */
#define WEIGHT .5

/* Ids of this mean time, in nanoseconds, are timed in each run, which costs 50
   each.  Shorter ones are in one of TIMED_RUNS runs.  */
#define TIMED_NS 1000
#define TIMED_RUNS 16

/* Larger ratios are not caused by speeds.  */
#define MOST_CORRECTION 4

/* A worker whose ids should take less than this part of what the busiest one's
   should has shown less of its speed, in proportion: trivial ids are noise.  */
#define ENOUGH_PART .25

/* Neighbours are parted if that saves this part of the time.  */
#define SCATTER_GAIN .03

/* A change between alone and together has to save this part.  So has it at
   first to leave a worker without an id, as the costs of ids are not known.  */
#define HYSTERESIS .05

/* The part of the time that trials may cost, and the runs of one; before them
   comes one that is not measured if HOME was alone.  */
#define TRIAL_PART .01
#define TRIAL_RUNS 4

/* HOME alone is tried after so many batches at most.  It is not where it would
   take more than so many times as long as all: what the clock and the others'
   caches add to the time of an id is less than that.  */
#define LAST_ALONE 1024
#define MOST_ALONE 4

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

/* The end is found to so many bits.  */
#define BITS 24

struct gomp_fold_cost
{
  double cost;
  unsigned id, worker;
};

static inline double
larger (double a, double b)
{
  return a > b ? a : b;
}

/* When worker W begins if HOME is not alone.  */

static inline double
begin_of (const struct gomp_fold_site *site, unsigned w)
{
  return w == site->home ? site->publish_ns : site->wake_ns;
}

/* Let each worker in turn take as many ids as it ends until END, HOME one at
   least.  Store where each begins.  Returns whether these are all ids.  */

static bool
fill (struct gomp_fold_site *site, double end)
{
  unsigned id = 0;

  for (unsigned w = 0; w < site->workers; w++)
    {
      double left = (end - begin_of (site, w)) / site->slow[w];

      site->dealt.first[w] = id;
      if (w < site->home)
	continue;
      if (w == site->home)
	left -= site->cost[id++];
      while (id < site->ids && site->cost[id] <= left)
	left -= site->cost[id++];
    }
  site->dealt.first[site->workers] = site->ids;
  return id == site->ids;
}

/* Deal ranges of neighbours.  Returns when the last worker ends, of which HOME
   would need ALONE for all ids.  */

static double
deal_ranges (struct gomp_fold_site *site, double alone)
{
  /* HOME has id 0 whatever that takes.  */
  double low = (begin_of (site, site->home)
		+ site->cost[0] * site->slow[site->home]);
  double high = (begin_of (site, site->home) + alone) * (1 + 1e-9);

  for (unsigned bit = 0; bit < BITS; bit++)
    {
      double middle = (low + high) / 2;

      if (fill (site, middle))
	high = middle;
      else
	low = middle;
    }
  fill (site, high);
  for (unsigned id = 0; id < site->ids; id++)
    site->dealt.order[id] = id;
  return high;
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
  struct gomp_fold_cost *sorted = site->sorted;
  double *end = site->end, last;

  for (unsigned id = 0; id < site->ids; id++)
    sorted[id] = (struct gomp_fold_cost) { site->cost[id], id, site->home };
  qsort (sorted + 1, site->ids - 1, sizeof *sorted, compare_costs);
  for (unsigned w = 0; w < site->workers; w++)
    end[w] = begin_of (site, w);
  last = end[site->home] += site->cost[0] * site->slow[site->home];
  for (unsigned i = 1; i < site->ids; i++)
    {
      double best = end[site->home] + sorted[i].cost * site->slow[site->home];

      for (unsigned w = site->home + 1; w < site->workers; w++)
	{
	  double own = end[w] + sorted[i].cost * site->slow[w];

	  if (own < best)
	    {
	      best = own;
	      sorted[i].worker = w;
	    }
	}
      end[sorted[i].worker] = best;
      last = larger (last, best);
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
    all += 1 / site->slow[w];
  for (unsigned w = 0; w < site->workers; w++)
    {
      unsigned first = site->ids * sum / all + .5;

      site->dealt.first[w] = w > site->home && first == 0 ? 1 : first;
      if (w >= site->home)
	sum += 1 / site->slow[w];
    }
  for (unsigned id = 0; id < site->ids; id++)
    site->dealt.order[id] = id;
}

/* HOME gets all ids.  */

static void
deal_alone (struct gomp_fold_site *site)
{
  for (unsigned w = 0; w <= site->workers; w++)
    site->dealt.first[w] = w <= site->home ? 0 : site->ids;
  for (unsigned id = 0; id < site->ids; id++)
    site->dealt.order[id] = id;
}

/* Store what workers guess by, of a region that ends at END.  */

static void
describe (struct gomp_fold_site *site, double end)
{
  double before = 0;
  float value = site->known ? end : 0;

  __atomic_store (&site->dealt.end_ns, &value, __ATOMIC_RELAXED);
  for (unsigned at = 0; at <= site->ids; at++)
    {
      value = before;
      __atomic_store (&site->dealt.cost[at], &value, __ATOMIC_RELAXED);
      if (at < site->ids)
	before += site->cost[site->dealt.order[at]];
    }
  site->woken = 0;
  for (unsigned w = 0; w < site->workers; w++)
    {
      site->dealt.slow[w] = site->known ? site->slow[w] : 0;
      site->woken += site->dealt.first[w] < site->dealt.first[w + 1];
    }
}

/* How long HOME alone should take.  */

static double
predict_alone (const struct gomp_fold_site *site)
{
  double cost = 0;

  for (unsigned id = 0; id < site->ids; id++)
    cost += site->cost[id];
  return cost * site->slow[site->home];
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
	end += site->cost[site->dealt.order[at]] * site->slow[w];
      last = larger (last, end);
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

enum way
{
  /* What is predicted to end first.  */
  BEST,
  ALONE,
  TOGETHER
};

/* Deal SITE by what is known, in this WAY.  */

static void
deal (struct gomp_fold_site *site, enum way way)
{
  double alone = predict_alone (site), together, scattered;
  double cost = alone / site->slow[site->home];
  double part = site->woken == 1 ? 1 + HYSTERESIS : 1 - HYSTERESIS;
  bool was_alone = site->woken == 1;

  together = deal_ranges (site, alone);
  scattered = scatter (site);
  if (scattered < together * (1 - SCATTER_GAIN))
    {
      deal_scattered (site);
      together = scattered;
    }
  if (site->changed && was_alone && site->together_ns > 0)
    site->together_part = part_of (site->together_ns,
				   together + site->arrive_ns);
  /* In a dynamic loop that HOME ran alone id 0 has all of the cost.  */
  if (way == TOGETHER && site->dealt.first[site->home + 1] == site->ids)
    deal_by_speed (site);
  if (way == ALONE
      || (way == BEST && site->known
	  && alone * site->alone_part < ((together + site->arrive_ns)
					 * site->together_part * part)))
    {
      deal_alone (site);
      together = alone * site->alone_part;
    }
  describe (site, together);
  site->changed = (site->woken == 1) != was_alone;
  site->short_ids = site->known && cost < TIMED_NS * (double) site->ids;
  site->next_timed = true;
}

/* Room for COUNT things of SIZE bytes, all zero.  Clears *ALL if memory is
   short.  */

static void *
allocate (size_t count, size_t size, bool *all)
{
  void *memory = calloc (count, size);

  if (memory == NULL)
    *all = false;
  return memory;
}

struct gomp_fold_site *
gomp_fold_make_site (unsigned ids, unsigned workers, unsigned home,
		     const double *speed)
{
  struct gomp_fold_site *site = calloc (1, sizeof *site);
  struct gomp_fold_dealt *dealt;
  struct gomp_fold_batch *batch;
  double most = 0;
  bool all = true, guess = true;

  if (site == NULL)
    return NULL;
  dealt = &site->dealt;
  batch = &site->batch;
  site->ids = dealt->ids = ids;
  site->workers = workers;
  site->home = home;
  dealt->order = allocate (ids, sizeof *dealt->order, &all);
  dealt->first = allocate (workers + 1, sizeof *dealt->first, &all);
  dealt->slow = allocate (workers, sizeof *dealt->slow, &all);
  dealt->run = allocate (ids, sizeof *dealt->run, &all);
  dealt->cost = allocate (ids + 1, sizeof *dealt->cost, &all);
  site->cost = allocate (ids, sizeof *site->cost, &all);
  site->slow = allocate (workers, sizeof *site->slow, &all);
  site->told = allocate (workers, sizeof *site->told, &all);
  site->guess = allocate (workers, sizeof *site->guess, &all);
  batch->took = allocate (workers, sizeof *batch->took, &all);
  batch->expected = allocate (workers, sizeof *batch->expected, &all);
  batch->cost = allocate (ids, sizeof *batch->cost, &all);
  batch->count = allocate (ids, sizeof *batch->count, &all);
  batch->worker = allocate (ids, sizeof *batch->worker, &all);
  site->end = allocate (workers, sizeof *site->end, &all);
  site->sorted = allocate (ids, sizeof *site->sorted, &all);
  if (!all)
    {
      gomp_fold_free_site (site);
      return NULL;
    }
  site->alone_part = site->together_part = 1;
  site->alone_after = 1;
  for (unsigned w = 0; w < workers; w++)
    {
      most = larger (most, speed[w]);
      guess &= speed[w] == speed[0];
    }
  for (unsigned w = 0; w < workers; w++)
    {
      site->slow[w] = site->told[w] = most / speed[w];
      site->guess[w] = guess;
    }
  for (unsigned id = 0; id < ids; id++)
    site->cost[id] = 1;
  for (unsigned w = 0; w < workers; w++)
    site->slow[w] = larger (1, site->told[w] * (1 - HYSTERESIS));
  deal (site, BEST);
  memcpy (site->slow, site->told, workers * sizeof *site->slow);
  return site;
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
  free (site->cost);
  free (site->slow);
  free (site->told);
  free (site->guess);
  free (site->batch.took);
  free (site->batch.expected);
  free (site->batch.cost);
  free (site->batch.count);
  free (site->batch.worker);
  free (site->end);
  free (site->sorted);
  free (site);
}

/* Add the times of a timed run to the batch.  */

static void
add_times (struct gomp_fold_site *site)
{
  struct gomp_fold_batch *batch = &site->batch;

  for (unsigned at = 0; at < site->ids; at++)
    {
      struct gomp_fold_run run = site->dealt.run[at];
      unsigned id = site->dealt.order[at];

      batch->took[run.worker] += run.ns;
      batch->expected[run.worker] += site->cost[id] * site->slow[run.worker];
      batch->cost[id] += run.ns / site->slow[run.worker];
      batch->count[id]++;
      batch->worker[id] = run.worker;
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

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* How long the ids of the busiest worker of the batch should have taken.  */

static double
busiest (const struct gomp_fold_site *site)
{
  double most = 0;

  for (unsigned w = 0; w < site->workers; w++)
    most = larger (most, site->batch.expected[w]);
  return most;
}

/* How much longer than expected the ids of the batch took: the median of the
   workers that had enough to do.  0 if nothing was timed.  */

static double
growth (struct gomp_fold_site *site)
{
  const struct gomp_fold_batch *batch = &site->batch;
  double enough = busiest (site) * ENOUGH_PART;
  unsigned count = 0;

  for (unsigned w = 0; w < site->workers; w++)
    if (batch->expected[w] >= enough && batch->took[w] > 0)
      site->end[count++] = batch->took[w] / batch->expected[w];
  if (count == 0)
    return 0;
  qsort (site->end, count, sizeof *site->end, compare);
  return site->end[count / 2];
}

/* The part of the correction BY > 0 of a speed that TRUST, 0 to 1, leaves.
   Like a power of BY: what is by turns too slow and too fast cancels out.  */

static inline double
trusted (double by, double trust)
{
  return (2 - trust + trust * by) / (2 - trust + trust / by);
}

/* Correct speeds and costs.  A worker that took longer than the others did is
   slower, or its ids are heavier: half of the difference counts as speed.  If
   two workers exchanged ids, and it was the speeds, both halves add up.  A
   worker that had next to nothing to do shows nothing.  */

static void
correct_speeds (struct gomp_fold_site *site, double more)
{
  const struct gomp_fold_batch *batch = &site->batch;
  double fastest = __builtin_inf (), enough = busiest (site) * ENOUGH_PART;

  for (unsigned w = 0; w < site->workers; w++)
    {
      double by = batch->took[w] / (batch->expected[w] * more);
      double trust = batch->expected[w] / enough;

      site->end[w] = 1;
      if (batch->expected[w] > 0 && batch->took[w] > 0)
	{
	  if (trust > 1)
	    trust = 1;
	  if (site->guess[w])
	    site->end[w] = trusted (by, trust);
	  else if (site->known)
	    {
	      by = by > MOST_CORRECTION ? MOST_CORRECTION
		   : by < 1. / MOST_CORRECTION ? 1. / MOST_CORRECTION : by;
	      site->end[w] = trusted (by, trust / 2);
	    }
	  site->guess[w] &= trust < 1;
	}
      site->slow[w] *= site->end[w];
      if (site->slow[w] < fastest)
	fastest = site->slow[w];
    }
  for (unsigned w = 0; w < site->workers; w++)
    site->slow[w] /= fastest;
  for (unsigned id = 0; id < site->ids; id++)
    {
      double cost = site->cost[id] * more;

      if (batch->count[id] != 0)
	{
	  double measured = (batch->cost[id] / batch->count[id]
			     / site->end[batch->worker[id]]);

	  cost = site->cost[id] + ((measured - site->cost[id])
				   * (site->known ? WEIGHT : 1));
	}
      site->cost[id] = cost * fastest;
    }
  site->known = true;
}

/* Forget that others came late, if it may cost what the allowance has to find
   out whether they still do.  HOME alone needs WALL for a run, and with others
   that were never tried it may take twice as long.  Returns whether it did.  */

static bool
try_together (struct gomp_fold_site *site, double wall)
{
  double loss = (TRIAL_RUNS + 1) * (site->together_ns == 0 ? wall
				    : larger (0, site->together_ns - wall));

  if (loss > site->allowance_ns)
    return false;
  deal_by_speed (site);
  if (site->dealt.first[site->home + 1] == site->ids)
    return false;
  site->allowance_ns -= loss;
  site->publish_ns = site->wake_ns = site->arrive_ns = 0;
  return true;
}

/* Whether to try HOME alone, where all need WALL for a run.  */

static bool
try_alone (struct gomp_fold_site *site, double wall)
{
  double alone = predict_alone (site) * site->alone_part;
  double loss = TRIAL_RUNS * larger (0, alone - wall);

  if (++site->batches < site->alone_after || !site->short_ids
      || alone > MOST_ALONE * wall || loss > site->allowance_ns)
    return false;
  site->allowance_ns -= loss;
  site->batches = 0;
  if (site->alone_after < LAST_ALONE)
    site->alone_after *= 2;
  return true;
}

/* The same for workers that had no ids.  Returns whether there are such.  */

static bool
try_idle (struct gomp_fold_site *site, double wall)
{
  double heaviest = 0;
  bool any = false;

  for (unsigned id = 0; id < site->ids; id++)
    heaviest = larger (heaviest, site->cost[id]);
  for (unsigned w = site->home + 1; w < site->workers; w++)
    {
      double loss = TRIAL_RUNS * larger (0, (site->wake_ns
					     + heaviest * site->slow[w]
					     - wall));

      if (site->dealt.first[w] < site->dealt.first[w + 1]
	  || site->slow[w] < site->told[w] * IDLE_ERROR
	  || loss > site->allowance_ns)
	continue;
      site->allowance_ns -= loss;
      site->slow[w] = site->told[w];
      site->guess[w] = any = true;
      /* What it did to the times of runs counts no longer.  */
      site->together_part = 1;
    }
  return any;
}

/* The batch has ended.  */

static void
end_batch (struct gomp_fold_site *site)
{
  struct gomp_fold_batch *batch = &site->batch;
  double wall = (batch->plain_runs != 0 ? batch->plain_ns / batch->plain_runs
		 : batch->spent_ns / batch->runs);
  double more = growth (site);
  double weight = site->changed ? 1 : WEIGHT;
  bool alone = site->woken == 1, first = site->batch_ns == 0;
  bool tried = false;
  enum way way = BEST;

  if (more > 0)
    correct_speeds (site, more);
  site->allowance_ns += (TRIAL_PART * batch->spent_ns
			 * (alone && wall < SHORT_NS ? SKIP + 1 : 1));
  if (alone)
    {
      site->alone_part += weight * (part_of (wall, predict_alone (site))
				    - site->alone_part);
      site->alone_ns = wall;
      tried = try_idle (site, wall);
      if (!site->changed && try_together (site, wall))
	way = TOGETHER;
    }
  else if (!first)
    {
      approach (&site->publish_ns, batch->publish_ns, batch->runs);
      approach (&site->wake_ns, batch->wake_ns, batch->wakes);
      approach (&site->arrive_ns, batch->arrive_ns, batch->runs);
      site->together_part += weight * (part_of (wall, predict_together (site))
				       - site->together_part);
      site->together_ns = wall;
      if (site->changed && site->alone_ns > 0)
	site->alone_part = part_of (site->alone_ns, predict_alone (site));
      tried = try_idle (site, wall);
      if (!tried && !site->changed && try_alone (site, wall))
	way = ALONE;
    }
  deal (site, way);
  site->cold = alone && site->woken > 1;
  site->trial = site->cold || tried || first || way != BEST;
  site->batch_ns = (site->batch_ns == 0 ? SECOND_BATCH_NS
		    : site->batch_ns * 2 < LONGEST_BATCH_NS
		    ? site->batch_ns * 2 : LONGEST_BATCH_NS);
  batch->runs = batch->plain_runs = batch->wakes = 0;
  batch->spent_ns = batch->plain_ns = 0;
  batch->publish_ns = batch->wake_ns = batch->arrive_ns = 0;
  memset (batch->took, 0, site->workers * sizeof *batch->took);
  memset (batch->expected, 0, site->workers * sizeof *batch->expected);
  memset (batch->cost, 0, site->ids * sizeof *batch->cost);
  memset (batch->count, 0, site->ids * sizeof *batch->count);
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
  if (batch->spent_ns >= site->batch_ns
      || (site->trial && batch->runs == TRIAL_RUNS))
    end_batch (site);
  if (site->woken == 1 && !site->trial && end - begin < SHORT_NS)
    site->skip = SKIP;
}
