/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Deals the ids of called regions by what was measured.  */

#include "fold/fold-shares.h"
#include <stdlib.h>
#include <string.h>

/* A batch lasts so long, in nanoseconds; the first one is one run.  */
#define SECOND_BATCH_NS 200000
#define LONGEST_BATCH_NS 20000000

/* The weight of a batch in what is known.  */
#define WEIGHT .5

/* A change between alone and together has to save this part of the time.  */
#define HYSTERESIS .05

/* The part of the time that trials may cost, and the runs of one.  */
#define TRIAL_PART .01
#define TRIAL_RUNS 4

/* Of runs that HOME does alone in less than SHORT_NS only one of SKIP + 1
   is measured.  */
#define SHORT_NS 5000
#define SKIP 15

/* The end is found to so many bits.  */
#define BITS 24

static inline double
larger (double a, double b)
{
  return a > b ? a : b;
}

/* When worker W begins if it does not work alone.  */

static inline double
begin_of (const struct gomp_fold_site *site, unsigned w)
{
  return w == site->home ? site->publish_ns : site->wake_ns;
}

/* How many ids worker W ends until END.  */

static inline unsigned
ids_until (const struct gomp_fold_site *site, unsigned w, double end)
{
  double ids = (end - begin_of (site, w)) / site->id_ns[w];
  unsigned least = w == site->home;

  if (w < site->home || ids < least)
    return least;
  return ids < site->ids ? (unsigned) ids : site->ids;
}

/* Set FIRST and WOKEN such that the last worker ends as early as whole ids of
   equal work allow.  Returns when it ends.  */

static double
cut (struct gomp_fold_site *site)
{
  double low = 0;
  double high = (begin_of (site, site->home)
		 + site->ids * site->id_ns[site->home]);
  unsigned at = 0;
  unsigned long left = site->ids;

  high *= 1 + 1e-9;
  for (unsigned bit = 0; bit < BITS; bit++)
    {
      double middle = (low + high) / 2;
      unsigned long all = 0;

      for (unsigned w = 0; w < site->workers; w++)
	all += ids_until (site, w, middle);
      if (all >= site->ids)
	high = middle;
      else
	low = middle;
    }
  /* Until LOW they end too few, and until HIGH enough.  */
  for (unsigned w = 0; w < site->workers; w++)
    left -= ids_until (site, w, low);
  site->woken = 0;
  for (unsigned w = 0; w < site->workers; w++)
    {
      unsigned count = ids_until (site, w, low);
      unsigned more = ids_until (site, w, high) - count;

      more = more < left ? more : left;
      left -= more;
      site->first[w] = at;
      at += count + more;
      site->woken += count + more != 0;
    }
  site->first[site->workers] = at;
  return high;
}

/* HOME gets all ids.  */

static void
leave_alone (struct gomp_fold_site *site)
{
  for (unsigned w = 0; w <= site->workers; w++)
    site->first[w] = w <= site->home ? 0 : site->ids;
  site->woken = 1;
}

/* Set ID_NS by what is known.  A worker of which nothing is known is as fast,
   compared with the others, as it was said to be.  Returns whether anything is
   known.  */

static bool
estimate (struct gomp_fold_site *site)
{
  double ns = 0, speed = 0;

  for (unsigned w = 0; w < site->workers; w++)
    if (site->known_ns[w] > 0)
      {
	ns += site->known_ns[w] * site->speed[w];
	speed++;
      }
  for (unsigned w = 0; w < site->workers; w++)
    site->id_ns[w] = (site->known_ns[w] > 0 ? site->known_ns[w]
		      : speed > 0 ? ns / speed / site->speed[w]
		      : 1 / site->speed[w]);
  return speed > 0;
}

/* Deal SITE by what is known.  */

static void
deal (struct gomp_fold_site *site)
{
  double alone, together, fastest;
  bool was_alone = site->woken == 1;

  if (!estimate (site))
    {
      /* Each id is timed, and nobody knows how long one takes.  */
      cut (site);
      memset (site->id_ns, 0, site->workers * sizeof *site->id_ns);
      site->timed = true;
      return;
    }
  alone = site->ids * site->id_ns[site->home];
  together = cut (site) + site->arrive_ns;
  if (site->woken > 1
      && alone < together * (was_alone ? 1 + HYSTERESIS : 1 - HYSTERESIS))
    leave_alone (site);
  fastest = site->id_ns[0];
  for (unsigned w = 1; w < site->workers; w++)
    if (site->id_ns[w] < fastest)
      fastest = site->id_ns[w];
  site->timed = site->woken > 1 && fastest >= GOMP_FOLD_TIMED_NS;
}

struct gomp_fold_site *
gomp_fold_make_site (unsigned ids, unsigned workers, unsigned home,
		     const double *speed)
{
  struct gomp_fold_site *site = calloc (1, sizeof *site);
  double *memory = calloc (5 * workers, sizeof *memory);
  unsigned *first = calloc (workers + 1, sizeof *first);

  if (site == NULL || memory == NULL || first == NULL)
    {
      free (first);
      free (memory);
      free (site);
      return NULL;
    }
  site->ids = ids;
  site->workers = workers;
  site->home = home;
  site->first = first;
  site->speed = memory;
  site->id_ns = site->speed + workers;
  site->known_ns = site->id_ns + workers;
  site->busy_sum = site->known_ns + workers;
  site->ran_sum = site->busy_sum + workers;
  memcpy (site->speed, speed, workers * sizeof *speed);
  deal (site);
  return site;
}

void
gomp_fold_free_site (struct gomp_fold_site *site)
{
  if (site == NULL)
    return;
  free (site->speed);
  free (site->first);
  free (site);
}

/* Make KNOWN, which may be 0, nearer to the mean of COUNT values whose sum is
   SUM.  */

static inline void
know (double *known, double sum, double count)
{
  double mean = sum / count;

  if (count > 0)
    *known = *known > 0 ? *known + WEIGHT * (mean - *known) : mean;
}

/* Add a run to the batch.  */

static void
add_run (struct gomp_fold_site *site, const struct gomp_fold_shares *shares,
	 unsigned long long begin, unsigned long long end)
{
  unsigned long long last = begin;

  site->runs++;
  site->spent_ns += end - begin;
  for (unsigned w = 0; w < site->workers; w++)
    {
      const struct gomp_fold_share *share = &shares->share[w];

      if (share->ran != 0)
	{
	  site->busy_sum[w] += share->busy_ns;
	  site->ran_sum[w] += share->ran;
	  if (share->last_ns > last)
	    last = share->last_ns;
	}
      if (site->woken == 1)
	continue;
      if (w == site->home)
	site->publish_sum += share->first_ns - begin;
      else if (share->ran != 0 || site->first[w] < site->first[w + 1])
	{
	  /* One that took none came too late for all.  */
	  site->wake_sum += (share->ran != 0 ? share->first_ns : end) - begin;
	  site->wakes++;
	}
    }
  site->arrive_sum += end - last;
}

/* Forget that workers were late or slow, if finding out whether they still are
   may cost what the allowance has.  WALL is what a run takes now.  */

static void
forget (struct gomp_fold_site *site, double wall)
{
  double loss;

  if (site->woken == 1)
    {
      loss = TRIAL_RUNS * larger (0, site->together_ns - wall);
      if (site->publish_ns + site->wake_ns + site->arrive_ns == 0
	  || loss > site->allowance_ns)
	return;
      site->allowance_ns -= loss;
      site->publish_ns = site->wake_ns = site->arrive_ns = 0;
      return;
    }
  for (unsigned w = 0; w < site->workers; w++)
    {
      if (site->known_ns[w] == 0 || site->ran_sum[w] != 0)
	continue;
      loss = larger (0, site->wake_ns + site->known_ns[w] - wall);
      if (loss > site->allowance_ns)
	continue;
      site->allowance_ns -= loss;
      site->known_ns[w] = 0;
    }
}

/* The batch has ended.  */

static void
end_batch (struct gomp_fold_site *site)
{
  double before = site->known_ns[site->home];
  double wall = site->spent_ns / site->runs;
  bool alone = site->woken == 1;

  for (unsigned w = 0; w < site->workers; w++)
    know (&site->known_ns[w], site->busy_sum[w], site->ran_sum[w]);
  if (!alone)
    {
      know (&site->publish_ns, site->publish_sum, site->runs);
      know (&site->wake_ns, site->wake_sum, site->wakes);
      know (&site->arrive_ns, site->arrive_sum, site->runs);
      site->together_ns = wall;
    }
  else if (before > 0)
    /* The others would take longer as well.  */
    for (unsigned w = 0; w < site->workers; w++)
      if (w != site->home)
	site->known_ns[w] *= site->known_ns[site->home] / before;
  /* Of skipped runs nothing is counted, so trials are rarer there.  */
  site->allowance_ns += TRIAL_PART * site->spent_ns;
  forget (site, wall);
  deal (site);
  site->cold = alone && site->woken > 1;
  site->trial = site->cold;
  site->runs = site->wakes = 0;
  site->spent_ns = 0;
  site->publish_sum = site->wake_sum = site->arrive_sum = 0;
  memset (site->busy_sum, 0, 2 * site->workers * sizeof *site->busy_sum);
  site->batch_ns = (site->batch_ns == 0 ? SECOND_BATCH_NS
		    : site->batch_ns * 2 < LONGEST_BATCH_NS
		    ? site->batch_ns * 2 : LONGEST_BATCH_NS);
}

void
gomp_fold_note (struct gomp_fold_site *site,
		const struct gomp_fold_shares *shares,
		unsigned long long begin, unsigned long long end)
{
  if (site->cold)
    {
      /* The others slept while HOME was alone.  */
      site->cold = false;
      return;
    }
  add_run (site, shares, begin, end);
  if (site->spent_ns >= site->batch_ns
      || (site->trial && site->runs == TRIAL_RUNS))
    end_batch (site);
  if (site->woken == 1 && end - begin < SHORT_NS)
    site->skip = SKIP;
}
