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
      frees.
   5. A region becomes late in this order: LATE is set, ids are moved from the
      shares to LATE_IDS, threads at the dock are woken.  A thread at the dock
      looks at LATE before it sleeps.  One that looked before LATE was set and
      slept after the others were woken is found when the next id waits, or by
      the watching thread, or holds its worker's turn and finds the ring.
   6. There are enough threads for late ids: as many as ids at least, of which
      each that is not at the dock has an id that has begun.  */

#ifndef GOMP_AMP_FOLD_CALL_H
#define GOMP_AMP_FOLD_CALL_H 1

#include <stdbool.h>
#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

struct gomp_taskgroup;
struct gomp_team;

/* The calling thread has just become id 0 of TEAM, which is to run FN on DATA,
   with TASKGROUP, which may be NULL.  Returns whether that region is called:
   then its other threads need not be started.  */
extern bool gomp_fold_start_call (struct gomp_team *team,
				  gomp_fold_region_fn fn, void *data,
				  struct gomp_taskgroup *taskgroup);

/* The calling thread has come to the barrier at the end of a region.  If that
   is called, and the thread is its id 0, run other ids, count in at the
   barrier, and store in *STATE what gomp_barrier_wait_final_start would have
   returned, and in *LEAVE whether the region has ended.  Returns whether it did
   so.  */
extern bool gomp_fold_ends_call (unsigned *state, bool *leave);

/* A called id has put a task into a queue.  */
extern void gomp_fold_task_ready (struct gomp_team *team);

/* Whether the thread THR is of a team that runs a called region, and its number
   in other regions, whichever id it runs.  For placement.c.  */
extern bool gomp_fold_calls (const struct gomp_thread *thr);
extern unsigned gomp_fold_number (const struct gomp_thread *thr);

/* For fold*.c only, from here on.  */

/* What has been done in all called regions of a function.  */
struct gomp_fold_region;

/* What a pool keeps for its called regions.  */
struct gomp_fold_call;

/* The region of FOLD, which was called, has ended.  */
extern void gomp_fold_end_call (struct gomp_fold_pool *fold);

/* FOLD is about to be freed.  */
extern void gomp_fold_free_call (struct gomp_fold_pool *fold);

/* ME, the calling thread, is at the dock, and the calls of its worker were
   rung for.  */
extern void gomp_fold_answer (struct gomp_fold_thread *me);

/* The same if the region is late: run ids, or tasks.  */
extern void gomp_fold_answer_late (struct gomp_fold_thread *me);

/* Whether the region of FOLD is called and late.  Sequentially consistent with
   the states of fold-turn.h: see rule 5.  */
extern bool gomp_fold_late_p (const struct gomp_fold_pool *fold);

/* ME, the calling thread, runs a called id and is about to wait as long as
   *ADDR is something, or if ADDR is NULL for any other id.  */
extern void gomp_fold_called_waits (struct gomp_fold_thread *me,
				    const int *addr);

/* The record of the thread that runs ID of FOLD's called region; NULL if FOLD's
   region is not called.  */
extern const struct gomp_fold_thread *
gomp_fold_caller_of (const struct gomp_fold_pool *fold, unsigned id);

/* FOLD's region, which is called and run by TEAM, becomes late.  */
extern void gomp_fold_make_late (struct gomp_fold_pool *fold,
				 struct gomp_fold_team *team);

/* The watching thread looks at FOLD's region, which is run by TEAM.  Returns
   whether it is called and not late, so that there are no turns to watch.  */
extern bool gomp_fold_look_at_call (struct gomp_fold_pool *fold,
				    struct gomp_fold_team *team);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_CALL_H */
