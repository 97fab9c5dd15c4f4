/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The allotment: what of the machine this process may use now.

   It is replaced as a whole when the affinity masks of the process's threads
   change.  What was once published is neither changed nor freed, so that a
   thread may keep and read an older one for as long as it likes, without a lock
   or a count of references: an acquire load of the pointer is all that reading
   takes.  That is affordable, as a return to CPUs that there were before
   publishes the allotment of then, and as there is a limit to their number.  */

#ifndef GOMP_AMP_ALLOTMENT_H
#define GOMP_AMP_ALLOTMENT_H 1

#include <stdbool.h>
#include <stddef.h>
#include "machine.h"

#pragma GCC visibility push(hidden)

/* Constant once it is published.  */
struct gomp_amp_allotment
{
  /* Bit C: some CPU of class C may be used.  At least one bit is set.  */
  unsigned long long present;
  unsigned count;		/* How many bits are set.  */
  unsigned fastest;		/* The number of the highest.  */
  unsigned generation;		/* How many others were made before it.  */
  const struct gomp_amp_allotment *older; /* The one made before it.  */
  unsigned ncpus;		/* Length of the array below.  */
  bool usable[];		/* Per CPU.  */
};

/* NULL until the machine is known.  Stored before gomp_amp_found_machine, so
   that a thread that has the machine finds an allotment.  */
extern const struct gomp_amp_allotment *gomp_amp_current_allotment;

/* The allotment of which USABLE, of MACHINE->ncpus elements, tells the CPUs.
   NULL if memory is short; the caller frees it (one block).  */
extern struct gomp_amp_allotment *gomp_amp_make_allotment
  (const struct gomp_amp_machine *machine, const bool *usable);

/* Look whether the masks of the process's threads have changed, and replace the
   allotment if they have.  Not for a process that binds its threads, as these
   have the masks of their places.  To be called where a team is started.  It
   costs a few nanoseconds, but for once in some milliseconds, when it asks the
   kernel for the calling thread's mask; and for when that has changed, or a
   second has passed: then the masks of all threads are read.  Finds the machine
   at the first call.  */
extern const struct gomp_amp_allotment *gomp_amp_update_allotment (void);

/* The present allotment; finds the machine at the first call.  */
static inline const struct gomp_amp_allotment *
gomp_amp_allotment (void)
{
  gomp_amp_machine ();
  return __atomic_load_n (&gomp_amp_current_allotment, __ATOMIC_ACQUIRE);
}

/* The classes that threads can be of as things are, as in the allotment's
   field of this name.  */
static inline unsigned long long
gomp_amp_present_classes (void)
{
  if (gomp_amp_classes_forced ())
    return ~0ULL >> (64 - gomp_amp_options.thread_classes.classes);
  return gomp_amp_allotment ()->present;
}

/* The fastest of them.  */
static inline unsigned
gomp_amp_fastest_class (void)
{
  if (gomp_amp_classes_forced ())
    return gomp_amp_options.thread_classes.classes - 1;
  return gomp_amp_allotment ()->fastest;
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_ALLOTMENT_H */
