/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which ids each worker of a called region begins with, and which workers are
   woken for it, by what earlier runs of the region took.  Pure arithmetic.

   A site is a region of the program, called with one number of ids on the
   workers of one pool.  What is measured of its runs is summed up in batches.
   At the end of a batch the site may be dealt differently:

   - Worker w needs ID_NS[w] for one of its ids on average.  The ids are dealt
     such that the worker that ends last ends as early as whole ids allow.
     HOME, the worker of the thread that starts the region, begins PUBLISH_NS
     after the region, and the others WAKE_NS after it.  So a slow worker for
     which no id would end early enough has none, and is not woken.
   - HOME alone needs no wakes and does not wait ARRIVE_NS for others.  If it
     would end earlier alone it gets all ids.
   - What is not used is not measured.  So that a site is not alone forever,
     because others once came late, it is tried again with others when that
     costs a small part of the time that has passed.  The same holds for single
     workers that had no ids.  */

#ifndef GOMP_AMP_FOLD_SHARES_H
#define GOMP_AMP_FOLD_SHARES_H 1

#include <stdbool.h>
#include "fold/fold-take.h"

#pragma GCC visibility push(hidden)

/* Ids of at least this many nanoseconds are timed, which costs 50 ns each.  */
#define GOMP_FOLD_TIMED_NS 2000

struct gomp_fold_site
{
  /* Constant.  HOME: always has id 0; workers before it have none.  SPEED: of
     each worker, as given.  */
  unsigned ids, workers, home;
  double *speed;

  /* How to deal: see gomp_fold_deal.  A worker w is woken if FIRST[w] is less
     than FIRST[w + 1].  WOKEN: how many workers have ids; 1 if HOME is
     alone.  SKIP: how many of the next runs are not measured.  */
  unsigned *first;
  double *id_ns;
  bool timed;
  unsigned woken, skip;

  /* What is known, in nanoseconds; 0 if it is not.  KNOWN_NS: by worker, the
     mean time of its ids.  TOGETHER_NS: how long runs took when others than
     HOME had ids.  */
  double *known_ns;
  double publish_ns, wake_ns, arrive_ns, together_ns;
  /* The time that trials may cost.  TRIAL: the present batch is one.  COLD: the
     next run is its first one.  */
  double allowance_ns;
  bool trial, cold;

  /* The present batch: runs, how long they took, how long they have to take,
     and sums over the runs.  */
  unsigned runs, wakes;
  double batch_ns, spent_ns, publish_sum, wake_sum, arrive_sum;
  double *busy_sum, *ran_sum;
};

/* A site of IDS ids on WORKERS workers, both at least 1, of which worker w is
   believed to be SPEED[w] > 0 fast, in any unit.  NULL if memory is short.  */
extern struct gomp_fold_site *gomp_fold_make_site (unsigned ids,
						   unsigned workers,
						   unsigned home,
						   const double *speed);

extern void gomp_fold_free_site (struct gomp_fold_site *site);

/* Whether SITE's next run, which the caller is about to start, is to be handed
   to gomp_fold_note.  If not its clock need not be read.  */

static inline bool
gomp_fold_measured (struct gomp_fold_site *site)
{
  return site->skip == 0 || site->skip-- == 0;
}

/* SITE's region began at BEGIN and ended at END, in nanoseconds: when the
   thread that starts it was about to deal, and when it saw that all ids had
   been counted in.  SHARES have the statistics of that run.  Not called for
   runs in which ids became threads.  May change how SITE is dealt.  */
extern void gomp_fold_note (struct gomp_fold_site *site,
			    const struct gomp_fold_shares *shares,
			    unsigned long long begin, unsigned long long end);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_SHARES_H */
