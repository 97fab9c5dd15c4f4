/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which ids each worker of a called region begins with, and which workers are
   woken for it, by what earlier runs of the region took.  Pure arithmetic.

   A deal is how a region of the program, called with one number of ids on the
   workers of one pool, is shared out, and what that goes by.  What ids cost,
   and how fast workers are, is learned from runs that are timed.  At the end of
   a batch of runs it is shared out again by what is known:

   - Neighbours stay together: each worker in turn gets as many ids as it can
     end by the earliest time at which all are ended.  Only if the last worker
     would end clearly earlier the ids are dealt from the heaviest one on, each
     to the worker that ends it first.
   - HOME, the worker of the thread that starts the region, begins PUBLISH_NS
     after the region, and the others WAKE_NS after it.  So a worker that would
     come too late, or is too slow for one id, has none, and is not woken.
   - Which workers may have ids is one of three *crews*: HOME alone, which needs
     no wakes and does not wait ARRIVE_NS for others; HOME and the fast ones;
     or all.  In short regions the clock takes longer than ids, and workers take
     cache lines away from each other.  So each crew is predicted by what runs
     took with it when it was used last.
   - What is not used is not measured.  So that HOME is not alone forever
     because others once came late, and no worker is idle forever because it was
     once slow, they are tried again when that costs a small part of the time
     that has passed.  In the same way fewer workers are tried, and each time
     that this gained nothing more rarely.

   The constants in fold-shares.c were chosen by the simulated programs of
   tests/fold-learn, whose results docs/design/folding.md has.  */

#ifndef GOMP_AMP_FOLD_SHARES_H
#define GOMP_AMP_FOLD_SHARES_H 1

#include <stdbool.h>
#include "fold/fold-learn.h"
#include "fold/fold-take.h"

#pragma GCC visibility push(hidden)

struct gomp_fold_allowed;

/* A run of so many nanoseconds is long: to bind a thread and to let it go again
   takes a few microseconds.  */
#define GOMP_FOLD_LONG_NS 1e6f

/* What is measured in a batch of runs, all in nanoseconds.  */
struct gomp_fold_batch
{
  /* RUNS: how many there were, and SPENT_NS how long they took.  PLAIN_RUNS
     and PLAIN_NS: those of them that were not timed.  WAKES: how often a worker
     was woken.  */
  unsigned runs, plain_runs, wakes;
  double spent_ns, plain_ns, publish_ns, wake_ns, arrive_ns;
};

enum gomp_fold_crew
{
  GOMP_FOLD_CREW_HOME,
  GOMP_FOLD_CREW_FAST,
  GOMP_FOLD_CREW_ALL,
  GOMP_FOLD_CREWS
};

/* What the next measured run is:

	    counts  and then                      the batch ends
   COLD     no      TRIAL                         -
   TRIAL    yes     -                             after TRIAL_RUNS runs
   STEADY   yes     runs of HOME may be skipped   after the learner's BATCH_NS

   The first batch is STEADY.  At the end of each the next is COLD if workers
   have ids that had none, and so slept; else TRIAL if it was the first, or
   something is tried; else STEADY.  */
enum gomp_fold_phase
{
  GOMP_FOLD_STEADY,
  GOMP_FOLD_TRIAL,
  GOMP_FOLD_COLD
};

/* How long runs took with a crew, in nanoseconds, 0 if not known; the same by
   what they should have taken; and what they should take.  AFTER: after so many
   batches of more workers it is tried, of which BATCHES have passed.  */
struct gomp_fold_used
{
  double ns, ratio, predicted;
  unsigned after, batches;
};

struct gomp_fold_deal
{
  /* For fold-known.c.  NEXT: the next deal of the region, constant.  BUSY: a
     pool has it; atomic.  ALLOWED: it is dealt to these workers.  */
  struct gomp_fold_deal *next;
  const struct gomp_fold_allowed *allowed;
  bool busy;

  /* Constant.  Workers before HOME get no ids.  */
  unsigned ids, workers, home;

  /* How to deal the next run.  A worker w is woken if DEALT.FIRST[w] is less
     than DEALT.FIRST[w + 1].  WOKEN: how many workers have ids; 1 if HOME is
     alone.  */
  struct gomp_fold_dealt dealt;
  unsigned woken;

  /* SHORT_IDS: not all runs are timed.  SKIP: how many of the next runs are not
     measured.  NEXT_TIMED: the next one that is measured is timed.  RUNS:
     measured ones, modulo what the type holds.  */
  bool short_ids, next_timed;
  unsigned skip, runs;

  struct gomp_fold_learner learner;
  /* In nanoseconds, 0 if not known: see above.  */
  double publish_ns, wake_ns, arrive_ns;

  /* CREW: the present one.  CHANGED: it was another in the last batch.  LIMIT:
     slower workers than this are to have no ids.  */
  enum gomp_fold_crew crew;
  struct gomp_fold_used used[GOMP_FOLD_CREWS];
  bool changed;
  double limit;

  enum gomp_fold_phase phase;
  struct gomp_fold_batch batch;
  /* For one deal: by worker, when it begins or ends; and the ids by cost.  */
  double *end;
  struct gomp_fold_cost *sorted;
};

/* A deal of IDS ids on WORKERS workers, both at least 1, of which worker w is
   believed to be SPEED[w] > 0 fast, in any unit.  If all are equally fast that
   is taken for a guess.  HOME < WORKERS is the worker of the thread that starts
   the region: it gets id 0.  NULL if memory is short.  */
extern struct gomp_fold_deal *gomp_fold_make_deal (unsigned ids,
						   unsigned workers,
						   unsigned home,
						   const double *speed);

extern void gomp_fold_free_deal (struct gomp_fold_deal *deal);

/* Forget what DEAL has learned: its workers are now believed to be SPEED[w]
   fast.  Threads may be reading what it was dealt.  */
extern void gomp_fold_restart_deal (struct gomp_fold_deal *deal,
				    const double *speed);

/* How many bytes such a deal takes.  */
extern size_t gomp_fold_deal_size (unsigned ids, unsigned workers);

/* Whether DEAL's next run, which the caller is about to deal, is to be handed
   to gomp_fold_note.  If not its clock need not be read.  */

static inline bool
gomp_fold_measured (struct gomp_fold_deal *deal)
{
  bool measured = deal->skip == 0;

  __atomic_store_n (&deal->dealt.timed, measured && deal->next_timed,
		    __ATOMIC_RELAXED);
  if (!measured)
    deal->skip--;
  return measured;
}

/* Whether DEAL's next run, if anything is known of it, is so long that it does
   not matter what a few calls of the kernel take.  */

static inline bool
gomp_fold_long (const struct gomp_fold_deal *deal)
{
  return deal->dealt.end_ns == 0 || deal->dealt.end_ns >= GOMP_FOLD_LONG_NS;
}

/* DEAL's region began at BEGIN and ended at END, in nanoseconds: when the
   thread that starts it was about to deal, and when it saw that all ids had
   been counted in.  SHARES have the statistics of that run.  Not called for
   runs in which ids became threads.  May change how DEAL is dealt.  */
extern void gomp_fold_note (struct gomp_fold_deal *deal,
			    const struct gomp_fold_shares *shares,
			    unsigned long long begin, unsigned long long end);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_SHARES_H */
