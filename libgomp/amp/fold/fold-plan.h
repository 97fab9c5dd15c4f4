/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the outermost teams of a process can be folded: the CPUs of the workers,
   and the number of ids.  */

#ifndef GOMP_AMP_FOLD_PLAN_H
#define GOMP_AMP_FOLD_PLAN_H 1

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Cutting ids into ranges takes as long as the product of ids and workers.  */
#define GOMP_FOLD_MOST_WORKERS 4096

struct gomp_fold_plan
{
  /* Workers; those that the process has at its start are the first ones, and it
     may be given the CPUs of the others later.  The ids of a team whose size
     the program leaves open.  */
  unsigned count, at_start, ids;
  /* The CPU of each worker, in the order of their numbers, and how fast it is,
     at least 1.  */
  unsigned *cpu, *speed;
  /* SHARE: there are more workers than CPUs.  BY_QUOTA: the user did not say
     how many there are.  */
  bool share, by_quota;
  /* Why nothing is folded; NULL if it is.  A constant text.  */
  const char *none;
};

/* Plan for K ids a worker, or for as few as match the speeds if K is
   GOMP_AMP_AUTO, and for ASKED workers, or one for each CPU if ASKED is 0, but
   no more than the CPU quota has, on the fastest CPUs.
   ASCENDING: slow CPUs come first.  Fills PLAN, which the caller frees by
   gomp_fold_free_plan.  */
extern void gomp_fold_make_plan (unsigned long k, unsigned long asked,
				 bool ascending, struct gomp_fold_plan *plan);
extern void gomp_fold_free_plan (struct gomp_fold_plan *plan);

/* Print PLAN to STREAM in one line, without a newline: which CPUs run how many
   threads, or why none.  */
extern void gomp_fold_show_plan (FILE *stream,
				 const struct gomp_fold_plan *plan);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_PLAN_H */
