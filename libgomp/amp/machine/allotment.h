/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The allotment: the part of the machine that this process may use now.

   When the affinity masks of the process's threads change, a new allotment
   replaces the old one as a whole.  A published allotment is neither changed
   nor freed.  So a thread may keep and read an old one for any time without a
   lock or a reference count; reading takes one acquire load of the pointer.
   The memory is bounded: a return to a former set of CPUs publishes the former
   allotment again, and the number of allotments is limited.  */

#ifndef GOMP_AMP_ALLOTMENT_H
#define GOMP_AMP_ALLOTMENT_H 1

#include <stdbool.h>
#include <stddef.h>
#include "machine/machine.h"

#pragma GCC visibility push(hidden)

/* Constant after publication.  */
struct gomp_amp_allotment
{
  /* Bit C is set if some CPU of class C may be used.  At least one bit is
     set.  */
  unsigned long long present;
  unsigned count;		/* The number of bits set.  */
  unsigned generation;		/* The number of allotments made earlier.  */
  const struct gomp_amp_allotment *older; /* The previous one.  */
  unsigned ncpus;		/* Length of the array below.  */
  bool usable[];		/* For each CPU.  */
};

/* NULL until the machine is known.  Stored before gomp_amp_found_machine, so
   that a thread that sees the machine also sees an allotment.  */
extern const struct gomp_amp_allotment *gomp_amp_current_allotment;

/* An allotment of the CPUs that are set in USABLE, which has MACHINE->ncpus
   elements.  NULL if memory is short.  The caller frees it (one block).  */
extern struct gomp_amp_allotment *gomp_amp_make_allotment
  (const struct gomp_amp_machine *machine, const bool *usable);

/* If the masks of the process's threads have changed, replace the allotment.
   Called where a team is started.  Not for a process that binds its threads,
   since these have the masks of their places.  Finds the machine on the first
   call.

   A call takes a few nanoseconds.  Every few milliseconds one call asks the
   kernel for the calling thread's mask.  If that mask has changed, or a second
   has passed, the call reads the masks of all threads.  */
extern const struct gomp_amp_allotment *gomp_amp_update_allotment (void);

/* Whether any thread of the process has MASK, a cpu_set_t of SIZE bytes.  True
   if that cannot be found out.  */
extern bool gomp_amp_any_thread_has (const void *mask, size_t size);

/* The present allotment.  Finds the machine on the first call.  */
static inline const struct gomp_amp_allotment *
gomp_amp_allotment (void)
{
  gomp_amp_machine ();
  return __atomic_load_n (&gomp_amp_current_allotment, __ATOMIC_ACQUIRE);
}

/* The classes that threads can have now; a set of bits as in the allotment's
   field of this name.  */
static inline unsigned long long
gomp_amp_present_classes (void)
{
  if (gomp_amp_classes_forced ())
    return ~0ULL >> (64 - gomp_amp_options.thread_classes.classes);
  return gomp_amp_allotment ()->present;
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_ALLOTMENT_H */
