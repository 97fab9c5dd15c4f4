/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which regions had ids that were woken early, and which are folded no longer.
   A region is known by its outlined function.  */

#ifndef GOMP_AMP_FOLD_VERDICT_H
#define GOMP_AMP_FOLD_VERDICT_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

typedef void (*gomp_fold_region_fn) (void *);

/* A program in which so many regions were unfolded is not folded at all any
   more.  */
#define GOMP_FOLD_MOST_UNFOLDED 8

/* How many regions are folded no longer.  */
extern unsigned gomp_fold_unfolded;

/* How often ids of a region were woken since another one did not go on, and in
   how many of these cases that one went on soon after.  */
struct gomp_fold_cases
{
  unsigned all, helped;
};

extern bool gomp_fold_look_up_unfolded (gomp_fold_region_fn fn);

/* Whether the region FN is not to be folded.  Relaxed: a region that has just
   been unfolded may start folded once more.  */
static inline bool
gomp_fold_unfolded_p (gomp_fold_region_fn fn)
{
  return (__builtin_expect (__atomic_load_n (&gomp_fold_unfolded,
					     __ATOMIC_RELAXED) != 0, 0)
	  && gomp_fold_look_up_unfolded (fn));
}

/* The next three are for the thread that watches only.  COUNT ids of the region
   FN were woken early.  */
extern void gomp_fold_note_early (gomp_fold_region_fn fn, unsigned count);

/* An id of the region FN, for which others were woken early, has gone on, and
   if HELPED soon after.  Returns all such cases of that region.  */
extern struct gomp_fold_cases gomp_fold_note_case (gomp_fold_region_fn fn,
						   bool helped);

/* The region FN is folded no longer.  Returns false if that cannot be
   remembered, or GOMP_FOLD_MOST_UNFOLDED regions are: then no region is to be
   folded.  */
extern bool gomp_fold_note_unfolded (gomp_fold_region_fn fn);

/* Print what happened to regions when the process ends, from now on.  */
extern void gomp_fold_report_at_end (void);

/* The process ends: print it.  A child that was forked prints nothing.  */
extern void gomp_fold_report (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_VERDICT_H */
