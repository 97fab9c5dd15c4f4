/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What a source of core classes fills in; for machine*.c only.  */

#ifndef GOMP_AMP_MACHINE_SOURCE_H
#define GOMP_AMP_MACHINE_SOURCE_H 1

#include <stdbool.h>
#include "machine.h"

#pragma GCC visibility push(hidden)

/* What is asked, and the answer.  */
struct gomp_amp_probe
{
  const char *root;		/* The directory that is /sys.  */
  unsigned ncpus;		/* Length of the two arrays.  */
  const bool *in_mask;		/* CPUs of which a source has to tell: those
				   that the process may use when it asks.  At
				   least one.  */
  unsigned long *value;		/* A CPU's capacity on any scale; 0 = not
				   known.  */
  bool ranks;			/* Only the order of the values means
				   anything.  */
  bool favours;			/* The values also tell which of like cores the
				   firmware favours: what separates classes is
				   a gap between neighbouring values.  */
  const char *source;		/* Who answered.  */
};

/* A source of classes.  Returns whether it has answered, i.e. filled in
   value for every CPU of the mask and, as far as it is known, for the others;
   if not, what it left in value is void.  */
typedef bool gomp_amp_source (struct gomp_amp_probe *probe);

/* The kernel's sources (machine-sysfs.c), in order of preference, ended by
   NULL.  */
extern gomp_amp_source *const gomp_amp_sysfs_sources[];

#ifdef GOMP_AMP_VIRTUAL
/* The lab's machine (virtual/virtual-machine.c).  */
extern gomp_amp_source gomp_amp_virtual_source;
#endif

/* Whether DIRECTORY looks like a /sys that tells about CPUs.  */
extern bool gomp_amp_sysfs_root_p (const char *directory);

/* Read the number in the file NAME of the directory devices/system/cpu/cpuCPU
   below ROOT.  False if there is none.  */
extern bool gomp_amp_sysfs_cpu_number (const char *root, unsigned cpu,
				       const char *name,
				       unsigned long *number);

/* Read the text of that file.  False if there is none, it has a NUL, or it is
   longer than SIZE - 2 bytes.  */
extern bool gomp_amp_sysfs_cpu_text (const char *root, unsigned cpu,
				     const char *name, char *text,
				     size_t size);

/* Answer from the list TEXT, CPUs=capacity,... (machine-topology.c).  A list
   that does not fit is reported and answers nothing.  */
extern bool gomp_amp_topology_list (const char *text,
				    struct gomp_amp_probe *probe);

/* hwloc (machine-hwloc.c).  Returns NULL if it has answered, or why it has
   not, written to DETAIL of SIZE bytes.  */
extern const char *gomp_amp_ask_hwloc (struct gomp_amp_probe *probe,
				       char *detail, size_t size);

/* Whether two values are so near to each other, the greater one first, that
   they tell of cores of one kind: within 10 percent.  */
static inline bool
gomp_amp_near_p (unsigned long greater, unsigned long less)
{
  return less >= greater - greater / 10;
}

/* Sort the CPUs of an answered PROBE into classes.  NULL if memory is
   short.  */
extern struct gomp_amp_machine *gomp_amp_group_classes
  (const struct gomp_amp_probe *probe);

/* The machine of NCPUS CPUs of which IN_MASK tells whether the process may run
   there (at least one), as TOPOLOGY, a value of GOMP_AMP_TOPOLOGY or NULL,
   asks; ROOT is the directory that is /sys unless TOPOLOGY names another.
   NULL if memory is short; the caller frees it (one block).  */
extern struct gomp_amp_machine *gomp_amp_detect
  (const char *topology, const char *root, unsigned ncpus,
   const bool *in_mask);

#pragma GCC visibility pop

#endif /* GOMP_AMP_MACHINE_SOURCE_H */
