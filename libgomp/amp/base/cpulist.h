/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Lists of CPUs such as 0-3,8 in the kernel's notation.  */

#ifndef GOMP_AMP_CPULIST_H
#define GOMP_AMP_CPULIST_H 1

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

struct gomp_amp_cpu_range
{
  unsigned first;
  unsigned last;		/* Inclusive; not less than first.  */
};

/* Read N or N-M at *CURSOR and advance it.  M is not less than N, both are at
   most INT_MAX, and blanks are allowed.  On failure returns false and changes
   nothing.  */
extern bool gomp_amp_read_cpu_range (const char **cursor,
				     struct gomp_amp_cpu_range *range);

/* Set MEMBER[i] for each CPU i < NCPUS of the list TEXT, which may be empty.
   Higher CPUs are skipped.  Returns false if TEXT is malformed; MEMBER may
   have been changed then.  */
extern bool gomp_amp_parse_cpulist (const char *text, bool *member,
				    unsigned ncpus);

/* What has been printed of a list, and the range that follows, in which the
   next CPUs may be.  */
struct gomp_amp_cpu_printer
{
  FILE *stream;
  struct gomp_amp_cpu_range range;
  bool any;			/* RANGE is valid.  */
};

/* Add CPU to the list that PRINTER prints to its stream.  Consecutive CPUs make
   a range.  PRINTER has only its STREAM set before the first one.  */
extern void gomp_amp_print_cpu (struct gomp_amp_cpu_printer *printer,
				unsigned cpu);

/* Print what is left of the list.  Prints nothing of a list without a CPU.  */
extern void
gomp_amp_print_last_cpu (const struct gomp_amp_cpu_printer *printer);

#pragma GCC visibility pop

#endif /* GOMP_AMP_CPULIST_H */
