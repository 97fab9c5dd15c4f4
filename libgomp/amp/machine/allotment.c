/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Makes allotments, and detects when a new one is needed.  */

#define _GNU_SOURCE 1
#include "machine/allotment.h"
#include "base/fork-lock.h"
#include "base/hash.h"
#include "base/mask.h"
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
  /* The mask has only CPUs that the machine does not have.  */
  if (allotment->present == 0)
    allotment->present = 1;
  allotment->count = __builtin_popcountll (allotment->present);
  /* No class that MACHINE does not have.  */
  GOMP_AMP_ASSERT (64 - __builtin_clzll (allotment->present)
		   <= (int) machine->count);
  return allotment;
}

#ifdef GOMP_AMP_VIRTUAL
const struct gomp_amp_allotment *
gomp_amp_update_allotment (void)
{
  /* Virtual CPUs have no masks.  */
  return gomp_amp_allotment ();
}

bool
gomp_amp_any_thread_has (const void *mask __attribute__ ((unused)),
			 size_t size __attribute__ ((unused)))
{
  /* Threads of virtual time have those of virtual CPUs.  */
  return false;
}
#else

/* The limit to the number of allotments.  When it is reached the present one
   stays.  Only a process that keeps getting new sets of CPUs reaches it.  */
#define MAX_ALLOTMENTS 1024

/* How old the last reading of all threads' masks may be, in nanoseconds.  */
#define MAX_AGE 1000000000ULL

/* What the calling thread saw last: the coarse clock and a hash of its own
   mask, and the clock at its last reading of all masks.  */

static __thread struct
{
  unsigned long long tick;
  unsigned long long mask;
  unsigned long long all_tick;
} seen;

/* The number of readings of all masks so far, in the order of their beginning,
   and the number of the reading that was published last.  Both under
   GOMP_AMP_LOCK_TABLE.  */

static unsigned readings, published;

/* The allotment that was made last.  Under GOMP_AMP_LOCK_TABLE.  */

static const struct gomp_amp_allotment *newest;

/* The coarse clock.  It advances every few milliseconds.  Reading it takes a
   few nanoseconds and no system call.  */

static unsigned long long
coarse_tick (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* A hash of the calling thread's mask; 0 if the kernel does not report it.  */

static unsigned long long
hash_own_mask (void)
{
  cpu_set_t mask;
  unsigned long long hash;
  size_t size = sizeof mask;
  void *larger = NULL;

  /* The mask is on the stack unless the kernel has more CPUs than fit.  */
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

/* Set USABLE, of NCPUS elements, for the CPUs in the mask of the thread
   TID.  */

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

bool
gomp_amp_any_thread_has (const void *mask, size_t size)
{
  DIR *threads = opendir ("/proc/self/task");
  const struct dirent *entry;
  bool found = threads == NULL;

  while (!found && (entry = readdir (threads)) != NULL)
    {
      size_t own_size;
      void *own = (atoi (entry->d_name) != 0
		   ? gomp_amp_thread_mask (atoi (entry->d_name), &own_size)
		   : NULL);

      /* NULL: the thread has ended.  Sizes are at least the kernel's.  */
      found = (own != NULL
	       && memcmp (own, mask, size < own_size ? size : own_size) == 0);
      free (own);
    }
  if (threads != NULL)
    closedir (threads);
  return found;
}

/* The allotment of MACHINE by the masks of all threads together.  NULL if
   memory is short.  */

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
      /* Other threads may still use the CPUs of the last allotment.  */
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

/* Publish FOUND, the result of reading number READING.  If an equal allotment
   exists, publish that one and free FOUND.  */

static void
publish (struct gomp_amp_allotment *found, unsigned reading)
{
  const struct gomp_amp_allotment *now;

  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  if (newest == NULL)
    newest = gomp_amp_current_allotment;
  GOMP_AMP_ASSERT (found->ncpus == newest->ncpus);
  /* If a later reading has been published, its result is newer.  */
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
      /* Release: a thread that sees the pointer sees the allotment's
	 content.  */
      if (now != NULL)
	__atomic_store_n (&gomp_amp_current_allotment, now, __ATOMIC_RELEASE);
    }
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
  free (found);
}

/* Read the masks of all threads and publish the resulting allotment.  */

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

/* Whether ALLOTMENT has exactly the CPUs of the calling thread's mask.  */

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

/* Check the calling thread's mask.  The coarse clock shows TICK, which differs
   from its value at the last check.  */

static void __attribute__ ((noinline))
check_masks (unsigned long long tick)
{
  unsigned long long mask = hash_own_mask ();
  bool first = seen.tick == 0;
  bool changed = mask != seen.mask;

  seen.tick = tick;
  seen.mask = mask;
  /* The first check needs no reading if the allotment fits.  */
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
    check_masks (tick);
  return gomp_amp_allotment ();
}
#endif
