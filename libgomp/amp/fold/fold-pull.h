/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Workers of a folded team that have nothing left to run take ids from others,
   until the next barrier.  For fold*.c only.

   Who takes an id binds its thread to its own CPU: one that has not begun in
   this phase is woken there, beside the turn of its worker, and one that runs
   is moved by the kernel.  The id stays its worker's, and the last thread at
   the barrier binds its thread back.  BOUND in its record is what decides: who
   changes it from a worker to GOMP_FOLD_PULLED binds the thread, then stores
   the new worker, and others leave it alone until then.  So BOUND and the
   thread's mask agree whenever it is a worker.  Acquire and release: who finds
   a worker there sees what the last one to bind the thread wrote.

   Whom to help is guessed by how long each worker ran in the last batch, see
   fold-help.h.  A wrong guess costs the time of two migrations.  */

#ifndef GOMP_AMP_FOLD_PULL_H
#define GOMP_AMP_FOLD_PULL_H 1

#include "fold/fold-help.h"
#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

#define GOMP_FOLD_FASTEST 1024

/* Store in HOW how ids may be taken, in ticks, if one is in each of so many
   PHASES.  Returns whether they may be.  */
extern bool gomp_fold_helps (unsigned phases, struct gomp_fold_helps *how);

/* A phase of TEAM begins: that of a region, or after a barrier.  Called by the
   thread that starts the region, or the last one at the barrier, whose pool
   FOLD is.  */
extern void gomp_fold_begin_phase (struct gomp_fold_pool *fold,
				   struct gomp_fold_team *team);

/* Bind THREAD, of the calling thread's pool, which is bound to the CPU of
   worker FROM, or is not if that is -1, to that of TO, for PHASE.  Returns
   false if it is bound elsewhere, by the program or by another thread.  */
extern bool gomp_fold_rebind (struct gomp_fold_thread *thread, int from,
			      int to, unsigned phase);

/* Whether the thread of ME was taken to another CPU than its worker's, for
   whatever phase.  */

static inline bool
gomp_fold_away_p (const struct gomp_fold_thread *me)
{
  /* Relaxed: a guess.  */
  int bound = __atomic_load_n (&me->bound, __ATOMIC_RELAXED);

  return bound >= 0 && bound != me->own && me->team != NULL;
}

/* The same as gomp_fold_end_phase for the last thread at a barrier, ME, whose
   watch runs (fold.c).  */
extern void gomp_fold_end_last (struct gomp_fold_thread *me);

/* ME, the calling thread, has come to the end of a phase, and its watch has
   stopped: correct that by how fast the CPU is that it was taken to.  Returns
   the worker of that CPU, or -1.  */
extern int gomp_fold_end_phase (struct gomp_fold_thread *me);

/* Worker HELPER of the team of ME, the calling thread, has nothing left to run
   before the next barrier: let it take an id from another one.  Returns whether
   it did.  */
extern bool gomp_fold_help (const struct gomp_fold_thread *me, unsigned helper);

/* All threads of TEAM are at a barrier, of which the calling one is the last:
   those that were taken to another CPU go back before it opens, since those of
   that CPU are going to use it.  */
extern void gomp_fold_send_home (struct gomp_fold_team *team);

/* ME, the calling thread, which is away, has waited: if it was taken for an
   earlier phase, too late for gomp_fold_send_home, it goes back.  */
extern void gomp_fold_go_home (struct gomp_fold_thread *me);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_PULL_H */
