/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The table of what teams learn about their loops, and its epochs.  */

/* For sched_getcpu.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include <stdlib.h>
#include <string.h>
#include "libgomp.h"
#include "base/clock.h"
#include "machine/cpu.h"
#include "base/hash.h"
#include "loops/learn.h"
#include "sites/sf-file.h"

/* The bytes that the pools of the process have now.  A child process keeps what
   other threads of its parent had, so it counts that too.  */
static size_t bytes;

/* SIZE bytes that are zero, on cache lines of their own; NULL if memory is
   short or the bound is reached.  */

static void *
allocate (size_t size)
{
  void *memory;

  /* Relaxed: the number goes with no other data.  Read first, since at the
     bound each start of an unknown loop comes here, and no shared word should
     be written for it.  */
  if (__atomic_load_n (&bytes, __ATOMIC_RELAXED) + size > GOMP_LEARN_MOST_BYTES)
    return NULL;
  if (__atomic_add_fetch (&bytes, size, __ATOMIC_RELAXED)
	<= GOMP_LEARN_MOST_BYTES
      && posix_memalign (&memory, GOMP_AID_LINE, size) == 0)
    return memset (memory, 0, size);
  __atomic_sub_fetch (&bytes, size, __ATOMIC_RELAXED);
  return NULL;
}

/* Free MEMORY, which allocate returned for SIZE.  */

static void
release (void *memory, size_t size)
{
  free (memory);
  __atomic_sub_fetch (&bytes, size, __ATOMIC_RELAXED);
}

static inline bool
same_places (const struct gomp_amp_places *a, const struct gomp_amp_places *b)
{
  return (a->allotment == b->allotment && a->offset == b->offset
	  && a->length == b->length && a->first == b->first
	  && a->count == b->count && a->spread == b->spread);
}

/* Whether LEARN belongs to TEAM.  Where the threads of TEAM are decides their
   classes, unless the user gave these.  */

static bool
belongs (const struct gomp_learn *learn, const struct gomp_team *team,
	 bool alike)
{
  return (learn->threads == team->nthreads && learn->alike == alike
	  && (alike || gomp_amp_classes_forced ()
	      || same_places (&learn->places, &team->amp_places)));
}

/* Whether the threads of TEAM stay on their cores, or at least on cores of
   their class.  */

static bool
stay (const struct gomp_team *team, bool alike)
{
#ifdef GOMP_AMP_VIRTUAL
  return true;
#else
  return alike || gomp_amp_classes_forced () || team->amp_places.count != 0;
#endif
}

static struct gomp_learn *
make_learn (const struct gomp_team *team, bool alike)
{
  struct gomp_learn *learn = allocate (sizeof *learn);

  if (learn == NULL)
    return NULL;
  learn->threads = team->nthreads;
  learn->alike = alike;
  if (!alike)
    learn->places = team->amp_places;
  return learn;
}

/* The data for TEAM out of those of POOL, which then come first; NULL if there
   is no memory or there are too many.  */

static struct gomp_learn *
learn_of (struct gomp_thread_pool *pool, const struct gomp_team *team,
	  bool alike)
{
  unsigned teams = 0;
  /* That of the pool's last team is the greatest of the pool.  */
  unsigned long long serial
    = pool->amp_learn != NULL ? pool->amp_learn->serial : 0;
  struct gomp_learn **link = &pool->amp_learn;

  while (*link != NULL && !belongs (*link, team, alike))
    {
      link = &(*link)->next;
      teams++;
    }
  struct gomp_learn *learn = *link;
  if (learn != NULL)
    *link = learn->next;
  else if (teams == GOMP_LEARN_MAX_TEAMS)
    return NULL;
  else
    learn = make_learn (team, alike);
  if (learn != NULL)
    {
      learn->serial = serial;
      learn->next = pool->amp_learn;
      pool->amp_learn = learn;
    }
  return learn;
}

/* The step at ADDRESS; NULL if there is no memory for it.  */

static struct gomp_learn_step *
find_step (struct gomp_learn *learn, const void *address)
{
  unsigned bucket = gomp_amp_hash_address (address) >> 24;
  struct gomp_learn_step *step = learn->bucket[bucket];

  while (step != NULL && step->address != address)
    step = step->other;
  if (step != NULL)
    return step;
  step = allocate (sizeof *step);
  if (step == NULL)
    return NULL;
  step->address = address;
  step->other = learn->bucket[bucket];
  learn->bucket[bucket] = step;
  return step;
}

/* The size of a loop of LEARN, with its slots and its cut.  */

static inline size_t
loop_size (const struct gomp_learn *learn)
{
  return (sizeof (struct gomp_learn_loop)
	  + learn->threads * sizeof (struct gomp_learn_slot)
	  + gomp_cut_size (learn->threads));
}

/* A loop of STEP with NI iterations that no other thread knows yet; NULL if
   there is no memory for it.  */

static struct gomp_learn_loop *
make_loop (struct gomp_learn *learn, struct gomp_learn_step *step,
	   gomp_aid_count ni)
{
  struct gomp_learn_loop *loop = allocate (loop_size (learn));

  if (loop == NULL)
    return NULL;
  loop->slots = (struct gomp_learn_slot *) (loop + 1);
  loop->cut = (struct gomp_cut *) (loop->slots + learn->threads);
  loop->step = step;
  loop->shape = gomp_learn_shape (ni);
  loop->ni = ni;
  gomp_cut_init (loop->cut, learn->threads, learn->alike);
  return loop;
}

static void
note (struct gomp_learn *learn, struct gomp_learn_loop *loop)
{
  learn->news = true;
  if (loop->noted)
    return;
  loop->noted = true;
  loop->next_noted = learn->noted;
  learn->noted = loop;
}

/* Thread 0 starts a loop of NI iterations, which is one of STEP.  */

static void
encounter (struct gomp_learn *learn, struct gomp_learn_step *step,
	   gomp_aid_count ni)
{
  struct gomp_learn_loop *loop = step->loops[gomp_learn_shape (ni)];

  if (__builtin_expect (loop == NULL, 0))
    {
      if (ni == 0)
	return;
      for (loop = learn->noted; loop != NULL; loop = loop->next_noted)
	if (loop->step == step && loop->shape == gomp_learn_shape (ni))
	  return;
      loop = make_loop (learn, step, ni);
      if (loop != NULL)
	note (learn, loop);
    }
  else if (__builtin_expect (loop->cut->timed, 0))
    {
      loop->ni += ni;
      note (learn, loop);
    }
  else if (__builtin_expect (loop->left != 0 && --loop->left == 0, 0))
    note (learn, loop);
}

void
gomp_learn_compare (struct gomp_learn *learn, struct gomp_learn_step *step,
		    const void *address, gomp_aid_count ni)
{
  struct gomp_learn_step *before = learn->at, *here = step;

  if (__builtin_expect (step == NULL || step->address != address, 0))
    here = find_step (learn, address);
  if (__builtin_expect (here != step || learn->lost, 0))
    {
      /* What the threads measure in the name of STEP belongs to HERE.  */
      struct gomp_learn_loop *loop = gomp_learn_loop_of (step, ni);
      if (here != step && loop != NULL && gomp_learn_timed (loop, ni))
	{
	  loop->foreign = true;
	  note (learn, loop);
	}
      if (before != NULL && before->next != here
	  && learn->corrections < GOMP_LEARN_CORRECTIONS)
	{
	  learn->correction[learn->corrections].from = before;
	  learn->correction[learn->corrections].to = here;
	  learn->corrections++;
	}
      learn->lost = true;
      learn->news = true;
    }
  else if (__builtin_expect (before != NULL && before->doubt, 0))
    before->doubt = false;
  learn->at = here;
  /* What is known of a loop that all threads took for another one stays.  */
  if (here != NULL
      && (here == step || here->loops[gomp_learn_shape (ni)] == NULL))
    encounter (learn, here, ni);
}

struct gomp_learn_loop *
gomp_learn_region_loop (struct gomp_learn *learn, gomp_aid_count ni)
{
  struct gomp_learn_step *step = learn->last;

  if (step == NULL)
    return NULL;
  encounter (learn, step, ni);
  return gomp_learn_loop_of (step, ni);
}

void
gomp_learn_measured (struct gomp_thread *thr, struct gomp_learn_loop *loop,
		     unsigned long long began, gomp_aid_count iterations)
{
  struct gomp_learn_slot *slot = &loop->slots[thr->ts.team_id];
  unsigned long long now = gomp_amp_clock ();

  if (slot->invocations++ == 0)
    slot->began = began;
  slot->ended = now;
  slot->ns += now - began;
  slot->iterations += iterations;
  slot->cls = gomp_amp_current_class (thr);
}

/* The measurements of LOOP by THREADS threads, in TIMES and *WHOLE_NS; all are
   means of an invocation.  Returns their number, or 0 if not every thread has
   measured as many, or if they did not run the loop's iterations, each
   once.  */

static unsigned
collect (const struct gomp_learn_loop *loop, unsigned threads,
	 struct gomp_cut_time *times, double *whole_ns)
{
  unsigned invocations = loop->slots[0].invocations;
  unsigned long long began = loop->slots[0].began, ended = 0, longest = 0;
  gomp_aid_count iterations = 0;

  if (invocations == 0 || loop->foreign)
    return 0;
  for (unsigned i = 0; i < threads; i++)
    {
      const struct gomp_learn_slot *slot = &loop->slots[i];
      if (slot->invocations != invocations)
	return 0;
      times[i].ns = (double) slot->ns / invocations;
      times[i].iterations = (double) slot->iterations / invocations;
      times[i].cls = slot->cls;
      iterations += slot->iterations;
      if (slot->began < began)
	began = slot->began;
      if (slot->ended > ended)
	ended = slot->ended;
      if (slot->ns > longest)
	longest = slot->ns;
    }
  /* Invocations that follow each other without a barrier overlap.  */
  *whole_ns = (double) (invocations == 1 ? ended - began : longest)
	      / invocations;
  return iterations == loop->ni ? invocations : 0;
}

/* Learn from what was measured of LOOP.  */

static void
learn_times (struct gomp_learn *learn, struct gomp_learn_loop *loop)
{
  struct gomp_cut_time times[learn->threads];
  double whole_ns;
  unsigned invocations = collect (loop, learn->threads, times, &whole_ns);

  if (invocations != 0)
    {
      loop->failures = 0;
      gomp_cut_measured (loop->cut, times, whole_ns, loop->ni / invocations);
      loop->left = loop->cut->wait;
      loop->step->latest = loop;
    }
  else if (!loop->foreign && ++loop->failures == GOMP_LEARN_FAILURES)
    {
      loop->failures = 0;
      loop->cut->timed = false;
      loop->left = GOMP_CUT_WAIT_SHARED_MOST;
    }
  loop->ni = 0;
  loop->foreign = false;
  for (unsigned i = 0; i < learn->threads; i++)
    memset (&loop->slots[i], 0, sizeof loop->slots[i]);
}

/* Thread 0 has noted LOOP.  */

static void
update_loop (struct gomp_learn *learn, struct gomp_learn_loop *loop)
{
  struct gomp_learn_step *step = loop->step;

  if (step->loops[loop->shape] == NULL)
    {
      if (step->latest != NULL)
	gomp_cut_inherit (loop->cut, step->latest->cut, loop->ni);
      loop->ni = 0;
      step->loops[loop->shape] = loop;
    }
  else if (loop->cut->timed)
    learn_times (learn, loop);
  else
    gomp_cut_begin_series (loop->cut);
}

/* Correct the order of loops.  A successor is replaced if it was wrong twice in
   succession, so that the end of an inner loop does not change it.  */

static void
correct_order (struct gomp_learn *learn)
{
  for (unsigned i = 0; i < learn->corrections; i++)
    {
      struct gomp_learn_step *from = learn->correction[i].from;
      if (from->next != NULL && !from->doubt)
	from->doubt = true;
      else
	{
	  from->next = learn->correction[i].to;
	  from->doubt = false;
	}
    }
  learn->corrections = 0;
  learn->lost = false;
  learn->last = learn->at;
  learn->serial++;
}

static void
begin_epoch (struct gomp_learn *learn)
{
  struct gomp_learn_loop *loop = learn->noted;

  learn->news = false;
  learn->noted = NULL;
  while (loop != NULL)
    {
      struct gomp_learn_loop *next = loop->next_noted;
      loop->noted = false;
      update_loop (learn, loop);
      loop = next;
    }
  if (learn->lost)
    correct_order (learn);
}

void
gomp_learn_all_met (struct gomp_learn *learn)
{
  if (__builtin_expect (learn->news, 0))
    begin_epoch (learn);
}

void
gomp_learn_start_team (struct gomp_thread_pool *pool, struct gomp_team *team,
		       void (*fn) (void *))
{
  bool alike = team->amp_asymmetric == GOMP_AMP_SYMMETRIC;
  struct gomp_learn *learn = NULL;

  /* Factors that the user gave or wants are used, or found, by sampling.  */
  if (team->nthreads <= GOMP_LEARN_MAX_THREADS && stay (team, alike)
      && !gomp_amp_offline ())
    learn = learn_of (pool, team, alike);
  team->amp_learn = learn;
  if (learn == NULL)
    return;
  /* The last barrier ran tasks, or thread 0 noted something after it.  */
  gomp_learn_all_met (learn);
  learn->at = find_step (learn, (const void *) fn);
  learn->last = learn->at;
  learn->serial++;
}

void
gomp_learn_free (struct gomp_learn *learn)
{
  while (learn != NULL)
    {
      struct gomp_learn *next = learn->next;
      /* A loop that no barrier has made known.  */
      for (struct gomp_learn_loop *loop = learn->noted, *after; loop != NULL;
	   loop = after)
	{
	  after = loop->next_noted;
	  if (loop->step->loops[loop->shape] == NULL)
	    release (loop, loop_size (learn));
	}
      for (unsigned b = 0; b < GOMP_LEARN_BUCKETS; b++)
	for (struct gomp_learn_step *step = learn->bucket[b], *other;
	     step != NULL; step = other)
	  {
	    other = step->other;
	    for (unsigned s = 0; s < GOMP_LEARN_SHAPES; s++)
	      if (step->loops[s] != NULL)
		release (step->loops[s], loop_size (learn));
	    release (step, sizeof *step);
	  }
      release (learn, sizeof *learn);
      learn = next;
    }
}
