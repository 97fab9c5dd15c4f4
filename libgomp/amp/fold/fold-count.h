/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Counts of what folded teams did, for reports when the process ends, of what
   workers count themselves.  */

#ifndef GOMP_AMP_FOLD_COUNT_H
#define GOMP_AMP_FOLD_COUNT_H 1

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_pool;

/* What all teams of a size did.  Kept until the process ends.  */
struct gomp_fold_count
{
  struct gomp_fold_count *next;
  unsigned ids, workers;
  /* How often their ranges changed.  Under a lock, as the rest.  */
  unsigned long long moves;
  struct
  {
    /* IDS: of the last ranges.  */
    unsigned cpu, ids;
    /* How often an id was picked up, and how often the worker got another
       carrier since its present one did not come back.  */
    unsigned long long switches, early;
  } worker[];
};

/* Where a team of IDS ids is counted of which worker W has those from FIRST[W]
   on, from now on, and is on CPU[W].  NULL if memory is short.  Hold
   GOMP_AMP_LOCK_COUNTS.  */
extern struct gomp_fold_count *gomp_fold_count_for (unsigned ids,
						    unsigned workers,
						    const unsigned *first,
						    const unsigned *cpu);

/* Count what FOLD's workers did since they were counted last.  Hold
   GOMP_AMP_LOCK_COUNTS: a process may end, and count all pools, meanwhile.  */
extern void gomp_fold_count_pool (struct gomp_fold_pool *fold);

/* Print what was counted as a list in JSON, without a new line.  */
extern void gomp_fold_print_counts (FILE *out);

/* Report at the end of the process for people, because OMP_DISPLAY_ENV asks for
   it.  */
extern void gomp_fold_show_counts (void);

/* The process ends: write the reports that were asked for.  */
extern void gomp_fold_finish (void);

/* In the child of a fork: forget the counts of its parent.  */
extern void gomp_fold_forget_counts (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_COUNT_H */
