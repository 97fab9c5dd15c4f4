/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest rectangle that cells of given sizes fit into, lying or standing, if each has to lie
   at the right of or below one that was placed before it: branch and bound, by a task for every
   placement, down to a depth below which the search is serial. A task that finds a better plan
   tells all, and so how much there is to do depends on who comes first.

   Source: Duran, Teruel, Ferrer, Martorell, Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009
   (Floorplan).

   Verified by a search without bounds, or for more than six cells by a serial search with bounds:
   the same area; and by the plan that was found, which has to have that area and no two cells at
   one place.  */

#include "bench.h"

#include <string.h>

enum
{
  SEED = 2009,
  CELLS = 10,
  LARGEST = 12,
  WITHOUT_BOUNDS = 6
};

struct cell
{
  short x, y, width, height;
};

struct plan
{
  int cells, placed;
  short width, height;
  struct cell cell[CELLS];
};

/* The best plan so far.  AREA is read without the lock, atomically.  */
struct best
{
  long area;
  struct plan plan;
};

static long
area (const struct plan *p)
{
  return (long) p->width * p->height;
}

static int
overlap (const struct cell *a, const struct cell *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height
	 && b->y < a->y + a->height;
}

/* Number CHOICE of the ways to place the next cell of P, into NEXT; whether that can be done.  */
static int
place (const struct plan *p, int choice, struct plan *next)
{
  const struct cell *at = &p->cell[choice / 4];
  struct cell cell = p->cell[p->placed];
  if (choice & 1)
    {
      short width = cell.width;
      cell.width = cell.height;
      cell.height = width;
    }
  cell.x = choice & 2 ? at->x + at->width : at->x;
  cell.y = choice & 2 ? at->y : at->y + at->height;
  for (int i = 0; i < p->placed; i++)
    if (overlap (&cell, &p->cell[i]))
      return 0;
  *next = *p;
  next->cell[next->placed++] = cell;
  if (next->width < cell.x + cell.width)
    next->width = cell.x + cell.width;
  if (next->height < cell.y + cell.height)
    next->height = cell.y + cell.height;
  return 1;
}

static void
improve (struct best *best, const struct plan *p)
{
#pragma omp critical
  if (area (p) < best->area)
    {
      best->plan = *p;
#pragma omp atomic write
      best->area = area (p);
    }
}

static long
bound (const struct best *best)
{
  long least;
#pragma omp atomic read
  least = best->area;
  return least;
}

static void
search_serially (const struct plan *p, struct best *best)
{
  if (p->placed == p->cells)
    {
      improve (best, p);
      return;
    }
  for (int choice = 0; choice < 4 * p->placed; choice++)
    {
      struct plan next;
      if (place (p, choice, &next) && area (&next) < bound (best))
	search_serially (&next, best);
    }
}

/* The same by tasks, until DEPTH cells are placed.  */
static void
search (const struct plan *p, int depth, struct best *best)
{
  if (p->placed >= depth || p->placed == p->cells)
    {
      search_serially (p, best);
      return;
    }
  for (int choice = 0; choice < 4 * p->placed; choice++)
    {
      struct plan next;
      if (place (p, choice, &next) && area (&next) < bound (best))
	{
#pragma omp task default(none) firstprivate(next, depth, best)
	  search (&next, depth, best);
	}
    }
#pragma omp taskwait
}

static void
search_in_parallel (const struct plan *p, int depth, struct best *best)
{
#pragma omp parallel default(none) firstprivate(p, depth, best)
#pragma omp single
  search (p, depth, best);
}

/* The smallest area of the plans that P can be completed to.  */
static long
least_area (const struct plan *p)
{
  if (p->placed == p->cells)
    return area (p);
  long least = 1L << 30;
  for (int choice = 0; choice < 4 * p->placed; choice++)
    {
      struct plan next;
      if (!place (p, choice, &next))
	continue;
      long found = least_area (&next);
      least = found < least ? found : least;
    }
  return least;
}

/* Whether P has the cells of START, in their sizes, each apart from the others and inside.  */
static int
is_plan (const struct plan *p, const struct plan *start)
{
  for (int i = 0; i < start->cells; i++)
    {
      const struct cell *c = &p->cell[i], *size = &start->cell[i];
      int lies = c->width == size->width && c->height == size->height;
      int stands = c->width == size->height && c->height == size->width;
      if ((!lies && !stands) || c->x < 0 || c->y < 0 || c->x + c->width > p->width
	  || c->y + c->height > p->height)
	return 0;
      for (int j = 0; j < i; j++)
	if (overlap (c, &p->cell[j]))
	  return 0;
    }
  return p->placed == start->cells;
}

int
main (int argc, char **argv)
{
  long size = 9, depth = 9, repeats = 1;
  bench_options (argc, argv, "Find the smallest floor plan by tasks.",
      { "size", &size, 1, CELLS, "cells", NULL },
      { "depth", &depth, 1, CELLS, "cells that are placed by tasks", NULL },
      { "repeats", &repeats, 1, 1000000, "times that the plan is searched for", NULL });

  struct plan start = { .cells = size, .placed = 1 };
  for (long i = 0; i < size; i++)
    {
      start.cell[i].width = 1 + bench_random (SEED, 2 * i) % LARGEST;
      start.cell[i].height = 1 + bench_random (SEED, 2 * i + 1) % LARGEST;
    }
  start.width = start.cell[0].width;
  start.height = start.cell[0].height;

  const struct best none = { .area = 1L << 30 };
  struct best best = none, reference = none;
  if (size <= WITHOUT_BOUNDS)
    reference.area = least_area (&start);
  else
    search_serially (&start, &reference);
  for (long r = 0; r < repeats; r++)
    {
      best = none;
      bench_start ();
      search_in_parallel (&start, depth, &best);
      bench_stop ();
      bench_verify (best.area == reference.area && area (&best.plan) == best.area
		  && is_plan (&best.plan, &start));
    }
  return bench_result (NULL);
}
