/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which worker owns which ids of a folded team: contiguous ranges of the ids in
   an order of their own, at first by the speeds of the workers, then by what is
   learned.  Pure arithmetic.

   A probe is a move of one id over a boundary that is made only to learn.  The
   constants here and in fold-ranges.c were chosen by the simulated programs of
   tests/fold-learn, whose results docs/design/folding.md has.  */

#ifndef GOMP_AMP_FOLD_RANGES_H
#define GOMP_AMP_FOLD_RANGES_H 1

#include <stdbool.h>
#include "fold/fold-learn.h"

#pragma GCC visibility push(hidden)

/* gomp_fold_auto takes no more ids a worker than this, on average.  */
#define GOMP_FOLD_MOST 8

/* Cut IDS ids, of which each is as much work, into WORKERS ranges, at least
   one, such that the worker that ends last ends as early as whole numbers
   allow.  SPEED[w] is how fast worker w is, at least 1, in any unit.  Store in
   FIRST[w] the first id of worker w; FIRST[WORKERS] is IDS.  A slow worker may
   get none.  Of workers that would end together the first one gets the next
   id.  */
extern void gomp_fold_cut (unsigned ids, unsigned workers,
			   const unsigned *speed, unsigned *first);

/* Put IDS ids in an order in which the ranges of gomp_fold_cut, with the same
   arguments, have the ids that come first on different workers, the fast ones
   before the slow ones, but id 0 on the first worker that has any: what loops
   of few iterations leave without work are the last ids.  Store them in ORDER.
   FIRST and OWNER, of IDS numbers, are overwritten.  */
extern void gomp_fold_spread (unsigned ids, unsigned workers,
			      const unsigned *speed, unsigned *first,
			      unsigned *owner, unsigned *order);

/* The smallest number of ids, from WORKERS to GOMP_FOLD_MOST times as many,
   with which gomp_fold_cut loses no more than 4 % to whole numbers; if there is
   none, that which loses least.  0 if no number is better than one id for each
   worker.  COUNT has room for WORKERS numbers, and is overwritten.  */
extern unsigned gomp_fold_auto (unsigned workers, const unsigned *speed,
				unsigned *count);

/* The ranges of teams of one size, and what is learned of them.  */
struct gomp_fold_ranges
{
  struct gomp_fold_learner learner;
  /* The present ranges, as gomp_fold_cut's, those of the beginning, and the
     next ones.  */
  unsigned *first, *home, *next;
  /* By worker: a probe crossed the boundary before it.  */
  bool *probed;
  /* How many batches there were, and after how many PROBED is forgotten.  */
  unsigned batches, renewal;
  /* For how many batches nothing is learned, and for how many the next
     time.  */
  unsigned rest, pause;
  /* The part of the time that other ranges have to save.  At least
     GOMP_FOLD_GAIN.  */
  double gain;
  /* If the ranges were changed after the last batch, and not only to learn:
     when that ended, and when it would have ended with the present ones.
     Otherwise PROMISED is 0.  */
  double before, promised;
};

/* Ranges for teams of IDS ids on WORKERS workers, both at least 1, of which
   worker w is believed to be SPEED[w] > 0 fast, in any unit.  FIRST are the
   ones to begin with.  NULL if memory is short.  */
extern struct gomp_fold_ranges *
gomp_fold_make_ranges (unsigned ids, unsigned workers, const double *speed,
		       const unsigned *first);

extern void gomp_fold_free_ranges (struct gomp_fold_ranges *ranges);

/* In a batch each id ran for TIME[id] >= 0 from barrier to barrier, on average,
   on the worker that owns it.  TURN >= 0 is the time of the hand-over that each
   id adds to its worker's, in the same unit.  Changes RANGES and returns true
   if with others the worker that ends last would end earlier, by GOMP_FOLD_GAIN
   of its time and by LEAST.  It has to be more if earlier changes saved less
   than they promised.  */
extern bool gomp_fold_better_ranges (struct gomp_fold_ranges *ranges,
				     const double *time, double turn,
				     double least);

/* Ranges that are nearly even stay, for the sake of caches.  */
#define GOMP_FOLD_GAIN .03

/* In a short batch other programs may take this much of a core's time.  */
#define GOMP_FOLD_LEAST_NS 30000

/* How long the first batch lasts, in nanoseconds, if speeds were given.  Then
   the first ranges are good ones, while the beginning of a program, which fills
   its caches, is no guide.  */
#define GOMP_FOLD_FIRST_BATCH_NS 2000000

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_RANGES_H */
