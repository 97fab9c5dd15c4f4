/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The folded teams of a pool.  */

#ifndef GOMP_AMP_FOLD_TEAM_H
#define GOMP_AMP_FOLD_TEAM_H 1

#include <stdbool.h>

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

/* Have FOLD's next or present region run by TEAM instead of OLD; either may be
   NULL.  The ids of OLD leave it, those that are parked at once.  Called by the
   thread that starts regions, or by the last one at a barrier.  */
extern void gomp_fold_change_team (struct gomp_fold_pool *fold,
				   struct gomp_fold_team *old,
				   struct gomp_fold_team *team);

/* Wait until all threads of FOLD's pool that are to end have left its teams:
   new threads with their numbers must not meet them, they must not take ids of
   a called region, and they read FOLD.  */
extern void gomp_fold_await_ends (struct gomp_fold_pool *fold);

/* Let all ids of TEAM run, each for itself.  */
extern void gomp_fold_disband_team (struct gomp_fold_team *team);

/* A team of FOLD's for IDS ids that no thread is in, whose worker w has the ids
   from FIRST[w] on; if FIRST is NULL as many as its capacity says.  ALLOWED are
   the workers that may run.  NULL if memory is short.  */
extern struct gomp_fold_team *
gomp_fold_get_team (struct gomp_fold_pool *fold, unsigned ids,
		    const unsigned *first,
		    const struct gomp_fold_allowed *allowed);

/* The same for the workers that may run now, with the ranges that are the best.
   NULL also if no worker may.  */
extern struct gomp_fold_team *
gomp_fold_first_team (struct gomp_fold_pool *fold, unsigned ids);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_TEAM_H */
