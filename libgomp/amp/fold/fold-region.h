/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether regions are called or run by turns, and why.  A region is known by
   its outlined function.

   A region that is not known is called, unless its module has thread-local
   variables: all ids of a worker would share them.  If one of its ids waits for
   others it is run by turns from then on.  */

#ifndef GOMP_AMP_FOLD_REGION_H
#define GOMP_AMP_FOLD_REGION_H 1

#include <stdbool.h>
#include "fold/fold-verdict.h"

#pragma GCC visibility push(hidden)

enum gomp_fold_why
{
  /* It is called.  */
  GOMP_FOLD_LEAF,
  /* It is run by turns: its module has thread-local variables, its ids wait for
     each other at barriers and the like, or outside of OpenMP, or it has
     tasks.  */
  GOMP_FOLD_HAS_TLS,
  GOMP_FOLD_MEETS,
  GOMP_FOLD_MEETS_OUTSIDE,
  GOMP_FOLD_HAS_TASKS
};

/* A region is run by turns when late threads have helped it this often, and in
   three of four cases.  */
#define GOMP_FOLD_MOST_LATE 3

/* Never freed.  */
struct gomp_fold_region
{
  struct gomp_amp_site *site;
  const struct gomp_fold_region *next;
  /* Shared and atomic, all relaxed.  WHY: enum gomp_fold_why.  CALLED: runs.
     RESCUES: runs that got late threads because they did not go on, and how
     often that helped.  */
  unsigned why;
  unsigned long called;
  struct gomp_fold_cases rescues;
};

/* What is known of the region FN.  NULL if memory is short.  */
extern struct gomp_fold_region *gomp_fold_find_region (gomp_fold_region_fn fn);

/* REGION is run by turns from now on because of WHY.  Called by any thread.  */
extern void gomp_fold_note_turns (struct gomp_fold_region *region,
				  enum gomp_fold_why why);

/* For the watching thread.  A run of REGION got late threads because it did not
   go on.  HELPED: it went on soon after.  */
extern void gomp_fold_note_rescue (struct gomp_fold_region *region,
				   bool helped);

/* The process ends: report all regions.  */
extern void gomp_fold_report_regions (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_REGION_H */
