/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Folded teams: more thread numbers than cores.  Here are the threads of such
   teams, and how they wait.

   The terms of fold*:

     id         a thread number of a folded team, with its thread.
     worker     a core's place in a folded team; it owns a range of ids.
     home       the worker that owns id 0.
     turn       the right to run on a worker's core.  One id of a worker holds
		it at a time, and hands it over where libgomp would wait.
     beside     an id that runs without the turn runs beside it.
     to park    to sleep until another thread gives the id the turn.
     early      an id that is woken without the turn, because the id that holds
		it does not go on, is woken early.
     to disband to end the turns of a worker or team: all ids run from then on.
     to unfold  to disband the team of a region, which then stays unfolded
		(fold-region.h).
     to move    to give an id to another worker, at a barrier (fold-move.h).
     batch      the barriers over which the times of ids are measured.
     the watching thread
		looks every 20 ms for turns that do not change hands
		(fold-watch.h).  */

#ifndef GOMP_AMP_FOLD_H
#define GOMP_AMP_FOLD_H 1

#include <stdbool.h>
#include "fold/fold-turn.h"

#pragma GCC visibility push(hidden)

struct gomp_fold_thread;
struct gomp_thread;

/* The calling thread is about to run its part of a region: if that is folded,
   wait for the turn.  A thread that is new, or was in a team of another size,
   does not hold it.  */
extern void gomp_fold_begin_region (void);

/* The calling thread has run its part of a region: if that left it with other
   controls of floating-point operations, the region is not called from now on.
   Not for called regions.  */
extern void gomp_fold_end_part (void);

/* The calling thread is about to count in at the barrier at the end of a
   region.  Returns whether it need not wait there if it is not the last one,
   but can go and wait for the next region: another thread of its worker waits
   in its place, and none of its own tasks is left.  So each thread of a worker
   has one turn in a region, and not a second one to go from one place to the
   other.  Only where the region ran before, and no region had tasks: a program
   may count on as many tasks as threads to run at a time, though OpenMP does
   not promise that.  */
extern bool gomp_fold_leaves_early (void);

/* THR, the calling thread, which POOL has held, ends.  */
extern void gomp_fold_end_thread (struct gomp_thread *thr);

/* The calling thread begins as a thread of an inner team.  If the thread that
   made it is bound to a worker's CPU, it may run where the initial thread of
   the pool may.  */
extern void gomp_fold_unbind (void);

/* The calling thread is the only one of a forked child: it may run everywhere
   if it was bound to a worker's CPU.  */
extern void gomp_fold_begin_child (void);

/* The number of workers of the team that the calling thread is in, and in
   *WORKER which of them runs the thread; 0 if the team is not folded.  */
extern unsigned gomp_fold_find_worker (unsigned *worker);

/* The worker on whose core THR, the calling thread, takes turns or calls ids;
   -1 if it does neither.  */
extern int gomp_fold_worker_of (const struct gomp_thread *thr);

/* The calling thread waits as long as *ADDR is VAL: do_spin's part of it, or
   with GOMP_FOLD_SLEEP all of it.  Returns 0 if *ADDR has to be looked at, 1
   if it has not changed, and -1 if the thread is not of a folded team; then
   *SPINS, unless SPINS is NULL, is how often to look.  */
extern int gomp_fold_wait_for (int *addr, int val, enum gomp_fold_way way,
			       unsigned long long *spins);

/* The calling thread spins on memory: let another id run.  */
extern void gomp_fold_let_others_run (void);

/* The same for what another thread of the pool is about to do.  *TRIES, at
   first 0, counts that.  Now and then the calling thread sleeps: the other one
   may be of its CPU, and of a lower priority.  */
extern void gomp_fold_await_other (unsigned *tries);

/* The calling thread tested a lock that another one holds.  */
extern void gomp_fold_lock_failed (void);

/* For fold*.c only, from here on.  */

/* The region of the calling thread, which is id 0, has ended: its stopwatch
   stops.  */
extern void gomp_fold_stop_first (void);

/* The calling thread is id 0 and about to call ids on its worker's core: wait
   for the turn.  */
extern void gomp_fold_begin_call (void);

/* What the calling thread keeps if its present team is folded, which it joins
   then if it has not, or else NULL.  */
extern struct gomp_fold_thread *gomp_fold_current (void);

#pragma GCC visibility pop

/* Exported for libamp-yield.so: let another id of the calling thread's worker
   run.  Returns whether one did.  */
extern int gomp_amp_yield (void);

#endif /* GOMP_AMP_FOLD_H */
