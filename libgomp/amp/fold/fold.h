/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Folded teams: more thread numbers than cores.  Here are the threads of such
   teams, and how they wait.

   The terms of fold*:

     id         a thread number of a folded team, with its thread.
     worker     a core's place in a folded team, to which ids are dealt.
     home       the worker of id 0.
     carrier    the kernel thread that runs the ids of a worker, one at a time.
     to put down, to pick up
		to save the context of an id that waits, and to go on with
		another one (fold-carry.h).
     parked     a kernel thread whose id is carried by another one.
     loose      a kernel thread that runs an id beside its worker's carrier.
     to relieve to give a worker another carrier, since its present one does not
		come back.
     early      an id that goes on by that is picked up early.
     to unfold  to run each id of a region on a kernel thread of its own, which
		then stays so (fold-region.h).
     to move    to deal an id to another worker, at a barrier (fold-move.h).
     batch      the barriers over which the times of ids are measured.
     the watching thread
		looks every 20 ms for carriers that do not come back
		(fold-watch.h).
     held, to rescue, lost
		what it learns of the ids of those (fold-lost.h).  */

#ifndef GOMP_AMP_FOLD_H
#define GOMP_AMP_FOLD_H 1

#include <stdbool.h>
#include "fold/fold-carry.h"

#pragma GCC visibility push(hidden)

struct gomp_fold_pool;
struct gomp_fold_thread;
struct gomp_thread;

/* The calling thread is about to run its part of a region.  */
extern void gomp_fold_begin_region (void);

/* The calling thread is about to count in at the barrier at the end of a
   region.  Returns whether it need not wait there if it is not the last one,
   but can go and wait for the next region: another thread of its worker waits
   in its place, and none of its own tasks is left.  So each thread of a worker
   is picked up once a region, and not once more to go from one place to the
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

/* The worker that THR, the calling thread, is an id of; -1 if it is none.  */
extern int gomp_fold_worker_of (const struct gomp_thread *thr);

/* The calling thread waits as long as *ADDR is VAL: do_spin's part of it, or
   with GOMP_FOLD_SLEEP all of it.  Returns 0 if *ADDR has to be looked at, 1
   if it has not changed, and -1 if the thread is not of a folded team; then
   *SPINS, unless SPINS is NULL, is how often to look.  */
extern int gomp_fold_wait_for (int *addr, int val, enum gomp_fold_way way,
			       unsigned long long *spins);

/* The calling thread spins on memory: let another id run.  */
extern void gomp_fold_let_others_run (void);

/* The calling thread tested a lock that another one holds.  */
extern void gomp_fold_lock_failed (void);

/* For fold*.c only, from here on.  */

/* The region of the calling thread, which is id 0, has ended: its stopwatch
   stops, and it is on its own kernel thread from now on.  */
extern void gomp_fold_end_first (void);

/* What the calling thread keeps if it is an id of FOLD's present team, or was
   one of any; else NULL.  */
extern struct gomp_fold_thread *gomp_fold_current (void);

/* The record of FOLD's present thread NUMBER, or NULL.  */
extern struct gomp_fold_thread *
gomp_fold_find_thread (const struct gomp_fold_pool *fold, unsigned number);

#pragma GCC visibility pop

/* Exported for libamp-yield.so: let another id of the calling thread's worker
   run.  Returns whether one did.  */
extern int gomp_amp_yield (void);

#endif /* GOMP_AMP_FOLD_H */
