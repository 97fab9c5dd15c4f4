/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The moments in the life of pools, teams, regions and threads at which the
   hooks in upstream's files call the fork.  What stands behind a moment is
   called from here alone, so that one more feature needs no hook of its own.
   The process has its moments in process.h.

   A moment costs one test if all features are off, and nothing else.
   Waits are a moment too (gomp_amp_waits, and fold/fold-wait.h).  */

#ifndef GOMP_AMP_MOMENTS_H
#define GOMP_AMP_MOMENTS_H 1

#include "base/events.h"
#include "fold/fold-bind.h"
#include "fold/fold-move.h"
#include "fold/fold-setup.h"
#include "fold/fold-team.h"
#include "fold/fold.h"
#include "loops/loop-kind.h"
#include "ompt/ompt.h"
#include "options/options.h"
#include "up/up.h"
#include "loops/team-classes.h"
#include "tasks/task-fifo.h"

#pragma GCC visibility push(hidden)

/* The N work shares from WS on are new memory, or are about to be freed.  */
extern void gomp_amp_init_work_shares (struct gomp_work_share *ws, unsigned n);
extern void gomp_amp_free_work_shares (struct gomp_work_share *ws, unsigned n);

/* WS, the last chunk of work shares that TEAM, which ends, has allocated and
   not freed, is about to be freed.  */
static inline void
gomp_amp_free_chunk (struct gomp_team *team, struct gomp_work_share *ws)
{
  gomp_amp_free_work_shares (ws, team->work_share_chunk);
  /* Each chunk is twice as long as the one before.  The next region begins with
     the length of the first one again.  */
  team->work_share_chunk /= 2;
}

/* POOL is new.  */
static inline void
gomp_amp_pool_begins (struct gomp_thread_pool *pool)
{
  pool->amp_fold = NULL;
}

/* POOL, which has no more threads, is about to be freed.  */
static inline void
gomp_amp_pool_ends (struct gomp_thread_pool *pool)
{
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_free_pool (pool);
}

/* TEAM is new.  */
static inline void
gomp_amp_team_made (struct gomp_team *team)
{
  gomp_amp_init_work_shares (team->work_shares, 8);
  for (unsigned c = 0; c < GOMP_AMP_TEAM_CLASSES; c++)
    team->amp_members[c] = 0;
}

/* TEAM, which is new or reused, is about to start.  */
static inline void
gomp_amp_team_begins (struct gomp_team *team)
{
  gomp_amp_init_team (team);
  gomp_amp_init_tasks (team);
  team->amp_ompt = NULL;
}

/* The calling thread has become id 0 of TEAM, which is to run FN.  */
static inline void
gomp_amp_region_begins (struct gomp_team *team, void (*fn) (void *))
{
  if (gomp_ompt_p ())
    {
      gomp_ompt_region_begins (team, fn);
      if (team->nthreads == 1)
	gomp_ompt_first_begins (team);
    }
}

/* The calling thread has become id 0 of TEAM, which has several threads.  */
static inline void
gomp_amp_team_forks (struct gomp_team *team)
{
  if (__builtin_expect (!gomp_amp_moments_on, 1))
    return;
  if (gomp_up_on)
    gomp_up_region_begins (team);
  /* What came before was not the id's work.  */
  if (gomp_ompt_on)
    gomp_ompt_first_begins (team);
}

/* The calling thread is about to release the threads of POOL into an outermost
   team of NTHREADS, which runs FN.  */
static inline void
gomp_amp_team_starts (struct gomp_thread_pool *pool, unsigned nthreads,
		      void (*fn) (void *))
{
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_start_team (pool, nthreads, fn);
}

/* Of the threads of TEAM, which the calling thread starts, only THREADS can be
   had.  Returns whether that is enough.  */
static inline bool
gomp_amp_does_with (struct gomp_team *team, unsigned threads)
{
  return gomp_fold_on && gomp_fold_shrink_team (team, threads);
}

/* What omp_get_num_procs returns in the calling thread, where upstream's would
   return PROCS.  */
static inline int
gomp_amp_num_procs (int procs)
{
  return (__builtin_expect (gomp_fold_on, 0)
	  ? (int) gomp_fold_num_procs (procs) : procs);
}

/* The calling thread was made for an inner team.  */
static inline void
gomp_amp_inner_thread_begins (void)
{
  if (__builtin_expect (!gomp_amp_moments_on, 1))
    return;
  if (gomp_fold_on)
    gomp_fold_unbind ();
  if (gomp_ompt_on)
    gomp_ompt_id_begins (gomp_thread ()->ts.team, gomp_thread ()->ts.team_id,
			 __builtin_dwarf_cfa ());
}

/* The calling thread, which was made for an inner team, or has started regions
   or tasks of its own, ends.  */
static inline void
gomp_amp_other_thread_ends (void)
{
  if (gomp_ompt_p ())
    gomp_ompt_thread_ends ();
}

/* The calling thread has run a target construct on the host, with a state of
   its own, THR, that ends.  The thread does not.  */
static inline void
gomp_amp_target_ends (struct gomp_thread *thr)
{
  if (gomp_ompt_p ())
    gomp_ompt_target_ends (thr);
  else
    gomp_free_thread (thr);
}

/* THR, the calling thread, which its pool has held, ends.  */
static inline void
gomp_amp_thread_ends (struct gomp_thread *thr)
{
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_end_thread (thr);
  gomp_amp_other_thread_ends ();
}

/* THR, the calling thread, which its pool has held, is about to run its part of
   a region on DATA.  If that is its pool it is about to end instead, by one of
   the two functions with which upstream has the threads of a pool end.  */
static inline void
gomp_amp_thread_enters (struct gomp_thread *thr, const void *data)
{
  if (__builtin_expect (!gomp_amp_moments_on, 1))
    return;
  if (data == thr->thread_pool)
    {
      if (gomp_fold_on)
	gomp_fold_end_thread (thr);
      gomp_amp_other_thread_ends ();
      return;
    }
  if (gomp_fold_on)
    gomp_fold_begin_region ();
  if (gomp_ompt_on)
    gomp_ompt_id_begins (thr->ts.team, thr->ts.team_id, __builtin_dwarf_cfa ());
}

/* All threads of a team have come to a barrier.  The calling thread is the last
   one, and is about to release the others.  */
static inline void
gomp_amp_all_met (void)
{
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_all_met ();
}

/* The calling thread has come to BAR, the barrier at the end of a region: count
   it in, and store the barrier's state in *STATE.  Returns whether the thread
   need not wait there unless it is the last one.  */
static inline bool
gomp_amp_region_nears_end (gomp_barrier_t *bar, gomp_barrier_state_t *state)
{
  bool leave = false;

  if (__builtin_expect (gomp_amp_moments_on, 0))
    {
      if (gomp_ompt_on)
	gomp_ompt_id_arrives ();
      if (gomp_fold_on)
	leave = gomp_fold_leaves_early ();
      if (gomp_ompt_on)
	gomp_ompt_id_waits ();
    }
  *state = gomp_barrier_wait_final_start (bar);
  return leave;
}

/* The calling thread has left that barrier, or need not wait there.  */
static inline void
gomp_amp_id_ends (void)
{
  if (gomp_ompt_p ())
    gomp_ompt_id_ends ();
}

/* The region of TEAM, of which the calling thread was id 0, has ended.  */
static inline void
gomp_amp_region_ends (struct gomp_team *team)
{
  if (__builtin_expect (!gomp_amp_moments_on, 1))
    return;
  if (gomp_up_on)
    gomp_up_region_ends (team);
  if (gomp_ompt_on)
    gomp_ompt_region_ran (team);
  if (gomp_fold_on)
    gomp_fold_end_team (team);
  if (gomp_ompt_on)
    gomp_ompt_region_ends (team);
}

/* In an oversubscribed process the calling thread waits as long as *ADDR is
   VAL.  Returns 0 if *ADDR has to be looked at, 1 if it has not changed, and -1
   if the thread is to look *COUNT times, and then to wait in the kernel.  */
static inline int
gomp_amp_waits (int *addr, int val, enum gomp_fold_way way,
		unsigned long long *count)
{
  if (__builtin_expect (!gomp_amp_moments_on, 1))
    return -1;
  return gomp_fold_on ? gomp_fold_wait_for (addr, val, way, count) : -1;
}

/* The calling thread tested a lock that another one holds.  */
static inline void
gomp_amp_test_failed (void)
{
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_lock_failed ();
}

/* The calling thread is at a taskyield.  */
static inline void
gomp_amp_task_yields (void)
{
  if (gomp_amp_fifo_p () && gomp_thread ()->ts.team != NULL)
    gomp_amp_run_one_task (gomp_thread ()->ts.team);
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_let_others_run ();
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_MOMENTS_H */
