/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The machine: its CPUs, the core class of each CPU, and the source of the
   classes.  Nothing here depends on the CPUs that this process may use; for
   that see allotment.h.  */

#ifndef GOMP_AMP_MACHINE_H
#define GOMP_AMP_MACHINE_H 1

#include <stdbool.h>
#include <stddef.h>
#include "base/assert.h"
#include "options/options.h"

#pragma GCC visibility push(hidden)

/* Constant after publication.  */
struct gomp_amp_machine
{
  unsigned count;		/* The number of classes,
				   1..GOMP_AMP_MAX_CLASSES.  */
  unsigned ncpus;		/* The number of CPUs.  */
  unsigned char *class_of_cpu;	/* 0 = slowest, also for a CPU that the source
				   does not know.  */
  unsigned *capacity;		/* For each class; the fastest has 1024.  0 =
				   only the order is known.  */
  bool drifts;			/* Firmware changes the capacities while the
				   machine runs.  */
  const char *source;		/* Where the classes came from, for display;
				   "none" if no source answered.  */
  const char *root;		/* The directory used as /sys.  */
};

/* NULL until the machine has been found.  */
extern const struct gomp_amp_machine *gomp_amp_found_machine;

/* Find the machine, publish it with the first allotment, and return it.  Later
   calls return the same machine.  Never fails: if memory or information is
   missing there is one class.  */
extern const struct gomp_amp_machine *gomp_amp_find_machine (void);

/* Find and publish the machine in a thread that must not wait for the loader's
   lock: hwloc is not loaded.  Returns true if the machine is known now.  */
extern bool gomp_amp_find_machine_without_loading (void);

/* Set the process's affinity mask to a copy of MASK, a cpu_set_t of SIZE
   bytes.  Without this call the mask of the thread that finds the machine is
   used, which may be bound to one CPU by then.  */
extern void gomp_amp_set_process_mask (size_t size, const void *mask);

/* Whether the machine is known.  This orders nothing: to use the machine, get
   it from gomp_amp_machine.  */
static inline bool
gomp_amp_machine_known (void)
{
  return __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_RELAXED) != NULL;
}

/* The machine; found on the first call.  */
static inline const struct gomp_amp_machine *
gomp_amp_machine (void)
{
  const struct gomp_amp_machine *machine
    = __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE);
  if (__builtin_expect (machine != NULL, 1))
    return machine;
  return gomp_amp_find_machine ();
}

/* The class of CPU, which may be any int.  A CPU that the machine does not
   have counts as slowest.  */
static inline unsigned
gomp_amp_class_of_cpu (int cpu)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  return (unsigned) cpu < machine->ncpus ? machine->class_of_cpu[cpu] : 0;
}

/* Whether GOMP_AMP_THREAD_CLASSES sets the classes of threads.  */
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
  GOMP_AMP_ASSERT (list->count != 0);
  return list->member[id % list->count];
}

/* A number that identifies MACHINE in files of measurements.  It differs, up
   to hash collisions, between machines with different classes of CPUs,
   capacities (unless these drift), sources of classes or processors.  Reads a
   file.  */
extern unsigned long long gomp_amp_fingerprint
  (const struct gomp_amp_machine *machine);

/* The fingerprint of the classes in use: of those that GOMP_AMP_THREAD_CLASSES
   sets, else of the machine, which is found.  */
extern unsigned long long gomp_amp_classes_fingerprint (void);

/* The number of classes that threads can have, now or after any change of the
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
