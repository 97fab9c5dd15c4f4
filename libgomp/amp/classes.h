/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The table of core classes: which CPU is of which class, and how it was
   found out.  */

#ifndef GOMP_AMP_CLASSES_H
#define GOMP_AMP_CLASSES_H 1

#include <stdbool.h>
#include <stddef.h>
#include "options.h"

#pragma GCC visibility push(hidden)

struct gomp_amp_classes
{
  unsigned count;		/* Classes within the process's affinity mask;
				   1..GOMP_AMP_MAX_CLASSES.  */
  unsigned ncpus;		/* Length of the two arrays below.  */
  unsigned char *class_of_cpu;	/* 0 = slowest.  A CPU outside the mask has the
				   class of nearest capacity.  */
  bool *in_mask;		/* Whether the process may run there.  */
  unsigned *capacity;		/* Per class, the fastest being 1024; 0 = not
				   known (only the order is).  */
  const char *source;		/* Who said so, for display; "none" if nobody
				   did.  */
  const char *root;		/* The directory that is /sys.  */
};

extern const struct gomp_amp_classes *gomp_amp_classes_table;

/* Detect, publish and return the table; a second call returns the first's.
   Never fails: with no memory or no information there is one class.  */
extern const struct gomp_amp_classes *gomp_amp_detect_classes (void);

/* The same for a thread that must not wait for the loader's lock: hwloc is not
   loaded.  Returns whether there is a table now.  */
extern bool gomp_amp_detect_without_loading (void);

/* Tell the detector that the process's affinity mask is MASK, a cpu_set_t of
   SIZE bytes; copied.  Without it the mask of the detecting thread would be
   taken, which may be bound to one CPU by then.  */
extern void gomp_amp_set_process_mask (size_t size, const void *mask);

/* The table, detected at the first call.  */
static inline const struct gomp_amp_classes *
gomp_amp_classes (void)
{
  const struct gomp_amp_classes *table
    = __atomic_load_n (&gomp_amp_classes_table, __ATOMIC_ACQUIRE);
  if (__builtin_expect (table != NULL, 1))
    return table;
  return gomp_amp_detect_classes ();
}

/* The class of CPU, which may be any int: one that is not in the table
   counts as slowest.  */
static inline unsigned
gomp_amp_class_of_cpu (int cpu)
{
  const struct gomp_amp_classes *table = gomp_amp_classes ();
  return (unsigned) cpu < table->ncpus ? table->class_of_cpu[cpu] : 0;
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

/* The number of classes that threads can be of, 1..GOMP_AMP_MAX_CLASSES.  */
static inline unsigned
gomp_amp_class_count (void)
{
  if (gomp_amp_classes_forced ())
    return gomp_amp_options.thread_classes.classes;
  return gomp_amp_classes ()->count;
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_CLASSES_H */
