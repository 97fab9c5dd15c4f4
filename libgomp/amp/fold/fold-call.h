/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Called regions: the threads of a folded team stay where they wait for the
   next region, at the pool's dock, and one thread of each worker calls the
   region's function once for each id that it takes (fold-take.h).

   The terms:

     called     of a region: run like that. Of an id: run by such a call.
     to ring    to have a thread of a worker come to a called region.
     to answer  to come.
     late       of a region: one of its ids was found to wait for others, so
		that every id that has not begun gets a thread: a *late thread*,
		one that is at the dock.
     helper     a thread that has no id to run and runs tasks of the region.

   The team is upstream's, with as many threads as there are ids.  What counts
   threads counts ids.  At its end a worker counts in all the ids that it ran.
   The dock counts nothing, since no thread leaves it.

   The rules, and their reasons:

   1. What a region is, is read after an id of it was taken, or as a helper.
      The region cannot end before that id is counted in and no helper is left.
   2. One thread at a time takes ids of a worker's share: the one that has set
      its BUSY.
   3. Nothing depends on an answer.  Ids of a worker whose thread does not come
      are taken by others.
   4. A called region waits until all threads are at the dock, before it begins:
      they may still look at the last team, which a region of another size
      frees.  It also waits for those that such a region lets go: one that has
      not seen that yet would take late ids, and is of no team.  */

#ifndef GOMP_AMP_FOLD_CALL_H
#define GOMP_AMP_FOLD_CALL_H 1

#include <stdbool.h>
#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

struct gomp_team;
struct gomp_thread;

/* The calling thread has come to the barrier at the end of a region.  If that
   is called, and the thread is its id 0, run other ids, count in at the
   barrier, and store in *STATE what gomp_barrier_wait_final_start would have
   returned, and in *LEAVE whether the region has ended.  Returns whether it did
   so.  */
extern bool gomp_fold_ends_call (unsigned *state, bool *leave);

/* Whether the thread THR is of a team that runs a called region, and its number
   in other regions, whichever id it runs.  For placement.c.  */
extern bool gomp_fold_calls (const struct gomp_thread *thr);
extern unsigned gomp_fold_number (const struct gomp_thread *thr);

/* For fold*.c only, from here on.  */

/* What has been done in all called regions of a function.  */
struct gomp_fold_region;

/* What a pool keeps for its called regions.  */
struct gomp_fold_call;

/* Whether a region of FOLD was called.  For threads of its present region.  */
extern bool gomp_fold_has_called (const struct gomp_fold_pool *fold);

/* The region of FOLD, which was called, has ended.  */
extern void gomp_fold_end_call (struct gomp_fold_pool *fold);

/* ME, the calling thread, is at the dock, and the calls of its worker were
   rung for.  */
extern void gomp_fold_answer (struct gomp_fold_thread *me);

/* The record of the thread that runs ID of FOLD's called region; NULL if FOLD's
   region is not called.  */
extern const struct gomp_fold_thread *
gomp_fold_caller_of (const struct gomp_fold_pool *fold, unsigned id);

/* For fold-late.c: ME, the calling thread, which is THR, runs ID of CALL's
   region.  ME has stored its floating-point environment.  */
extern void gomp_fold_run_id (struct gomp_fold_call *call,
			      struct gomp_thread *thr,
			      struct gomp_fold_thread *me, unsigned id);

/* The same: the calling thread, whose last id was ID, counts in COUNT ids at
   the end of CALL's region, and ends that if it is the last one.  */
extern void gomp_fold_arrive (struct gomp_fold_call *call, unsigned id,
			      unsigned count);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_CALL_H */
