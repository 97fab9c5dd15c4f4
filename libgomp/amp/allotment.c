/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Makes allotments, and notices when another one is due.  */

#define _GNU_SOURCE 1
#include "allotment.h"
#include "fork-lock.h"
#include "hash.h"
#include "mask.h"
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert (GOMP_AMP_MAX_CLASSES <= 64, "a class is a bit of present");

const struct gomp_amp_allotment *gomp_amp_current_allotment;

struct gomp_amp_allotment *
gomp_amp_make_allotment (const struct gomp_amp_machine *machine,
			 const bool *usable)
{
  struct gomp_amp_allotment *allotment
    = calloc (1, sizeof *allotment + machine->ncpus);

  if (allotment == NULL)
    return NULL;
  allotment->ncpus = machine->ncpus;
  memcpy (allotment->usable, usable, machine->ncpus);
  for (unsigned cpu = 0; cpu < machine->ncpus; cpu++)
    if (usable[cpu])
      allotment->present |= 1ULL << machine->class_of_cpu[cpu];
  /* A mask of CPUs that the machine does not have.  */
  if (allotment->present == 0)
    allotment->present = 1;
  allotment->count = __builtin_popcountll (allotment->present);
  allotment->fastest = 63 - __builtin_clzll (allotment->present);
  return allotment;
}

#ifdef GOMP_AMP_VIRTUAL
const struct gomp_amp_allotment *
gomp_amp_update_allotment (void)
{
  /* Virtual CPUs have no masks.  */
  return gomp_amp_allotment ();
}
#else

/* How many allotments may be made.  After that the present one stays: only a
   process that gets ever other CPUs comes here.  */
#define MAX_ALLOTMENTS 1024

/* How long the masks of other threads may go unread, in nanoseconds.  */
#define MAX_AGE 1000000000ULL

/* What the calling thread saw: the coarse clock and a hash of its mask, when it
   last looked at this; and the clock when it last looked at all masks.  */

static __thread struct
{
  unsigned long long tick;
  unsigned long long mask;
  unsigned long long all_tick;
} seen;

/* Numbers readings of all masks in the order of their beginning, and the one
   that was published last; under GOMP_AMP_LOCK_TABLE.  */

static unsigned readings, published;

/* Of all that were made the last; likewise.  */

static const struct gomp_amp_allotment *newest;

/* The coarse clock: it advances every few milliseconds, and reading it takes a
   few nanoseconds and no system call.  */

static unsigned long long
coarse_tick (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* A hash of the calling thread's mask; 0 if the kernel does not tell it.  */

static unsigned long long
hash_own_mask (void)
{
  cpu_set_t mask;
  unsigned long long hash;
  size_t size = sizeof mask;
  void *larger = NULL;

  /* On the stack, unless the kernel has more CPUs than fit.  */
  if (sched_getaffinity (0, sizeof mask, &mask) != 0)
    {
      larger = gomp_amp_thread_mask (0, &size);
      if (larger == NULL)
	return 0;
    }
  hash = gomp_amp_hash (GOMP_AMP_HASH_EMPTY,
			larger != NULL ? larger : &mask, size);
  free (larger);
  return hash;
}

/* Set USABLE, of NCPUS elements, for the CPUs of the thread TID's mask.  */

static void
add_mask (bool *usable, unsigned ncpus, pid_t tid)
{
  size_t size;
  void *mask = gomp_amp_thread_mask (tid, &size);

  /* The thread may have ended.  */
  for (unsigned cpu = 0; mask != NULL && cpu < ncpus; cpu++)
    usable[cpu] |= gomp_amp_mask_has (mask, size, cpu);
  free (mask);
}

/* What the masks of all threads together allot of MACHINE; NULL if memory is
   short.  */

static struct gomp_amp_allotment *
read_masks (const struct gomp_amp_machine *machine)
{
  bool *usable = calloc (machine->ncpus + 1, sizeof *usable);
  DIR *threads = usable != NULL ? opendir ("/proc/self/task") : NULL;
  struct gomp_amp_allotment *allotment = NULL;
  const struct dirent *entry;

  while (threads != NULL && (entry = readdir (threads)) != NULL)
    if (atoi (entry->d_name) != 0)
      add_mask (usable, machine->ncpus, atoi (entry->d_name));
  if (threads != NULL)
    closedir (threads);
  else if (usable != NULL)
    {
      /* Others may still be where they were.  */
      memcpy (usable, gomp_amp_allotment ()->usable,
	      gomp_amp_allotment ()->ncpus);
      add_mask (usable, machine->ncpus, 0);
    }
  if (usable != NULL)
    allotment = gomp_amp_make_allotment (machine, usable);
  free (usable);
  return allotment;
}

static bool
same_cpus (const struct gomp_amp_allotment *a,
	   const struct gomp_amp_allotment *b)
{
  return a->ncpus == b->ncpus && memcmp (a->usable, b->usable, a->ncpus) == 0;
}

/* Publish FOUND, which reading number READING found, or an equal one that was
   made before and frees FOUND.  */

static void
publish (struct gomp_amp_allotment *found, unsigned reading)
{
  const struct gomp_amp_allotment *now;

  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  if (newest == NULL)
    newest = gomp_amp_current_allotment;
  /* A later reading may have been published: what it found is newer.  */
  if ((int) (reading - published) > 0)
    {
      published = reading;
      now = newest;
      while (now != NULL && !same_cpus (now, found))
	now = now->older;
      if (now == NULL && newest->generation + 1 < MAX_ALLOTMENTS)
	{
	  found->generation = newest->generation + 1;
	  found->older = newest;
	  now = newest = found;
	  found = NULL;
	}
      /* Release: who sees the pointer sees what it points to.  */
      if (now != NULL)
	__atomic_store_n (&gomp_amp_current_allotment, now, __ATOMIC_RELEASE);
    }
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
  free (found);
}

/* Read the masks of all threads and publish what they allot.  */

static void
read_and_publish (void)
{
  struct gomp_amp_allotment *found;
  unsigned reading;

  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  reading = ++readings;
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
  found = read_masks (gomp_amp_machine ());
  if (found != NULL)
    publish (found, reading);
}

/* Whether ALLOTMENT has the very CPUs of the calling thread's mask.  */

static bool
is_own_mask (const struct gomp_amp_allotment *allotment)
{
  size_t size;
  void *mask = gomp_amp_thread_mask (0, &size);
  bool same = mask != NULL;

  for (unsigned cpu = 0; same && cpu < allotment->ncpus; cpu++)
    same = gomp_amp_mask_has (mask, size, cpu) == allotment->usable[cpu];
  free (mask);
  return same;
}

/* The clock shows TICK, another time than when the calling thread last
   looked.  */

static void __attribute__ ((noinline))
look (unsigned long long tick)
{
  unsigned long long mask = hash_own_mask ();
  bool first = seen.tick == 0;
  bool changed = mask != seen.mask;

  seen.tick = tick;
  seen.mask = mask;
  /* What was found with the machine, or by other threads, will do.  */
  if (first && is_own_mask (gomp_amp_allotment ()))
    seen.all_tick = tick;
  else if (changed || tick - seen.all_tick >= MAX_AGE)
    {
      seen.all_tick = tick;
      read_and_publish ();
    }
}

const struct gomp_amp_allotment *
gomp_amp_update_allotment (void)
{
  unsigned long long tick = coarse_tick ();

  if (__builtin_expect (tick != seen.tick, 0))
    look (tick);
  return gomp_amp_allotment ();
}
#endif
