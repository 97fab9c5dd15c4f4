/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Publishes which workers may run.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <alloca.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fold/fold-bind.h"
#include "fold/fold-follow.h"
#include "fold/fold-kernel.h"
#include "fold/fold-lost.h"
#include "fold/fold-setup.h"
#include "fold/fold-starve.h"
#include "machine/allotment.h"
#include "machine/quota.h"

#ifdef GOMP_AMP_VIRTUAL
# define sched_getaffinity gomp_virtual_getaffinity
#endif

/* The limit to the number of sets.  When it is reached the present one stays.
   Only a process that keeps getting new sets of CPUs reaches it.  */
#define MOST_SETS 4096

const struct gomp_fold_allowed *gomp_fold_present, *gomp_fold_former;
size_t gomp_fold_mask_size;

/* All sets, the newest one first, and how many there are.  Written by the
   watching thread.  */
static const struct gomp_fold_allowed *newest;
static unsigned sets;

/* The kernel's number of the watching thread; 0 if there is none.  Atomic,
   relaxed.  */
static int watcher;

static bool
same_mask (const void *a, const void *b)
{
  return CPU_EQUAL_S (gomp_fold_mask_size, (const cpu_set_t *) a,
		      (const cpu_set_t *) b);
}

/* A thread makes no progress if it used the CPU for less than LEAST_NS, and
   could run.  That is looked up after the first QUIET_LOOKS: to ask the kernel
   takes some 10 us.  */
#define QUIET_LOOKS 4
#define LEAST_NS (GOMP_FOLD_LOOK_NS / 20)

/* By worker; the process has at most MOST workers by its CPU quota.  STARVED:
   one starves since the last set, or does not any more.  For the watching
   thread.  */
static struct gomp_fold_seen *seen;
static unsigned most;
static bool starved;

/* Keep the MOST fastest workers of SET, or none if that is one.  */

static void
limit (struct gomp_fold_allowed *set)
{
  const struct gomp_fold_plan *plan = &gomp_fold_workers;

  for (unsigned count = most < 2 ? 0 : most;;)
    {
      unsigned slowest = plan->count, allowed = 0;

      for (unsigned w = 0; w < plan->count; w++)
	if (set->speed[w] != 0)
	  {
	    allowed++;
	    if (slowest == plan->count
		|| set->speed[w] <= set->speed[slowest])
	      slowest = w;
	  }
      if (allowed <= count)
	return;
      set->speed[slowest] = 0;
    }
}

/* Count the workers of SET.  */

static void
count_workers (struct gomp_fold_allowed *set)
{
  const struct gomp_fold_plan *plan = &gomp_fold_workers;
  bool first = true;

  for (unsigned w = 0; w < plan->count; w++)
    {
      bool may = set->speed[w] != 0;

      set->count += may;
      first &= may == (w < plan->at_start);
    }
  set->kept = first || set->count == plan->count;
}

static void
free_set (struct gomp_fold_allowed *set)
{
  if (set == NULL)
    return;
  free ((void *) set->mask);
  free ((void *) set->room);
  free (set);
}

/* A set for the mask SET and the workers that do not starve.  NULL if memory is
   short.  */

static struct gomp_fold_allowed *
make_set (const cpu_set_t *set)
{
  const struct gomp_fold_plan *plan = &gomp_fold_workers;
  struct gomp_fold_allowed *made
    = calloc (1, sizeof *made + plan->count * sizeof *made->speed);
  cpu_set_t *mask = malloc (gomp_fold_mask_size);
  cpu_set_t *room = malloc (gomp_fold_mask_size);

  if (made == NULL || mask == NULL || room == NULL)
    {
      free (made);
      free (mask);
      free (room);
      return NULL;
    }
  memcpy (mask, set, gomp_fold_mask_size);
  memcpy (room, set, gomp_fold_mask_size);
  made->mask = mask;
  made->room = room;
  for (unsigned w = 0; w < plan->count; w++)
    {
      bool starves = seen[w].left != 0;
      bool may = (!starves
		  && CPU_ISSET_S (plan->cpu[w], gomp_fold_mask_size, set));

      if (starves)
	CPU_CLR_S (plan->cpu[w], gomp_fold_mask_size, room);
      made->speed[w] = may ? plan->speed[w] : 0;
    }
  if (plan->by_quota)
    limit (made);
  count_workers (made);
  return made;
}

static bool
same_set (const struct gomp_fold_allowed *a,
	  const struct gomp_fold_allowed *b)
{
  return (same_mask (a->mask, b->mask) && same_mask (a->room, b->room)
	  && memcmp (a->speed, b->speed,
		     gomp_fold_workers.count * sizeof *a->speed) == 0);
}

/* The set for the mask SET, which may be new; NULL if memory is short or there
   are too many.  */

static const struct gomp_fold_allowed *
find_set (const cpu_set_t *set)
{
  struct gomp_fold_allowed *made = make_set (set);

  if (made == NULL)
    return NULL;
  for (const struct gomp_fold_allowed *known = newest; known != NULL;
       known = known->older)
    if (same_set (known, made))
      {
	free_set (made);
	return known;
      }
  if (sets == MOST_SETS)
    {
      free_set (made);
      return NULL;
    }
  made->older = newest;
  sets++;
  /* Release what it is: others go through the list.  */
  __atomic_store_n (&newest, made, __ATOMIC_RELEASE);
  return made;
}

bool
gomp_fold_is_known_mask (const void *set)
{
  for (const struct gomp_fold_allowed *known
	 = __atomic_load_n (&newest, __ATOMIC_ACQUIRE);
       known != NULL; known = known->older)
    if (same_mask (set, known->mask) || same_mask (set, known->room))
      return true;
  return false;
}

bool
gomp_fold_any_allowed (const struct gomp_fold_allowed *allowed,
		       unsigned workers)
{
  for (unsigned w = 0; w < workers; w++)
    if (allowed->speed[w] != 0)
      return true;
  return false;
}

bool
gomp_fold_begin_follow (void)
{
  cpu_set_t *set;

  gomp_fold_mask_size = CPU_ALLOC_SIZE (gomp_amp_machine ()->ncpus);
  set = alloca (gomp_fold_mask_size);
  if (sched_getaffinity (0, gomp_fold_mask_size, set) != 0)
    return false;
  seen = calloc (gomp_fold_workers.count, sizeof *seen);
  if (seen == NULL)
    return false;
  /* The plan has as many as the quota.  */
  most = gomp_amp_quota_cpus (GOMP_AMP_NO_QUOTA);
  gomp_fold_present = gomp_fold_former = find_set (set);
  return gomp_fold_present != NULL;
}

void
gomp_fold_begin_watcher (void)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  __atomic_store_n (&watcher, syscall (SYS_gettid), __ATOMIC_RELAXED);
  if (sched_getaffinity (0, gomp_fold_mask_size, set) == 0
      && !same_mask (set, gomp_fold_allowed ()->mask))
    gomp_fold_set_mask (0, gomp_fold_allowed ()->mask);
}

void
gomp_fold_end_watcher (void)
{
  __atomic_store_n (&watcher, 0, __ATOMIC_RELAXED);
}

void
gomp_fold_note_thread (unsigned w, int tid, unsigned step)
{
  unsigned long long cpu_ns = gomp_fold_look_up_cpu_ns (tid);
  struct gomp_fold_seen *worker = &seen[w];

  worker->progress = (tid != worker->tid || step != worker->step
		      || cpu_ns - worker->cpu_ns >= LEAST_NS
		      || (worker->looks >= QUIET_LOOKS
			  && (gomp_fold_look_up_activity (tid)
			      != GOMP_FOLD_COMPUTES)));
  worker->looks = worker->progress ? 0 : worker->looks + 1;
  worker->noted = true;
  worker->tid = tid;
  worker->step = step;
  worker->cpu_ns = cpu_ns;
}

void
gomp_fold_note_no_thread (unsigned w)
{
  seen[w].tid = 0;
  seen[w].looks = 0;
  seen[w].progress = true;
}

/* SET is the mask of the process now.  Publish the set of workers for it,
   unless that is the present one or there is none.  MOVED: the mask has
   changed.  Returns whether there is another set.  */

static bool
publish (const cpu_set_t *set, bool moved)
{
  const struct gomp_fold_allowed *now = gomp_fold_allowed (), *next;

  /* What gives a process other CPUs may change its quota too.  */
  if (moved)
    most = gomp_amp_quota_cpus (gomp_amp_quota ());
  next = find_set (set);
  if (next == NULL || next == now)
    return false;
  __atomic_store_n (&gomp_fold_former, now, __ATOMIC_RELEASE);
  __atomic_store_n (&gomp_fold_present, next, __ATOMIC_RELEASE);
  if (moved)
    __atomic_store_n (&gomp_available_cpus,
		      CPU_COUNT_S (gomp_fold_mask_size, set),
		      __ATOMIC_RELAXED);
  return true;
}

void
gomp_fold_follow_unwatched (void)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);
  const void *had = gomp_fold_allowed ()->mask;

  if (sched_getaffinity (0, gomp_fold_mask_size, set) == 0
      && !same_mask (set, had)
      && !gomp_amp_any_thread_has (had, gomp_fold_mask_size))
    publish (set, true);
}

/* Look for workers that starve, and for those that have rested.  */

static void
look_for_starved (void)
{
  const struct gomp_fold_allowed *now = gomp_fold_allowed ();
  bool others = false;

  for (unsigned w = 0; w < gomp_fold_workers.count; w++)
    others |= seen[w].progress && now->speed[w] != 0;
  for (unsigned w = 0; w < gomp_fold_workers.count; w++)
    starved |= gomp_fold_look_at_seen (&seen[w], now->speed[w] != 0, others);
}

bool
gomp_fold_follow (void)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);
  bool moved;

  /* The watching thread has the mask of the process.  */
  if (sched_getaffinity (__atomic_load_n (&watcher, __ATOMIC_RELAXED),
			 gomp_fold_mask_size, set) != 0)
    return false;
  look_for_starved ();
  moved = !same_mask (set, gomp_fold_allowed ()->mask);
  if (!moved && !starved)
    return false;
  starved = false;
  return publish (set, moved);
}

void
gomp_fold_get_process_mask (void *set)
{
  int tid = __atomic_load_n (&watcher, __ATOMIC_RELAXED);

  if (tid == 0 || sched_getaffinity (tid, gomp_fold_mask_size, set) != 0)
    memcpy (set, gomp_fold_allowed ()->mask, gomp_fold_mask_size);
}

bool
gomp_fold_is_process_mask (const void *set)
{
  cpu_set_t *live = alloca (gomp_fold_mask_size);

  if (same_mask (set, gomp_fold_allowed ()->mask))
    return true;
  gomp_fold_get_process_mask (live);
  return same_mask (set, live);
}
