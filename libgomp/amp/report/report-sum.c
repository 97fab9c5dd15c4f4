/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Adds up what the report records: runs of a region, and threads of a loop.  */

#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "report/report-data.h"

/* Add the id of RUN that ID points to, as one of its places, to REGION.  */

static void
add_id (struct gomp_report_region *region, const struct gomp_report_id *id)
{
  struct gomp_report_class *cls = &region->cls[id->cls];
  double value = id->useful;

  cls->parts++;
  cls->ns += id->useful;
  cls->timed++;
  cls->value += value;
  cls->square += value * value;
  region->elsewhere += id->elsewhere;
}

/* Keep RUN as the longest one of REGION.  */

static void
take_picture (struct gomp_report_region *region,
	      const struct gomp_report_run *run)
{
  region->pictured
    = run->ids < GOMP_REPORT_IDS ? run->ids : GOMP_REPORT_IDS;
  for (unsigned i = 0; i < region->pictured; i++)
    {
      const struct gomp_report_id *id = &run->id[i];

      region->picture[i] = (struct gomp_report_picture_id)
	{
	  .began = id->began > run->began ? id->began - run->began : 0,
	  .ended = id->ended > run->began ? id->ended - run->began : 0,
	  .useful = id->useful,
	  .place = id->place,
	  .cls = id->cls
	};
    }
}

/* The time that RUN's PLACES would have taken if each had run as many ids: the
   mean time of an id of the slowest class times the number of ids.  */

static gomp_report_sum
even_time (const struct gomp_report_run *run, unsigned places)
{
  double ns[GOMP_REPORT_CLASSES] = { 0 }, slowest = 0;
  unsigned ids[GOMP_REPORT_CLASSES] = { 0 };

  for (unsigned i = 0; i < run->ids; i++)
    {
      ns[run->id[i].cls] += run->id[i].useful;
      ids[run->id[i].cls]++;
    }
  for (unsigned c = 0; c < GOMP_REPORT_CLASSES; c++)
    if (ids[c] != 0 && ns[c] / ids[c] > slowest)
      slowest = ns[c] / ids[c];
  return slowest * run->ids / places;
}

/* What the ids of a place did in a run.  */
struct place
{
  gomp_report_sum useful;
  unsigned cls;
  bool any;
};

struct places
{
  unsigned room;
  struct place place[];
};

/* Kept from one run to the next: a signal handler that interrupted malloc could
   not fork.  NULL while it is in use.  */
static struct places *kept;

/* Room for COUNT places, all zero.  NULL if memory is short.  */

static struct places *
take_places (unsigned count)
{
  size_t size = count * sizeof (struct place);
  struct places *taken = kept;

  kept = NULL;
  if (taken == NULL || taken->room < count)
    {
      free (taken);
      taken = malloc (sizeof *taken + size);
      if (taken == NULL)
	return NULL;
      taken->room = count;
    }
  memset (taken->place, 0, size);
  return taken;
}

static void
give_back (struct places *taken)
{
  if (kept == NULL)
    kept = taken;
  else
    free (taken);
}

void
gomp_report_add_run (struct gomp_report_region *region,
		     const struct gomp_report_run *run,
		     enum gomp_report_how how, unsigned places,
		     gomp_report_sum ended)
{
  gomp_report_sum elapsed = ended - run->began, least = ~0ULL, idle, all = 0;
  struct places *taken = take_places (places);
  struct place *place = taken != NULL ? taken->place : NULL;

  region->invocations++;
  region->nested += run->nested;
  region->how[how]++;
  if (region->least == 0 || run->ids < region->least)
    region->least = run->ids;
  if (run->ids > region->most)
    region->most = run->ids;
  if (places > region->places)
    region->places = places;
  region->elapsed += elapsed;
  region->capacity += elapsed * places;
  for (unsigned i = 0; i < run->ids; i++)
    {
      add_id (region, &run->id[i]);
      if (place != NULL)
	{
	  struct place *its = &place[run->id[i].place % places];

	  its->useful += run->id[i].useful;
	  its->cls = run->id[i].cls;
	  its->any = true;
	}
    }
  /* As TALP does: what every place lacks is the price of scheduling, and what
     some lack more is imbalance.  */
  for (unsigned p = 0; place != NULL && p < places; p++)
    {
      /* A worker whose ids others have taken.  */
      if (!place[p].any && how != GOMP_REPORT_THREADS)
	place[p].cls = gomp_report_class_of_place (p);
      if (place[p].cls < GOMP_REPORT_CLASSES)
	region->class_capacity[place[p].cls] += elapsed;
      /* Threads that share a core with others may add up to more.  */
      idle = elapsed > place[p].useful ? elapsed - place[p].useful : 0;
      region->useful += elapsed - idle;
      if (idle < least)
	least = idle;
      all += idle;
    }
  give_back (taken);
  if (all != 0)
    {
      region->scheduling += least * places;
      region->imbalance += all - least * places;
    }
  if (how != GOMP_REPORT_THREADS)
    {
      region->folded += elapsed;
      region->even += even_time (run, places);
    }
  if (elapsed > region->longest)
    {
      region->longest = elapsed;
      take_picture (region, run);
    }
}

static double
read_double (const double *x)
{
  double value;

  if (!GOMP_AID_LOCK_FREE)
    return *x;
  __atomic_load (x, &value, __ATOMIC_RELAXED);
  return value;
}

static void
add_loop (struct gomp_report_loop *sum, const struct gomp_report_loop *loop)
{
  gomp_report_sum least = GOMP_REPORT_READ (loop->least);
  gomp_report_sum most = GOMP_REPORT_READ (loop->most);

  sum->invocations += GOMP_REPORT_READ (loop->invocations);
  sum->trips += GOMP_REPORT_READ (loop->trips);
  if (least < sum->least)
    sum->least = least;
  if (most > sum->most)
    sum->most = most;
  for (unsigned w = 0; w < GOMP_REPORT_WAY_COUNT; w++)
    {
      sum->way[w] += GOMP_REPORT_READ (loop->way[w]);
      sum->why[w] |= __atomic_load_n (&loop->why[w], __ATOMIC_RELAXED);
    }
  for (unsigned c = 0; c < GOMP_REPORT_CLASSES; c++)
    {
      const struct gomp_report_class *cls = &loop->cls[c];

      sum->cls[c].parts += GOMP_REPORT_READ (cls->parts);
      sum->cls[c].iterations += GOMP_REPORT_READ (cls->iterations);
      sum->cls[c].ns += GOMP_REPORT_READ (cls->ns);
      sum->cls[c].timed += GOMP_REPORT_READ (cls->timed);
      sum->cls[c].value += read_double (&cls->value);
      sum->cls[c].square += read_double (&cls->square);
    }
}

unsigned
gomp_report_sum_loop (unsigned number, struct gomp_report_loop *sum,
		      double *even, double *longest)
{
  unsigned threads = 0;
  double slowest = 0;

  memset (sum, 0, sizeof *sum);
  sum->least = ~0ULL;
  *longest = 0;
  for (struct gomp_report_thread *thread = gomp_report.threads; thread != NULL;
       thread = thread->next)
    {
      const struct gomp_report_loop *loop
	= __atomic_load_n (&thread->loop[number], __ATOMIC_ACQUIRE);
      gomp_report_sum ns = 0, iterations = 0;

      if (loop == NULL)
	continue;
      add_loop (sum, loop);
      for (unsigned c = 0; c < GOMP_REPORT_CLASSES; c++)
	{
	  ns += GOMP_REPORT_READ (loop->cls[c].ns);
	  iterations += GOMP_REPORT_READ (loop->cls[c].iterations);
	}
      threads += ns != 0;
      if (ns > *longest)
	*longest = ns;
      if (iterations != 0 && (double) ns / iterations > slowest)
	slowest = (double) ns / iterations;
    }
  *even = threads != 0 ? slowest * sum->trips / threads : 0;
  return threads;
}
