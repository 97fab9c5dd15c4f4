/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which regions had ids that were woken early, and which are folded no longer.
   A region is known by its outlined function.

   A run of a region in which ids were woken early is either long, or slow
   because the ids wait for each other in memory, where the library does not see
   it.  A trial shows which: after some such runs each run is folded or not at
   random.  Random, so that a region whose runs differ, by turns for example,
   does not look faster unfolded.  If all folded runs need early wakes and take
   more than twice as long as any other run, the region is unfolded.  One run
   that does not fit ends the trial, and the next one follows after four times
   as many runs.  Only runs of one pool are compared.  */

#ifndef GOMP_AMP_FOLD_VERDICT_H
#define GOMP_AMP_FOLD_VERDICT_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

typedef void (*gomp_fold_region_fn) (void *);

/* A program is no longer folded at all when this many of its regions were
   unfolded.  */
#define GOMP_FOLD_MOST_UNFOLDED 8

/* How many runs with early wakes come before a region's first trial, and how
   many at most before a later one.  */
#define GOMP_FOLD_FIRST_TRIAL 2
#define GOMP_FOLD_LAST_TRIAL (1U << 20)

/* How many runs of a trial are folded, and how many are not.  A region whose
   runs differ passes it by chance in one of 2^10 trials.  */
#define GOMP_FOLD_TRIAL_RUNS 5

/* A trial whose pool may have ended is given up for one of another pool after
   so many runs with early wakes there.  */
#define GOMP_FOLD_OTHER_POOL 64

/* How many regions are folded no longer.  */
extern unsigned gomp_fold_unfolded;

/* In how many regions ids were woken early.  */
extern unsigned gomp_fold_suspects;

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

extern bool gomp_fold_begin_suspect (gomp_fold_region_fn fn,
				     const void *pool,
				     unsigned long long *began);

/* The region FN is about to run in POOL, of which only the address counts.
   Returns whether it is to be folded.  Store in *BEGAN what gomp_fold_end_run
   takes, or 0 if that need not be called.  As long as there are no suspects
   *BEGAN, at first 0, stays so.  Relaxed, as above.  */
static inline bool
gomp_fold_begin_run (gomp_fold_region_fn fn, const void *pool,
		     unsigned long long *began)
{
  return (__builtin_expect (__atomic_load_n (&gomp_fold_suspects,
					     __ATOMIC_RELAXED) == 0, 1)
	  || gomp_fold_begin_suspect (fn, pool, began));
}

/* A run of the region FN in POOL that began at BEGAN has ended.  It was FOLDED
   or not, and some of its ids were WOKEN early or not.  Returns false if no
   region is to be folded any more, as gomp_fold_note_unfolded does.  */
extern bool gomp_fold_end_run (gomp_fold_region_fn fn, const void *pool,
			       unsigned long long began, bool folded,
			       bool woken);

/* The next three are for the thread that watches only.  COUNT ids of the region
   FN were woken early.  */
extern void gomp_fold_note_early (gomp_fold_region_fn fn, unsigned count);

/* An id of the region FN, for which others were woken early, has gone on, and
   if HELPED soon after.  Returns all such cases of that region.  */
extern struct gomp_fold_cases gomp_fold_note_case (gomp_fold_region_fn fn,
						   bool helped);

/* The region FN is folded no longer.  Any thread may call this for a region
   that has a record.  Returns false if that cannot be
   remembered, or GOMP_FOLD_MOST_UNFOLDED regions are: then no region is to be
   folded.  */
extern bool gomp_fold_note_unfolded (gomp_fold_region_fn fn);

/* Print what happened to regions when the process ends, from now on.  */
extern void gomp_fold_report_at_end (void);

/* The process ends: print it.  A child that was forked prints nothing.  */
extern void gomp_fold_report (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_VERDICT_H */
