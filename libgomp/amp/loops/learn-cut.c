/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts loops by what their parts took.  */

#include "loops/learn-cut.h"
#include "base/partition.h"
#include <string.h>

/* One measurement changes the cost of a piece by at most this factor.  */
#define MOST_CHANGE 16

/* The loop took so much more or less time than before that its old times say
   nothing any more.  */
#define CHANGED 1.15

/* The first time of a shared loop, which includes what only first invocations
   do, is taken again if it is less than this many times that of parts.  */
#define DOUBTFUL 1.4

/* On cores of one class: a share of the slowest part's time beyond the mean
   that makes a try without parts worth its time, and the shortest loop for
   which it is.  */
#define UNEVEN .05
#define UNEVEN_NS 2000

size_t
gomp_cut_size (unsigned threads)
{
  return (sizeof (struct gomp_cut)
	  + threads * 2 * (sizeof (double) + sizeof (unsigned)));
}

void
gomp_cut_init (struct gomp_cut *cut, unsigned threads, bool alike)
{
  cut->threads = threads;
  cut->alike = alike;
  cut->mode = alike ? GOMP_CUT_PARTS : GOMP_CUT_SHARED;
  cut->even = alike;
  cut->timed = true;
  cut->wait = GOMP_CUT_WAIT;
  cut->speed = (double *) (cut + 1);
  cut->before = cut->speed + threads;
  cut->part = (unsigned *) (cut->before + threads);
  cut->best = cut->part + threads;
  for (unsigned i = 0; i < threads; i++)
    {
      cut->speed[i] = 1;
      cut->part[i] = (unsigned long long) GOMP_CUT_WHOLE * i / threads;
    }
  for (unsigned b = 0; b < GOMP_CUT_BINS; b++)
    cut->cost[b] = 1.0 / GOMP_CUT_BINS;
}

/* Where the part of THREAD begins, as a fraction of a loop of NI
   iterations.  */

static double
boundary (const struct gomp_cut *cut, unsigned thread, unsigned long long ni)
{
  unsigned long long first;

  if (thread == cut->threads)
    return 1;
  gomp_cut_part (cut, thread, ni, &first);
  return (double) first / ni;
}

/* How much of piece B lies between FROM and TO, fractions of the loop.  */

static double
overlap (unsigned b, double from, double to)
{
  double begin = (double) b / GOMP_CUT_BINS;
  double end = (double) (b + 1) / GOMP_CUT_BINS;

  if (begin < from)
    begin = from;
  if (end > to)
    end = to;
  return end > begin ? (end - begin) * GOMP_CUT_BINS : 0;
}

/* The cost between FROM and TO.  */

static double
cost_between (const double *cost, double from, double to)
{
  double sum = 0;
  unsigned last = to * GOMP_CUT_BINS;

  for (unsigned b = from * GOMP_CUT_BINS; b <= last && b < GOMP_CUT_BINS; b++)
    sum += cost[b] * overlap (b, from, to);
  return sum;
}

/* Change COST, which is CUT's or a copy, so that the parts take what was
   measured: NS by thread, per iteration of the loop.  Within a part the costs
   keep their proportions, since those are what earlier cuts have shown.  */

static void
fit (const struct gomp_cut *cut, const double *ns, unsigned long long ni,
     double *cost)
{
  double factor[GOMP_CUT_BINS], weight[GOMP_CUT_BINS];

  memset (factor, 0, sizeof factor);
  memset (weight, 0, sizeof weight);
  for (unsigned i = 0; i < cut->threads; i++)
    {
      double from = boundary (cut, i, ni), to = boundary (cut, i + 1, ni);
      double expected = cost_between (cost, from, to);
      if (to <= from || expected <= 0)
	continue;
      double change = ns[i] * cut->speed[i] / expected;
      unsigned last = to * GOMP_CUT_BINS;
      for (unsigned b = from * GOMP_CUT_BINS; b <= last && b < GOMP_CUT_BINS;
	   b++)
	{
	  double part = overlap (b, from, to);
	  factor[b] += part * change;
	  weight[b] += part;
	}
    }
  /* The first times say what an iteration costs at all.  */
  double all = 0, known = 0;
  for (unsigned b = 0; b < GOMP_CUT_BINS; b++)
    {
      all += factor[b];
      known += weight[b];
    }
  double mean = known > 0 ? all / known : 1;
  for (unsigned b = 0; b < GOMP_CUT_BINS; b++)
    {
      double change = weight[b] > 0 ? factor[b] / weight[b] : mean;
      if (change > mean * MOST_CHANGE)
	change = mean * MOST_CHANGE;
      if (change < mean / MOST_CHANGE)
	change = mean / MOST_CHANGE;
      cost[b] *= change;
    }
}

/* The best cut of a loop of NI iterations whose pieces have COST, in FIRST.
   Returns what its slowest part takes, per iteration of the loop.  */

static double
cut_best (const struct gomp_cut *cut, const double *cost,
	  unsigned long long ni, unsigned long long *first)
{
  double before[GOMP_CUT_BINS + 1];
  struct gomp_amp_work work = { .units = ni, .pieces = GOMP_CUT_BINS,
				.before = before, .workers = cut->threads,
				.speed = cut->speed };

  before[0] = 0;
  for (unsigned b = 0; b < GOMP_CUT_BINS; b++)
    before[b + 1] = before[b] + cost[b];
  return gomp_amp_partition (&work, first);
}

/* Let CUT have the parts that begin at FIRST out of NI.  */

static void
take_parts (struct gomp_cut *cut, const unsigned long long *first,
	    unsigned long long ni)
{
  for (unsigned i = 0; i < cut->threads; i++)
    {
      /* Rounded up, so that gomp_cut_at gives FIRST again.  */
      unsigned at = (double) first[i] / ni * GOMP_CUT_WHOLE;
      while (gomp_cut_at (at, ni) < first[i])
	at++;
      cut->part[i] = at;
    }
  cut->even = false;
}

static void
cut_anew (struct gomp_cut *cut, unsigned long long ni)
{
  unsigned long long first[cut->threads];

  cut_best (cut, cut->cost, ni, first);
  take_parts (cut, first, ni);
}

void
gomp_cut_inherit (struct gomp_cut *cut, const struct gomp_cut *from,
		  unsigned long long ni)
{
  memcpy (cut->cost, from->cost, sizeof cut->cost);
  memcpy (cut->speed, from->speed, cut->threads * sizeof cut->speed[0]);
  cut->mode = from->mode;
  cut->shared_ns = from->shared_ns;
  if (cut->mode == GOMP_CUT_PARTS && !from->even)
    cut_anew (cut, ni);
}

void
gomp_cut_begin_series (struct gomp_cut *cut)
{
  cut->timed = true;
  cut->confirm = false;
  cut->tries = 0;
  cut->improved = false;
  cut->again = false;
  cut->last_ns = cut->mode == GOMP_CUT_PARTS ? cut->parts_ns : 0;
  cut->parts_ns = 0;
}

/* The series ends with MODE.  */

static void
settle (struct gomp_cut *cut, enum gomp_cut_mode mode, bool changed)
{
  unsigned first = mode == GOMP_CUT_PARTS ? GOMP_CUT_WAIT
					  : GOMP_CUT_WAIT_SHARED;
  unsigned most = mode == GOMP_CUT_PARTS ? GOMP_CUT_WAIT_MOST
					 : GOMP_CUT_WAIT_SHARED_MOST;

  if (changed || cut->wait < first)
    cut->wait = first;
  else
    cut->wait = 2 * cut->wait < most ? 2 * cut->wait : most;
  cut->mode = mode;
  cut->timed = false;
  cut->settled = true;
}

/* Take the classes' speeds from TIMES of a shared loop: there each thread has
   chunks from all over the loop, so that its iterations in a time say how fast
   it is.  */

static void
take_speeds (struct gomp_cut *cut, const struct gomp_cut_time *times)
{
  double speed[cut->threads], fastest = 0;

  for (unsigned i = 0; i < cut->threads; i++)
    {
      double ns = 0, iterations = 0;
      for (unsigned j = 0; j < cut->threads; j++)
	if (times[j].cls == times[i].cls)
	  {
	    ns += times[j].ns;
	    iterations += times[j].iterations;
	  }
      if (ns <= 0 || iterations <= 0)
	return;
      speed[i] = iterations / ns;
      if (speed[i] > fastest)
	fastest = speed[i];
    }
  for (unsigned i = 0; i < cut->threads; i++)
    cut->speed[i] = speed[i] / fastest;
}

/* The loop was timed while its threads shared it.  */

static void
shared_measured (struct gomp_cut *cut, const struct gomp_cut_time *times,
		 double whole_ns, unsigned long long ni)
{
  cut->shared_ns = whole_ns / ni;
  if (cut->parts_ns == 0)
    {
      if (!cut->alike)
	take_speeds (cut, times);
      cut->mode = GOMP_CUT_PARTS;
      if (!cut->even)
	cut_anew (cut, ni);
      return;
    }
  /* Only this was missing.  */
  if (cut->shared_ns < cut->parts_ns * (1 - GOMP_CUT_BETTER))
    settle (cut, GOMP_CUT_SHARED, !cut->settled);
  else
    settle (cut, GOMP_CUT_PARTS, false);
}

/* The series of cuts has ended.  */

static void
choose_mode (struct gomp_cut *cut)
{
  bool changed = (cut->last_ns != 0
		  && (cut->parts_ns > cut->last_ns * CHANGED
		      || cut->last_ns > cut->parts_ns * CHANGED));

  if (changed || (cut->alike && !cut->uneven)
      || (!cut->settled && cut->shared_ns < cut->parts_ns * DOUBTFUL))
    cut->shared_ns = 0;
  if (cut->shared_ns == 0 && (cut->uneven || !cut->alike))
    {
      cut->mode = GOMP_CUT_SHARED;
      return;
    }
  if (cut->shared_ns != 0
      && cut->shared_ns < cut->parts_ns * (1 - GOMP_CUT_BETTER))
    settle (cut, GOMP_CUT_SHARED, false);
  else
    settle (cut, GOMP_CUT_PARTS, changed || cut->improved);
}

/* The loop was timed in parts.  */

static void
parts_measured (struct gomp_cut *cut, const struct gomp_cut_time *times,
		double whole_ns, unsigned long long ni)
{
  unsigned long long first[cut->threads];
  double ns[cut->threads], cost[GOMP_CUT_BINS];
  double most = 0, sum = 0, whole = whole_ns / ni;

  if (cut->again)
    {
      cut->parts_ns = whole;
      choose_mode (cut);
      return;
    }
  for (unsigned i = 0; i < cut->threads; i++)
    {
      ns[i] = times[i].ns / ni;
      if (cut->confirm && cut->before[i] < ns[i])
	ns[i] = cut->before[i];
      if (ns[i] > most)
	most = ns[i];
      sum += ns[i];
    }
  memcpy (cost, cut->cost, sizeof cost);
  fit (cut, ns, ni, cost);
  double expected = cut_best (cut, cost, ni, first);
  bool gain = (most - expected > most * GOMP_CUT_GAIN
	       && (most - expected) * ni > GOMP_CUT_GAIN_NS);
  if (gain && (cut->settled || cut->alike) && cut->tries == 0 && !cut->confirm)
    {
      memcpy (cut->before, ns, sizeof ns);
      cut->confirm = true;
      return;
    }
  cut->confirm = false;
  memcpy (cut->cost, cost, sizeof cost);
  bool better = (cut->parts_ns == 0
		 || whole < cut->parts_ns * (1 - GOMP_CUT_BETTER));
  if (better)
    {
      cut->improved = cut->tries != 0;
      cut->parts_ns = whole;
      cut->best_even = cut->even;
      memcpy (cut->best, cut->part, cut->threads * sizeof cut->best[0]);
    }
  if (gain && cut->tries < GOMP_CUT_TRIES)
    {
      cut->tries++;
      take_parts (cut, first, ni);
      return;
    }
  if (!better)
    {
      cut->even = cut->best_even;
      memcpy (cut->part, cut->best, cut->threads * sizeof cut->part[0]);
    }
  cut->uneven = (most > sum / cut->threads * (1 + UNEVEN)
		 && most * ni > UNEVEN_NS);
  cut->again = cut->tries > 1;
  if (!cut->again)
    choose_mode (cut);
}

void
gomp_cut_measured (struct gomp_cut *cut, const struct gomp_cut_time *times,
		   double whole_ns, unsigned long long ni)
{
  /* 0 would stand for a time that is not known.  */
  if (whole_ns < 1)
    whole_ns = 1;
  if (cut->mode == GOMP_CUT_SHARED)
    shared_measured (cut, times, whole_ns, ni);
  else
    parts_measured (cut, times, whole_ns, ni);
}
