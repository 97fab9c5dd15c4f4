/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Late called regions: one of the ids was found to wait for others, so every id
   that has not begun gets a thread.  fold-call.h explains the terms.

   The rules, and their reasons:

   1. A region becomes late in this order: LATE is set, ids are moved from the
      shares to LATE_IDS, threads at the dock are woken.  A thread at the dock
      looks at LATE before it sleeps.  One that looked before LATE was set and
      slept after the others were woken is found when the next id waits, or by
      the watching thread, or holds its worker's turn and finds the ring.
   2. There are enough threads for late ids: as many as ids at least, of which
      each that is not at the dock has an id that has begun.  */

#ifndef GOMP_AMP_FOLD_LATE_H
#define GOMP_AMP_FOLD_LATE_H 1

#include <stdbool.h>
#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

struct gomp_team;

/* A called id has put a task into a queue.  */
extern void gomp_fold_task_ready (struct gomp_team *team);

/* For fold*.c only, from here on.  */

/* ME, the calling thread, is at the dock, and the region of its pool is called
   and late: run ids, or tasks.  */
extern void gomp_fold_answer_late (struct gomp_fold_thread *me);

/* Whether the region of FOLD is called and late.  Sequentially consistent with
   the states of fold-turn.h: see rule 1.  */
extern bool gomp_fold_late_p (const struct gomp_fold_pool *fold);

/* The calling thread runs a called id of CALL's region, or is of an inner team
   of one.  It is about to wait as long as *ADDR is something, or if ADDR is
   NULL for any other thread.  */
extern void gomp_fold_called_waits (struct gomp_fold_call *call,
				    const int *addr);

/* FOLD's region, which is called and run by TEAM, becomes late.  */
extern void gomp_fold_make_late (struct gomp_fold_pool *fold,
				 struct gomp_fold_team *team);

/* For fold-call.c and fold-rescue.c only, from here on.  */

/* How many ids of CALL's region have not begun.  */
extern unsigned gomp_fold_ids_left (const struct gomp_fold_call *call);

/* Have the threads of TEAM that are at the dock come.  HOME: the worker of
   id 0.  */
extern void gomp_fold_wake_all (struct gomp_fold_team *team, unsigned home);

/* Take a late id of CALL's region, of worker W's if there is one.
   GOMP_FOLD_NO_ID if there is none.  */
extern unsigned gomp_fold_take_late (struct gomp_fold_call *call, unsigned w);

/* Take the number of an id of CALL's region whose thread has left it.
   GOMP_FOLD_NO_ID if there is none.  */
extern unsigned gomp_fold_take_free_id (struct gomp_fold_call *call);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_LATE_H */
