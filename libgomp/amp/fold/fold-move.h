/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Moves ids of a folded team from worker to worker, by measured times, where
   all of its threads have met.

   A batch is some barriers long.  Each id has a stopwatch, which runs while its
   thread does.  At the end of a batch the last thread at the barrier asks
   fold-learn.c for ranges, before the others may go on, and deals the ids by
   better ones.  One set of ranges is for all regions of a program and all
   barriers of a region.  */

#ifndef GOMP_AMP_FOLD_MOVE_H
#define GOMP_AMP_FOLD_MOVE_H 1

#pragma GCC visibility push(hidden)

struct gomp_fold_allowed;
struct gomp_fold_pool;

/* All threads of a team have come to a barrier.  The calling thread is the last
   one, and is about to release the others: move ids from worker to worker if
   that is better, in a folded team.  */
extern void gomp_fold_all_met (void);

/* The times that were measured of FOLD's present team do not belong to the ones
   to come.  */
extern void gomp_fold_end_batch (struct gomp_fold_pool *fold);

/* The ranges that are the best for teams of FOLD of IDS ids on those of WORKERS
   workers that are ALLOWED, as gomp_fold_cut's; NULL if nothing is known of
   such teams.  */
extern const unsigned *
gomp_fold_known_ranges (const struct gomp_fold_pool *fold, unsigned ids,
			unsigned workers,
			const struct gomp_fold_allowed *allowed);

/* The speeds of FOLD's WORKERS workers, as measured or as given, in any unit;
   GOMP_FOLD_NO_SPEED for one that is not ALLOWED.  The caller frees them.  NULL
   if memory is short.  */
extern double *
gomp_fold_known_speeds (const struct gomp_fold_pool *fold, unsigned workers,
			const struct gomp_fold_allowed *allowed);

/* Called by the last thread at a barrier where a batch begins, and at another
   one where it ends; NULL if nothing wants that.  In the batch id ran for
   TIME[id] ticks of TICK_NS, without waits, on the worker w < WORKERS of the
   speed 1 / SLOW[w] for which FIRST[w] <= id < FIRST[w+1].  Set once, at
   start-up.  */
extern void (*gomp_fold_batch_begins) (void);
extern void (*gomp_fold_batch_ends) (unsigned workers, const double *slow,
				     const unsigned *first,
				     const double *time, unsigned tick_ns);

/* FOLD is about to be freed.  */
extern void gomp_fold_free_moves (struct gomp_fold_pool *fold);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_MOVE_H */
