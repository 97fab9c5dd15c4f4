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
#include "fold/fold-setup.h"
#include "machine/machine.h"
#include "machine/quota.h"

#ifdef GOMP_AMP_VIRTUAL
# define sched_getaffinity gomp_virtual_getaffinity
#endif

/* The limit to the number of sets.  When it is reached the present one stays.
   Only a process that keeps getting new sets of CPUs reaches it.  */
#define MOST_SETS 4096

const struct gomp_fold_allowed *gomp_fold_present, *gomp_fold_former;
size_t gomp_fold_mask_size;

/* All sets, the newest one first, and how many there are.  For the watching
   thread.  */
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

/* Keep the MOST fastest workers of SET, or none if that is one.  */

static void
limit (struct gomp_fold_allowed *set, unsigned most)
{
  const struct gomp_fold_plan *plan = &gomp_fold_workers;

  for (unsigned count = most < 2 ? 0 : most;; )
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
      set->all = false;
    }
}

/* A set for the mask SET and MOST workers.  NULL if memory is short.  */

static struct gomp_fold_allowed *
make_set (const cpu_set_t *set, unsigned most)
{
  const struct gomp_fold_plan *plan = &gomp_fold_workers;
  struct gomp_fold_allowed *made
    = malloc (sizeof *made + plan->count * sizeof *made->speed);
  void *mask = malloc (gomp_fold_mask_size);

  if (made == NULL || mask == NULL)
    {
      free (made);
      free (mask);
      return NULL;
    }
  memcpy (mask, set, gomp_fold_mask_size);
  made->mask = mask;
  made->all = true;
  for (unsigned w = 0; w < plan->count; w++)
    {
      bool may = CPU_ISSET_S (plan->cpu[w], gomp_fold_mask_size, set);

      made->speed[w] = may ? plan->speed[w] : 0;
      made->all &= may;
    }
  made->most = most;
  if (plan->by_quota)
    limit (made, most);
  return made;
}

/* The set for the mask SET and MOST workers, which may be new; NULL if memory
   is short or there are too many.  */

static const struct gomp_fold_allowed *
find_set (const cpu_set_t *set, unsigned most)
{
  struct gomp_fold_allowed *made;

  for (const struct gomp_fold_allowed *known = newest; known != NULL;
       known = known->older)
    if (same_mask (known->mask, set) && known->most == most)
      return known;
  made = sets < MOST_SETS ? make_set (set, most) : NULL;
  if (made == NULL)
    return NULL;
  made->older = newest;
  sets++;
  return newest = made;
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
  /* The plan has as many as the quota.  */
  gomp_fold_present = gomp_fold_former
    = find_set (set, gomp_amp_quota_cpus (GOMP_AMP_NO_QUOTA));
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

bool
gomp_fold_follow (void)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);
  const struct gomp_fold_allowed *now = gomp_fold_allowed (), *next;

  if (sched_getaffinity (0, gomp_fold_mask_size, set) != 0
      || same_mask (set, now->mask))
    return false;
  /* What gives a process other CPUs may change its quota too.  */
  next = find_set (set, gomp_amp_quota_cpus (gomp_amp_quota ()));
  if (next == NULL)
    return false;
  __atomic_store_n (&gomp_fold_former, now, __ATOMIC_RELEASE);
  __atomic_store_n (&gomp_fold_present, next, __ATOMIC_RELEASE);
  gomp_available_cpus = CPU_COUNT_S (gomp_fold_mask_size, set);
  return true;
}

bool
gomp_fold_is_process_mask (const void *set)
{
  int tid = __atomic_load_n (&watcher, __ATOMIC_RELAXED);
  cpu_set_t *live;

  if (same_mask (set, gomp_fold_allowed ()->mask))
    return true;
  live = alloca (gomp_fold_mask_size);
  return (tid != 0
	  && sched_getaffinity (tid, gomp_fold_mask_size, live) == 0
	  && same_mask (set, live));
}
