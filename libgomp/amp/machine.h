/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The machine: its CPUs, the core class of each, and how these were found.
   Nothing here depends on which of the CPUs this process may use; that is
   allotment.h.  */

#ifndef GOMP_AMP_MACHINE_H
#define GOMP_AMP_MACHINE_H 1

#include <stdbool.h>
#include <stddef.h>
#include "options.h"

#pragma GCC visibility push(hidden)

/* Constant once it is published.  */
struct gomp_amp_machine
{
  unsigned count;		/* Classes; 1..GOMP_AMP_MAX_CLASSES.  */
  unsigned ncpus;		/* Length of the array of CPUs.  */
  unsigned char *class_of_cpu;	/* 0 = slowest, also for a CPU of which the
				   source says nothing.  */
  unsigned *capacity;		/* Per class, the fastest being 1024; 0 = not
				   known (only the order is).  */
  bool drifts;			/* Capacities come from numbers that firmware
				   changes while the machine runs.  */
  const char *source;		/* Where the classes came from, for display;
				   "none" if from nowhere.  */
  const char *root;		/* The directory that is /sys.  */
};

/* NULL until the classes have been found.  */
extern const struct gomp_amp_machine *gomp_amp_found_machine;

/* Find and publish the machine, with the first allotment, and return it; a
   second call returns what the first did.  Never fails: with no memory or no
   information there is one class.  */
extern const struct gomp_amp_machine *gomp_amp_find_machine (void);

/* The same for a thread that must not wait for the loader's lock: hwloc is not
   loaded.  Returns whether the machine is known now.  */
extern bool gomp_amp_find_machine_without_loading (void);

/* Tell the finder that the process's affinity mask is MASK, a cpu_set_t of SIZE
   bytes; copied.  Without it the mask of the thread that finds the machine
   would be taken, which may be bound to one CPU by then.  */
extern void gomp_amp_set_process_mask (size_t size, const void *mask);

/* Whether the machine is known.  A true answer does not order anything: who
   goes on to use the machine gets it from gomp_amp_machine.  */
static inline bool
gomp_amp_machine_known (void)
{
  return __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_RELAXED) != NULL;
}

/* The machine, found at the first call.  */
static inline const struct gomp_amp_machine *
gomp_amp_machine (void)
{
  const struct gomp_amp_machine *machine
    = __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE);
  if (__builtin_expect (machine != NULL, 1))
    return machine;
  return gomp_amp_find_machine ();
}

/* The class of CPU, which may be any int: one that the machine does not have
   counts as slowest.  */
static inline unsigned
gomp_amp_class_of_cpu (int cpu)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  return (unsigned) cpu < machine->ncpus ? machine->class_of_cpu[cpu] : 0;
}

/* Whether GOMP_AMP_THREAD_CLASSES says of which class a thread is.  */
static inline bool
gomp_amp_classes_forced (void)
{
  return __builtin_expect (gomp_amp_options.thread_classes.count != 0, 0);
}

/* The class that GOMP_AMP_THREAD_CLASSES, which must be set, gives to thread
   number ID of its team.  */
static inline unsigned
gomp_amp_forced_class (unsigned id)
{
  const struct gomp_amp_class_list *list = &gomp_amp_options.thread_classes;
  return list->member[id % list->count];
}

/* A number by which what was measured by classes of MACHINE is known to be of
   it: two machines that differ in the classes of their CPUs, in capacities that
   do not drift, in where these come from or in their processor have different
   ones, or hardly ever the same.  Reads a file.  */
extern unsigned long long gomp_amp_fingerprint
  (const struct gomp_amp_machine *machine);

/* The same for the classes in force; finds the machine, unless
   GOMP_AMP_THREAD_CLASSES makes them up.  */
extern unsigned long long gomp_amp_classes_fingerprint (void);

/* The number of classes that threads can be of, now or after any change of the
   process's mask; 1..GOMP_AMP_MAX_CLASSES.  */
static inline unsigned
gomp_amp_class_count (void)
{
  if (gomp_amp_classes_forced ())
    return gomp_amp_options.thread_classes.classes;
  return gomp_amp_machine ()->count;
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_MACHINE_H */
