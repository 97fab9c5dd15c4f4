/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The folded teams of a pool.  */

#ifndef GOMP_AMP_FOLD_TEAM_H
#define GOMP_AMP_FOLD_TEAM_H 1

#include <stdbool.h>
#include "fold/fold-carry.h"

#pragma GCC visibility push(hidden)

struct gomp_fold_allowed;
struct gomp_fold_pool;
struct gomp_fold_team;
struct gomp_team;
struct gomp_thread_pool;

/* The calling thread is about to release the threads of POOL into a team of
   NTHREADS, which runs FN: cut them into ranges, and bind the calling thread,
   which is id 0.  */
extern void gomp_fold_start_team (struct gomp_thread_pool *pool,
				  unsigned nthreads, void (*fn) (void *));

/* The calling thread, which is id 0 of TEAM, could make no more threads than
   THREADS of it.  If the library has chosen how many there are, have TEAM and
   later ones do with as many.  Returns whether it did.  */
extern bool gomp_fold_shrink_team (struct gomp_team *team, unsigned threads);

/* The region of TEAM, of which the calling thread was id 0, has ended.  Called
   for every team, outermost or not.  */
extern void gomp_fold_end_team (const struct gomp_team *team);

/* POOL, which has no more threads, is about to be freed.  */
extern void gomp_fold_free_pool (struct gomp_thread_pool *pool);

/* For fold*.c only, from here on.  */

/* Deal the ids of FOLD's present team, TEAM, in the ranges FIRST to the workers
   of ALLOWED.  Called by the thread that starts regions, or by the last one at
   a barrier.  */
extern void gomp_fold_deal_team (struct gomp_fold_pool *fold,
				 struct gomp_fold_team *team,
				 const unsigned *first,
				 const struct gomp_fold_allowed *allowed);

/* The ids of FOLD run by MODE from now on.  Called by any thread.  */
extern void gomp_fold_set_mode (struct gomp_fold_pool *fold,
				enum gomp_fold_mode mode);

/* FOLD's team is TEAM, and other workers may run than when it was dealt: deal
   it again.  */
extern void gomp_fold_deal_anew (struct gomp_fold_pool *fold,
				 struct gomp_fold_team *team);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_TEAM_H */
