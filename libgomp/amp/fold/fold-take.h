/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which worker calls a region's function for which id.

   In a called region each worker calls the region's function once for each of
   the ids that it takes.  The terms:

     share   the ids of a worker that have not begun: [first, end).
     owner   the worker whose share it is.  It takes from the front, so that
	     it goes through neighbours in order.
     deal    to fill the shares, which the thread that starts a region does.
     leave   not to take an id, although there is one: a faster worker will
	     end it earlier.
     timed   the clock is read for each id, as ids are long.

   The rules, and their reasons:

   1. A share is one word.  A thread that changes it by a compare and swap or
      an exchange owns the ids that it removed, so each id is taken once.  Only
      gomp_fold_deal adds ids, when all ids of the last region have been
      counted in.
   2. A thread may still look at shares when the next region's are dealt.  What
      it takes then is an id of the new region.  So a thread reads what the
      region is after it has taken an id.  The region cannot end before that id
      is counted in.  For the same reason it does no harm if a share has the
      same value again (ABA): what is taken out of the value is not begun.
   3. Shares are not freed before the threads that look at them have ended.
   4. A worker writes its statistics only after it has taken an id and before
      it counts that in.  So gomp_fold_deal and gomp_fold_note_region never
      meet it.
   5. The fastest worker leaves no id, and nobody leaves an id to a worker that
      runs none.  A worker that leaves ids asks again until there are none: the
      one that it relied on may run an id for longer than expected.

   Orders: shares are dealt with release, after what the region is and after
   the statistics are cleared.  Taking acquires; as all other changes of the
   word are read-modify-writes, each of them reads from that release.  The
   caller counts ids in with release, and the thread that ends the region
   acquires that.  BEGUN, ID_NS, SURE and TIMED are relaxed: other workers only
   guess by them.  */

#ifndef GOMP_AMP_FOLD_TAKE_H
#define GOMP_AMP_FOLD_TAKE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* A share's first id is in the upper half of its word, its end in the lower
   one.  A word of the machine, so that no platform needs libatomic.  */
#define GOMP_FOLD_HALF (sizeof (unsigned long) * 4)

/* Regions of more ids are not called.  */
#define GOMP_FOLD_MOST_IDS ((1UL << (GOMP_FOLD_HALF - 1)) - 1)

/* Results of gomp_fold_take that are no ids.  */
#define GOMP_FOLD_NO_ID (~0U)
#define GOMP_FOLD_LATER (~0U - 1)

struct gomp_fold_share
{
  /* Shared and atomic.  WORD: the ids.  BEGUN: when the owner began its
     present id, 0 if it runs none or if it is not timed.  ID_NS: how long an
     id is expected to take on the owner, 0 if nothing is known.  SURE: with so
     many ids left the owner takes one without a look at the others.  */
  unsigned long word __attribute__ ((aligned (64)));
  unsigned long begun, id_ns;
  unsigned sure;
  bool timed;

  /* The owner's statistics of this region.  RAN: ids that it took.  UNCOUNTED:
     those of them that are not yet counted in.  BUSY_NS: how long they took.
     FIRST_NS: when it took the first one.  LAST_NS: when it last counted in.
     SINCE_NS: when its present id began, or with ids that are not timed the
     first one since it counted in.  */
  unsigned ran, uncounted;
  unsigned long long busy_ns, first_ns, last_ns, since_ns;
};

/* The shares of a pool.  Constant.  */
struct gomp_fold_shares
{
  unsigned workers;
  struct gomp_fold_share *share;
};

/* Whether the owner of SHARE has to hand the time to each gomp_fold_take.  */

static inline bool
gomp_fold_timed (const struct gomp_fold_share *share)
{
  return __atomic_load_n (&share->timed, __ATOMIC_RELAXED);
}

/* Worker ME, which calls this, has nothing to run.  Returns an id that it now
   has to run; GOMP_FOLD_LATER if it leaves those that there are: it counts in
   what it ran and asks again soon; GOMP_FOLD_NO_ID if there are none: it counts
   in, and waits for the end of the region.  NOW is the time in nanoseconds, not
   0.  The call after an id that is not timed needs none, and may have 0.
   Budget: of its own ids that are not timed 25 instructions, one of them a
   compare and swap.  Otherwise one read of each share.  */
extern unsigned gomp_fold_take (struct gomp_fold_shares *shares, unsigned me,
				unsigned long long now);

/* The owner of SHARE, which calls this, ran out of ids at NOW, or its present
   id becomes a thread.  NOW may be 0 if the run is not measured.  Returns how
   many ids it took, the present one included, that it has not counted in: the
   caller counts in those that ended.  */
extern unsigned gomp_fold_count_in (struct gomp_fold_share *share,
				    unsigned long long now);

/* Take all ids of SHARE at once: [*FIRST, *END), which may be none.  The caller
   has to have each of them run and counted in.  Called by any thread.  */
extern void gomp_fold_take_all (struct gomp_fold_share *share, unsigned *first,
				unsigned *end);

/* All ids of the last region have been counted in.  Give worker w the ids from
   FIRST[w] up to FIRST[w + 1], of which each is expected to take ID_NS[w]
   nanoseconds there; 0 if that is not known.  FIRST has one element more than
   there are workers.  HOME is the worker of the calling thread, and the first
   one that has ids.  It has taken id 0, so that nobody else can.  TIMED: see
   above.  The caller has written what the region is.  */
extern void gomp_fold_deal (struct gomp_fold_shares *shares,
			    const unsigned *first, const double *id_ns,
			    bool timed, unsigned home);

/* The thread that dealt has woken the others, and runs id 0 from NOW on.  SHARE
   is its own.  NOW may be 0 if the run is not measured.  */

static inline void
gomp_fold_run_first (struct gomp_fold_share *share, unsigned long long now)
{
  share->first_ns = share->since_ns = now;
  if (gomp_fold_timed (share))
    __atomic_store_n (&share->begun, now, __ATOMIC_RELAXED);
}

/* Empty shares for WORKERS workers, at least 1.  SHARE is NULL if memory is
   short.  */
extern struct gomp_fold_shares gomp_fold_make_shares (unsigned workers);

extern void gomp_fold_free_shares (struct gomp_fold_shares *shares);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_TAKE_H */
