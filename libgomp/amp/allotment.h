/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The allotment: what of the machine this process may use.  */

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
