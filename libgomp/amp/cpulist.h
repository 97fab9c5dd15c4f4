/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Lists of CPUs such as 0-3,8 in the kernel's notation.  */

#ifndef GOMP_AMP_CPULIST_H
#define GOMP_AMP_CPULIST_H 1

#include <stdbool.h>

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

#pragma GCC visibility pop

#endif /* GOMP_AMP_CPULIST_H */
