/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the search by OpenMP: a short parallel region for every centre and candidate.  */

#include "search.h"

#include <string.h>

static void
attract (const struct points *p, struct solution *s, long x)
{
#pragma omp parallel for
  for (long i = 0; i < p->count; i++)
    {
      int64_t cost = weighted_distance (p, i, x);
      if (cost < s->cost[i])
	{
	  s->cost[i] = cost;
	  s->of[i] = x;
	}
    }
}

/* Fill in the offers and surpluses for candidate X; what the points nearer to it would save.  */
static int64_t
weigh (const struct points *p, struct solution *s, long x)
{
  int64_t saved = 0, *surplus = s->surplus;

  memset (surplus, 0, s->centres * sizeof *surplus);
#pragma omp parallel for reduction(+ : saved, surplus[ : s->centres])
  for (long i = 0; i < p->count; i++)
    {
      int64_t change = (s->offer[i] = weighted_distance (p, i, x)) - s->cost[i];
      if (change < 0)
	saved -= change;
      else
	surplus[s->place[s->of[i]]] += change;
    }
  return saved;
}

static int64_t
gain (const struct points *p, struct solution *s, long x)
{
  int64_t gained = weigh (p, s, x) - s->price;
  for (long c = 0; c < s->centres; c++)
    if (s->surplus[c] < s->price)
      gained += s->price - s->surplus[c];
  if (gained <= 0)
    return 0;

#pragma omp parallel for
  for (long i = 0; i < p->count; i++)
    if (s->offer[i] < s->cost[i] || s->surplus[s->place[s->of[i]]] < s->price)
      {
	s->cost[i] = s->offer[i];
	s->of[i] = x;
      }

  /* X itself, if it was a centre, had no surplus, and is among those that go.  */
  long centres = s->centres;
  s->centres = 0;
  for (long c = 0; c < centres; c++)
    if (s->surplus[c] >= s->price)
      solution_add (s, s->centre[c]);
  solution_add (s, x);
  return gained;
}

const struct steps parallel_steps = { attract, gain };
