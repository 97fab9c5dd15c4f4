/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Publishes the machine once, when it is first needed.  */

#include "machine/allotment.h"
#include "base/assert.h"
#include "base/fork-lock.h"
#include "machine/machine-source.h"
#include "base/mask.h"
#include <stdlib.h>
#include <string.h>

const struct gomp_amp_machine *gomp_amp_found_machine;

/* The machine when memory is short: one class, and no known CPU.  */

static unsigned unknown_capacity[1];
static const struct gomp_amp_machine unknown_machine = {
  .count = 1, .capacity = unknown_capacity, .source = "none",
  .root = GOMP_AMP_SYS
};
static const struct gomp_amp_allotment unknown_allotment
  = { .present = 1, .count = 1 };

/* The argument of gomp_amp_set_process_mask, copied.  */

static void *process_mask;
static size_t process_mask_size;

void
gomp_amp_set_process_mask (size_t size, const void *mask)
{
  process_mask = malloc (size);
  if (process_mask == NULL)
    return;
  memcpy (process_mask, mask, size);
  process_mask_size = size;
}

/* Whether MACHINE is as its structure says.  */

static inline bool
sound_p (const struct gomp_amp_machine *machine)
{
  const unsigned *capacity = machine->capacity;

  if (machine->count < 1 || machine->count > GOMP_AMP_MAX_CLASSES)
    return false;
  for (unsigned cpu = 0; cpu < machine->ncpus; cpu++)
    if (machine->class_of_cpu[cpu] >= machine->count)
      return false;
  for (unsigned class = 1; class < machine->count; class++)
    if (capacity[class] < capacity[class - 1])
      return false;
  return capacity[0] == 0 || capacity[machine->count - 1] == 1024;
}

/* Publish MACHINE and ALLOTMENT unless there is a machine already.  The first
   machine stays, since arrays have been allocated by its number of
   classes.  */

static void
publish (const struct gomp_amp_machine *machine,
	 const struct gomp_amp_allotment *allotment)
{
  GOMP_AMP_ASSERT (sound_p (machine) && allotment->ncpus == machine->ncpus);
  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  if (gomp_amp_found_machine == NULL)
    {
      __atomic_store_n (&gomp_amp_current_allotment, allotment,
			__ATOMIC_RELEASE);
      /* Release: a thread that sees the machine sees an allotment.  */
      __atomic_store_n (&gomp_amp_found_machine, machine, __ATOMIC_RELEASE);
    }
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
}

/* Find the machine as the options request, and publish it with the allotment
   by the process's mask.  Without LOAD hwloc is not asked, and nothing is
   published if no other source answers.  */

static void
find (bool load)
{
  struct gomp_amp_machine *machine = NULL;
  struct gomp_amp_allotment *allotment = NULL;
  size_t size = process_mask_size;
  void *mask = process_mask;
  unsigned ncpus;
  bool *in_mask;

  GOMP_AMP_ASSERT (!load || gomp_amp_holds_lock (GOMP_AMP_LOCK_DETECTION));
  /* If the process's mask is unknown, use the calling thread's.  */
  if (mask == NULL)
    mask = gomp_amp_thread_mask (0, &size);
  ncpus = gomp_amp_mask_reach (mask, size);
  in_mask = malloc (ncpus * sizeof *in_mask);
  if (in_mask != NULL)
    {
      for (unsigned cpu = 0; cpu < ncpus; cpu++)
	in_mask[cpu] = gomp_amp_mask_has (mask, size, cpu);
      machine = gomp_amp_detect (gomp_amp_options.topology, GOMP_AMP_SYS, ncpus,
				 in_mask, load);
      if (machine != NULL)
	allotment = gomp_amp_make_allotment (machine, in_mask);
    }
  free (in_mask);
  if (mask != process_mask)
    free (mask);
  if (allotment != NULL)
    publish (machine, allotment);
  else
    {
      free (machine);
      if (load)
	publish (&unknown_machine, &unknown_allotment);
    }
}

const struct gomp_amp_machine *
gomp_amp_find_machine (void)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_DETECTION);
  /* Acquire: in a child process the lock that orders this may have been reset.
     There is already a machine if hwloc ran code that needed one.  */
  if (__atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE) == NULL)
    find (true);
  gomp_amp_release (GOMP_AMP_LOCK_DETECTION);
  return __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE);
}

bool
gomp_amp_find_machine_without_loading (void)
{
  /* Without GOMP_AMP_LOCK_DETECTION: its holder may be waiting for the
     loader's lock.  */
  if (!gomp_amp_machine_known ())
    find (false);
  return gomp_amp_machine_known ();
}
