/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which worker owns which ids of a folded team: contiguous ranges by the speeds
   of the workers.  Pure arithmetic.  */

#ifndef GOMP_AMP_FOLD_RANGES_H
#define GOMP_AMP_FOLD_RANGES_H 1

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

/* The smallest number of ids, from WORKERS to GOMP_FOLD_MOST times as many,
   with which gomp_fold_cut loses no more than 4 % to whole numbers; if there is
   none, that which loses least.  0 if no number is better than one id for each
   worker.  COUNT has room for WORKERS numbers, and is overwritten.  */
extern unsigned gomp_fold_auto (unsigned workers, const unsigned *speed,
				unsigned *count);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_RANGES_H */
