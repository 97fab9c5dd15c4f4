/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The interface between the sources of core classes; for machine*.c only.  */

#ifndef GOMP_AMP_MACHINE_SOURCE_H
#define GOMP_AMP_MACHINE_SOURCE_H 1

#include <stdbool.h>
#include "machine/machine.h"

#pragma GCC visibility push(hidden)

#define GOMP_AMP_SYS "/sys"	/* The directory unless another is named.  */

/* The question to a source, and its answer.  */
struct gomp_amp_probe
{
  const char *root;		/* The directory that is /sys.  */
  unsigned ncpus;		/* The length of the two arrays.  */
  const bool *in_mask;		/* The CPUs that a source must know to answer:
				   those that the process may use now.  At
				   least one.  */
  unsigned long *value;		/* A CPU's capacity on any scale; 0 =
				   unknown.  */
  bool ranks;			/* Only the order of the values has a
				   meaning.  */
  bool favours;			/* The values also show which of like cores the
				   firmware favours.  Then only a gap between
				   neighbouring values separates classes.  */
  const char *source;		/* The name of the source that answered.  */
};

/* A source of classes.  Returns true if it has answered, i.e. has filled in
   value for every CPU of the mask and, where known, for the others.  Otherwise
   the content of value is undefined.  */
typedef bool gomp_amp_source (struct gomp_amp_probe *probe);

/* The kernel's sources (machine-sysfs.c) in order of preference; NULL is the
   last element.  */
extern gomp_amp_source *const gomp_amp_sysfs_sources[];

#ifdef GOMP_AMP_VIRTUAL
/* The lab's machine (virtual/virtual-machine.c).  */
extern gomp_amp_source gomp_amp_virtual_source;
#endif

/* Read the file PATH into TEXT as a string.  Returns false unless TEXT, of SIZE
   bytes, has the whole content: half a number is another number.  */
extern bool gomp_amp_read_text (const char *path, char *text, size_t size);

/* Whether DIRECTORY looks like a /sys with CPUs.  */
extern bool gomp_amp_sysfs_root_p (const char *directory);

/* Read the number in the file NAME of the directory devices/system/cpu/cpuCPU
   below ROOT.  Returns false if there is none.  */
extern bool gomp_amp_sysfs_cpu_number (const char *root, unsigned cpu,
				       const char *name,
				       unsigned long *number);

/* Read the text of that file.  Returns false if there is none, if it has a
   NUL, or if it is longer than SIZE - 2 bytes.  */
extern bool gomp_amp_sysfs_cpu_text (const char *root, unsigned cpu,
				     const char *name, char *text,
				     size_t size);

/* Answer from the list TEXT, CPUs=capacity,... (machine-topology.c).  If the
   list does not fit the machine, report that and return false.  */
extern bool gomp_amp_topology_list (const char *text,
				    struct gomp_amp_probe *probe);

/* Ask hwloc (machine-hwloc.c).  Returns NULL if it has answered, or else the
   reason, written to DETAIL of SIZE bytes.  */
extern const char *gomp_amp_ask_hwloc (struct gomp_amp_probe *probe,
				       char *detail, size_t size);

/* Whether two values, the greater one first, are within 10 percent and so
   belong to cores of one kind.  */
static inline bool
gomp_amp_near_p (unsigned long greater, unsigned long less)
{
  return less >= greater - greater / 10;
}

/* Sort the CPUs of PROBE, which has been answered, into classes.  NULL if
   memory is short.  */
extern struct gomp_amp_machine *gomp_amp_group_classes
  (const struct gomp_amp_probe *probe);

/* The machine of NCPUS CPUs.  IN_MASK is set for the CPUs that the process may
   use (at least one).  TOPOLOGY is a value of GOMP_AMP_TOPOLOGY or NULL.  ROOT
   is the directory to use as /sys unless TOPOLOGY names another.  Without LOAD
   hwloc is not asked, and the result is NULL if no other source answers.  NULL
   if memory is short.  The caller frees the result (one block).  */
extern struct gomp_amp_machine *gomp_amp_detect
  (const char *topology, const char *root, unsigned ncpus,
   const bool *in_mask, bool load);

#pragma GCC visibility pop

#endif /* GOMP_AMP_MACHINE_SOURCE_H */
