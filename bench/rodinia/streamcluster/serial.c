/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the search in plain words, without OpenMP, as a reference: a gain is the
   difference of the costs of a whole solution before and after.  */

#include "search.h"

#include "bench.h"

#include <stdlib.h>

static void
attract (const struct points *p, struct solution *s, long x)
{
  for (long i = 0; i < p->count; i++)
    if (weighted_distance (p, i, x) < s->cost[i])
      {
	s->of[i] = x;
	s->cost[i] = weighted_distance (p, i, x);
      }
}

/* Mark in CLOSES, by points, the centres that go if X becomes one: those whose points that are not
   nearer to X lose less than a price by going there.  */
static void
choose_closing (const struct points *p, const struct solution *s, long x, char *closes)
{
  int64_t *loss = bench_allocate (p->count, sizeof *loss);
  for (long i = 0; i < p->count; i++)
    {
      int64_t there = weighted_distance (p, i, x);
      if (there > s->cost[i])
	loss[s->of[i]] += there - s->cost[i];
    }
  for (long c = 0; c < s->centres; c++)
    closes[s->centre[c]] = loss[s->centre[c]] < s->price;
  free (loss);
}

static int64_t
gain (const struct points *p, struct solution *s, long x)
{
  char *closes = bench_allocate (p->count, sizeof *closes);
  choose_closing (p, s, x, closes);

  int64_t before = solution_cost (s, p->count), after = s->price;
  for (long c = 0; c < s->centres; c++)
    after += closes[s->centre[c]] ? 0 : s->price;
  for (long i = 0; i < p->count; i++)
    {
      int64_t there = weighted_distance (p, i, x);
      after += closes[s->of[i]] || there < s->cost[i] ? there : s->cost[i];
    }

  if (after < before)
    {
      for (long i = 0; i < p->count; i++)
	if (closes[s->of[i]] || weighted_distance (p, i, x) < s->cost[i])
	  {
	    s->cost[i] = weighted_distance (p, i, x);
	    s->of[i] = x;
	  }
      long centres = s->centres;
      s->centres = 0;
      for (long c = 0; c < centres; c++)
	if (!closes[s->centre[c]])
	  solution_add (s, s->centre[c]);
      solution_add (s, x);
    }
  free (closes);
  return after < before ? before - after : 0;
}

const struct steps serial_steps = { attract, gain };
