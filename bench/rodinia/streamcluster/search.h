/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The local search for a k-median clustering, and the two steps of it that go through all points.

   Source: O'Callaghan, Mishra, Meyerson, Guha, Motwani, "Streaming-Data Algorithms for High-Quality
   Clustering", ICDE 2002, section 3.

   Distances are squared, and whole numbers as coordinates and weights are, so that every sum is
   exact in any order, and every decision the same.  */

#ifndef SEARCH_H
#define SEARCH_H 1

#include <stdint.h>

/* COUNT points of DIMENSIONS coordinates each; a point stands for as many as its weight says.  */
struct points
{
  long count, dimensions;
  int16_t *coordinate;
  int64_t *weight;
};

/* Of each point the centre that it belongs to (a point's index) and its weighted distance to it;
   the CENTRES centres, and of a centre its place among them; the price of having a centre.  */
struct solution
{
  long *of, *centre, *place;
  int64_t *cost;
  long centres;
  int64_t price;
  /* For gain: of each point the weighted distance to the candidate, and of each centre, by its
     place, what it would cost to give its points to the candidate.  */
  int64_t *offer, *surplus;
};

/* How the points are gone through.  */
struct steps
{
  /* Let every point that is nearer to point X than to its centre belong to X.  */
  void (*attract) (const struct points *p, struct solution *s, long x);

  /* Let S cost less by making point X a centre, to which the points nearer to it go, and all points
     of those centres whose price is more than what that costs; these are centres no longer.  By how
     much, or 0 if it would not cost less and nothing was changed.  */
  int64_t (*gain) (const struct points *p, struct solution *s, long x);
};

extern const struct steps parallel_steps, serial_steps;

/* A random sequence: the next place in it.  */
struct sequence
{
  uint64_t next;
};

static inline int64_t
weighted_distance (const struct points *p, long a, long b)
{
  const int16_t *from = p->coordinate + a * p->dimensions, *to = p->coordinate + b * p->dimensions;
  int32_t sum = 0;
  for (long k = 0; k < p->dimensions; k++)
    {
      int32_t difference = from[k] - to[k];
      sum += difference * difference;
    }
  return p->weight[a] * sum;
}

/* Room for solutions of up to COUNT points.  */
void solution_allocate (struct solution *s, long count);

/* Store X as the last centre of S.  */
void solution_add (struct solution *s, long x);

/* The price of S's centres and the costs of all its COUNT points.  */
int64_t solution_cost (const struct solution *s, long count);

/* Find a solution with LEAST to MOST centres if there is one by a price of centres; how often
   it asked for a gain is added to *ASKED.  */
void search (const struct points *p, struct solution *s, const struct steps *steps, long least,
	     long most, struct sequence *sequence, long *asked);

#endif
