/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which worker calls a region's function for which id.

   In a called region each worker calls the region's function once for each of
   the ids that it takes.  The terms:

     position  a place in the order in which the ids are dealt.
     share     the positions of a worker that have not begun: [first, end).
     owner     the worker whose share it is.  It takes from the front.
     steal     to take from the back of another worker's share.
     deal      to fill the shares, which the thread that starts a region does.
     leave     not to take an id, although there is one: other workers will end
	       it earlier.
     revoke    to have a worker take no id any more: it may not run now.
     timed     the clock is read for each id.

   The rules, and their reasons:

   1. A share is one word.  A thread that changes it by a compare and swap or an
      exchange owns what it removed, so each id is taken once.  Only
      gomp_fold_hand_out adds to a share, when all ids of the last region have
      been counted in.
   2. A thread may still look at shares when the next region's are dealt.  What
      it takes then is an id of the new region.  So a thread reads what the
      region is after it has taken an id.  The region cannot end before that id
      is counted in.  For the same reason it does no harm if a share has the
      same value again (ABA): what is taken out of the value has not begun.
   3. A thread that has taken no id reads of DEALT only what is atomic, and with
      a check of bounds: it may be of another region than the shares.  Shares,
      and all that was dealt, are not freed before the threads of the pool have
      ended.
   4. A worker writes its statistics, and RUN of its positions, after it has
      taken an id and before it counts that in.  So it does not meet the thread
      that deals and reads them.
   5. The fastest worker leaves nothing, and nobody leaves an id to a worker
      that runs none.  A worker that leaves ids asks again until there are none:
      the one that it relied on may run an id for longer than expected.
   6. A share may be revoked at any time.  Its owner takes no id from then on,
      and its ids are there for others.  HOME, the worker of the thread that
      dealt, ignores that, so all ids are taken: the thread of HOME stops only
      when no share has any.  To deal ends it.

   Orders: a share is dealt with release, after what the region is and after the
   statistics are cleared.  Taking acquires.  All other changes of the word are
   read-modify-writes, so each of them reads from that release.  The caller
   counts ids in with release, and the thread that ends the region acquires
   that.  DEALT is stored with release and loaded with acquire, so that its
   arrays are there.  What is relaxed is for guesses about other workers.  */

#ifndef GOMP_AMP_FOLD_TAKE_H
#define GOMP_AMP_FOLD_TAKE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* A share's first position is in the upper half of its word, its end in the
   lower one.  A word of the machine, so that no platform needs libatomic.  */
#define GOMP_FOLD_HALF (sizeof (unsigned long) * 4)

/* The positions that a share's word stands for.  */

static inline unsigned
gomp_fold_front (unsigned long word)
{
  return word >> GOMP_FOLD_HALF;
}

static inline unsigned
gomp_fold_end (unsigned long word)
{
  return word & ((1UL << GOMP_FOLD_HALF) - 1);
}

static inline bool
gomp_fold_has_ids (unsigned long word)
{
  return gomp_fold_front (word) < gomp_fold_end (word);
}

/* Regions of more ids are not called.  */
#define GOMP_FOLD_MOST_IDS ((1UL << (GOMP_FOLD_HALF - 1)) - 1)

/* Results of gomp_fold_take that are no ids.  */
#define GOMP_FOLD_NO_ID (~0U)
#define GOMP_FOLD_LATER (~0U - 1)

/* How long an id took, and on which worker.  */
struct gomp_fold_id_time
{
  float ns;
  unsigned worker;
};

/* How a region is dealt.  Constant while the region runs.  */
struct gomp_fold_dealt
{
  /* Constant.  */
  unsigned ids;

  /* ORDER: the ids by position.  FIRST: the first position of each worker's
     share, and IDS.  SLOW: by worker, one by its speed; 0 if nothing is known.
     TIMES: by position, if TIMED.  Written by the worker that runs the id.  */
  unsigned *order, *first;
  float *slow;
  struct gomp_fold_id_time *times;

  /* Atomic.  COST: by position, the costs of all ids before it, and of all, in
     nanoseconds of a worker of which SLOW is 1; in any unit if nothing is
     known.  END_NS: when the last worker is expected to end, after the
     beginning; 0 if nothing is known.  */
  float *cost, end_ns;
  bool timed;
};

/* How the owner of a share takes ids.  */
enum gomp_fold_manner
{
  /* All that it can.  */
  GOMP_FOLD_TAKES,
  /* It may leave some.  */
  GOMP_FOLD_LEAVES = 1,
  /* None, unless it is HOME.  */
  GOMP_FOLD_REVOKED = 2
};

/* A worker's share.  */
struct gomp_fold_share
{
  /* Shared and atomic.  WORD: the positions.  BEGUN: when the owner began its
     present id, 0 if it runs none or none that is timed.  EXPECTED: how long
     that should take, in nanoseconds, 0 if nothing is known.  SLOW: as in
     DEALT; where nothing was known, what the first id showed.  MANNER: bits of
     enum gomp_fold_manner.  */
  unsigned long word __attribute__ ((aligned (64)));
  unsigned long begun;
  float expected, slow;
  unsigned char manner;

  /* For the owner.  AT: the position of its present
     id, and SINCE_NS when that began, if it is timed.  UNCOUNTED: ids that it
     took and has not counted in.  The statistics of the region: RAN: ids that
     it took.  FIRST_NS: when it took the first one.  LAST_NS: when it last
     counted in.  THIEF_OF: the worker + 1 from which it stole an id last; for
     a tool.  */
  unsigned short thief_of;
  unsigned at, uncounted, ran;
  unsigned long long since_ns, first_ns, last_ns;
};

/* The shares of a pool.  Constant: SHARE.  Atomic: WORKERS, those of the
   present region, of which there may be fewer than shares; HOME, which of them
   dealt; DEALT; and BEGAN, when the region began.  */
struct gomp_fold_shares
{
  unsigned workers, home;
  struct gomp_fold_share *share;
  struct gomp_fold_dealt *dealt;
  unsigned long began;
};

/* How many workers SHARES' region has.  Relaxed: shares of others are
   empty.  */

static inline unsigned
gomp_fold_sharers (const struct gomp_fold_shares *shares)
{
  return __atomic_load_n (&shares->workers, __ATOMIC_RELAXED);
}

/* Whether the present region is timed.  For workers that have taken an id and
   not counted it in.  */

static inline bool
gomp_fold_timed (const struct gomp_fold_shares *shares)
{
  return __atomic_load_n (&shares->dealt->timed, __ATOMIC_RELAXED);
}

/* The id at POSITION, which the caller has taken by gomp_fold_take_all.  */

static inline unsigned
gomp_fold_id_at (const struct gomp_fold_shares *shares, unsigned position)
{
  return shares->dealt->order[position];
}

/* Worker ME, which calls this, has nothing to run.  Returns an id that it now
   has to run; GOMP_FOLD_LATER if it leaves those that there are: it counts in
   what it ran, and asks again soon; GOMP_FOLD_NO_ID if there are none: it
   counts in, and waits for the end of the region.  NOW is the time in
   nanoseconds.  After an id that is not timed it may be 0.  Budget: for an own
   id that is not timed 50 instructions, one of them a compare and swap; else
   in addition reads of all shares, twice at most.  */
extern unsigned gomp_fold_take (struct gomp_fold_shares *shares, unsigned me,
				unsigned long long now);

/* The owner of SHARE, which calls this, found no id at NOW, or its present id
   becomes a thread.  NOW may be 0 if the run is not measured.  Returns how many
   ids it took, the present one included, that it has not counted in: the caller
   counts in those that ended.  */
extern unsigned gomp_fold_count_in (struct gomp_fold_share *share,
				    unsigned long long now);

/* Worker ME, which calls this, ended its present id at NOW, and takes no other.
   As gomp_fold_count_in.  */
extern unsigned gomp_fold_end_own (struct gomp_fold_shares *shares,
				   unsigned me, unsigned long long now);

/* Take all of SHARE at once: the positions [*FIRST, *END), which may be none.
   The caller has to have each of them run and counted in.  Called by any
   thread.  */
extern void gomp_fold_take_all (struct gomp_fold_share *share, unsigned *first,
				unsigned *end);

/* All ids of the last region have been counted in.  Give each worker its share
   of DEALT.  HOME, the calling thread's worker, has id 0 at its first position
   and takes it at once, so that nobody else can.  NOW is when the region began,
   0 if the run is not measured.  The caller has written what the region is.  */
extern void gomp_fold_hand_out (struct gomp_fold_shares *shares,
				struct gomp_fold_dealt *dealt, unsigned home,
				unsigned long long now);

/* The owner of SHARE may not run from now on, or if not REVOKED it may.  Called
   by one thread at a time; to deal may undo it.  Returns whether that is
   new.  */
extern bool gomp_fold_revoke_share (struct gomp_fold_share *share,
				    bool revoked);

/* The thread that dealt, worker HOME, has woken the others, and runs id 0 from
   NOW on.  NOW may be 0 if the run is not measured.  */
extern void gomp_fold_run_first (struct gomp_fold_shares *shares,
				 unsigned home, unsigned long long now);

/* Empty shares for WORKERS workers, at least 1.  SHARE is NULL if memory is
   short.  */
extern struct gomp_fold_shares gomp_fold_make_shares (unsigned workers);

extern void gomp_fold_free_shares (struct gomp_fold_shares *shares);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_TAKE_H */
