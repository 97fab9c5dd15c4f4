/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The local search for a k-median clustering: a first solution by chance, improved by
   candidates, at a price of centres that is bisected until there are as many centres as wanted.  */

#include "search.h"

#include "bench.h"

#include <stdlib.h>

enum
{
  SEED = 2002,
  /* First solutions by one price, before a lower one is tried.  */
  ATTEMPTS = 3,
  /* Candidates are this times k log k.  */
  CANDIDATES = 3
};

/* More than any distance, however heavy the point.  */
static const int64_t no_centre = INT64_C (1) << 50;

/* The search for one set of points.  CANDIDATE are the points that may become centres.  */
struct state
{
  const struct points *points;
  struct solution *solution;
  const struct steps *steps;
  struct sequence *sequence;
  long *candidate, candidates, tries, asked;
};

void
solution_allocate (struct solution *s, long count)
{
  s->of = bench_allocate (count, sizeof *s->of);
  s->centre = bench_allocate (count, sizeof *s->centre);
  s->place = bench_allocate (count, sizeof *s->place);
  s->cost = bench_allocate (count, sizeof *s->cost);
  s->offer = bench_allocate (count, sizeof *s->offer);
  s->surplus = bench_allocate (count, sizeof *s->surplus);
}

void
solution_add (struct solution *s, long x)
{
  s->place[x] = s->centres;
  s->centre[s->centres++] = x;
}

int64_t
solution_cost (const struct solution *s, long count)
{
  int64_t cost = s->price * s->centres;
  for (long i = 0; i < count; i++)
    cost += s->cost[i];
  return cost;
}

static long
below (struct sequence *sequence, long bound)
{
  return bench_random (SEED, sequence->next++) % bound;
}

/* Put ORDER, COUNT indices, into random order.  */
static void
shuffle (struct sequence *sequence, long *order, long count)
{
  for (long i = count - 1; i > 0; i--)
    {
      long j = below (sequence, i + 1), swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
}

/* Three times k log k, the logarithm being to the base two and rounded up.  */
static long
candidates_for (long k)
{
  long logarithm = 1;
  while (1L << logarithm < k)
    logarithm++;
  return CANDIDATES * k * logarithm;
}

/* A first solution: the points in random order, each becoming a centre by a probability that grows
   with its cost.  */
static void
begin (struct state *t, long *order)
{
  const struct points *p = t->points;
  struct solution *s = t->solution;

  shuffle (t->sequence, order, p->count);
  s->centres = 0;
  for (long i = 0; i < p->count; i++)
    s->cost[i] = no_centre;
  for (long i = 0; i < p->count; i++)
    {
      long x = order[i];
      double chance = bench_uniform (SEED + 1, t->sequence->next++);
      if (i == 0 || chance * (double) s->price < (double) s->cost[x])
	{
	  solution_add (s, x);
	  t->steps->attract (p, s, x);
	}
    }
}

/* Try candidates for as long as a round of them gains more than one part in PARTS of the cost.  */
static void
improve (struct state *t, int64_t parts)
{
  int64_t gained, cost = solution_cost (t->solution, t->points->count);
  do
    {
      gained = 0;
      for (long i = 0; i < t->tries; i++)
	{
	  long x = t->candidate[below (t->sequence, t->candidates)];
	  gained += t->steps->gain (t->points, t->solution, x);
	}
      t->asked += t->tries;
      cost -= gained;
    }
  while (gained > cost / parts);
}

/* Every point a centre of its own.  */
static void
take_all (const struct points *p, struct solution *s)
{
  s->centres = 0;
  s->price = 0;
  for (long i = 0; i < p->count; i++)
    {
      solution_add (s, i);
      s->of[i] = i;
      s->cost[i] = 0;
    }
}

/* Begin with a price at which there are LEAST centres or more; *HIGH is lowered to one at which
   there are fewer.  */
static void
begin_with (struct state *t, long least, int64_t *high)
{
  struct solution *s = t->solution;
  long *order = bench_allocate (t->points->count, sizeof *order);
  for (long i = 0; i < t->points->count; i++)
    order[i] = i;

  begin (t, order);
  for (int attempt = 1; s->centres < least && s->price > 0; attempt++)
    {
      if (attempt % ATTEMPTS == 0)
	{
	  *high = s->price;
	  s->price /= 2;
	}
      begin (t, order);
    }
  shuffle (t->sequence, order, t->points->count);
  for (long i = 0; i < t->candidates; i++)
    t->candidate[i] = order[i];
  free (order);
}

void
search (const struct points *p, struct solution *s, const struct steps *steps, long least,
	long most, struct sequence *sequence, long *asked)
{
  if (p->count <= least)
    {
      take_all (p, s);
      return;
    }
  struct state t = { .points = p, .solution = s, .steps = steps, .sequence = sequence };
  t.candidates = candidates_for (least);
  if (t.candidates > p->count)
    t.candidates = p->count;
  t.candidate = bench_allocate (t.candidates, sizeof *t.candidate);
  t.tries = candidates_for (most);

  /* At a price of all points' costs at one centre, no second one pays.  */
  int64_t low = 0, high = 0;
  for (long i = 0; i < p->count; i++)
    high += weighted_distance (p, i, 0);
  s->price = high / 2;
  begin_with (&t, least, &high);
  for (;;)
    {
      improve (&t, 10);
      if (s->centres >= least - 2 && s->centres <= most + 2)
	improve (&t, 1000);
      if (s->centres > most)
	low = s->price;
      else if (s->centres < least)
	high = s->price;
      if ((s->centres >= least && s->centres <= most) || high - low <= high / 1000)
	break;
      s->price = low + (high - low) / 2;
    }
  *asked += t.asked;
  free (t.candidate);
}
