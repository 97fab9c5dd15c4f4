/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The folded teams of a pool: which ids each worker has, from the start of a
   region to the end of the pool.  */

#include "libgomp.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-count.h"
#include "fold/fold-follow.h"
#include "fold/fold-kernel.h"
#include "fold/fold-move.h"
#include "fold/fold-pool.h"
#include "fold/fold-ranges.h"
#include "fold/fold-setup.h"
#include "fold/fold-stack.h"
#include "fold/fold-start.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "base/fork-lock.h"
#include "base/message.h"

static void
free_team (struct gomp_fold_team *team)
{
  free (team->worker);
  free (team->slot);
  free (team->first);
  free (team);
}

/* How many workers a team of IDS ids has.  */

static inline unsigned
workers_for (unsigned ids)
{
  return ids < gomp_fold_workers.count ? ids : gomp_fold_workers.count;
}

/* A way to run IDS ids, with no thread in it yet.  NULL if memory is short.  */

static struct gomp_fold_team *
make_team (unsigned ids)
{
  unsigned n = workers_for (ids);
  struct gomp_fold_team *team = calloc (1, sizeof *team);
  size_t size = n * sizeof (struct gomp_fold_worker);

  if (team == NULL)
    return NULL;
  team->ids = ids;
  team->workers = n;
  team->first = malloc ((n + 1) * sizeof (unsigned));
  team->slot = calloc (ids, sizeof (struct gomp_fold_id *));
  if (team->first == NULL || team->slot == NULL
      || posix_memalign ((void **) &team->worker,
			 __alignof__ (struct gomp_fold_worker), size) != 0)
    {
      free_team (team);
      return NULL;
    }
  memset (team->worker, 0, size);
  return team;
}

/* No thread is in TEAM any more, or yet.  Give it the ranges FIRST for the
   workers of ALLOWED, or if FIRST is NULL those by capacity.  */

static void
reset_team (struct gomp_fold_team *team, const unsigned *first,
	    const struct gomp_fold_allowed *allowed)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_COUNTS);
  gomp_fold_count_team (team);
  if (first != NULL)
    memcpy (team->first, first, (team->workers + 1) * sizeof *first);
  else
    gomp_fold_cut (team->ids, team->workers, allowed->speed, team->first);
  team->count = gomp_fold_count_for (team->ids, team->workers, team->first,
				     gomp_fold_workers.cpu);
  memset (team->worker, 0, team->workers * sizeof *team->worker);
  team->allowed = allowed;
  team->state = 0;
  team->takes_turns = false;
  for (team->home = 0; team->first[team->home + 1] == 0; team->home++)
    continue;
  for (unsigned w = 0; w < team->workers; w++)
    {
      struct gomp_fold_worker *worker = &team->worker[w];

      worker->slots = team->first[w + 1] - team->first[w];
      worker->id = team->slot + team->first[w];
      /* A single id waits as upstream does.  */
      if (worker->slots < 2)
	worker->word = GOMP_FOLD_DISBANDED;
      else
	team->takes_turns = true;
    }
  gomp_amp_release (GOMP_AMP_LOCK_COUNTS);
}

struct gomp_fold_team *
gomp_fold_get_team (struct gomp_fold_pool *fold, unsigned ids,
		    const unsigned *first,
		    const struct gomp_fold_allowed *allowed)
{
  struct gomp_fold_team *team;

  /* Acquire what the last thread did in it.  Sequentially consistent after the
     store of FOLD's team, as in fold-watch.c's look_at_pool: either the
     watching thread is counted, or it sees that the team is not FOLD's.  */
  for (team = fold->teams; team != NULL; team = team->next)
    if (team->ids == ids
	&& __atomic_load_n (&team->members, __ATOMIC_SEQ_CST) == 0)
      break;
  if (team == NULL)
    {
      team = make_team (ids);
      if (team == NULL)
	return NULL;
      team->next = fold->teams;
      /* Release: gomp_fold_count_all reads it.  */
      __atomic_store_n (&fold->teams, team, __ATOMIC_RELEASE);
    }
  reset_team (team, first, allowed);
  return team;
}

struct gomp_fold_team *
gomp_fold_first_team (struct gomp_fold_pool *fold, unsigned ids)
{
  const struct gomp_fold_allowed *allowed = gomp_fold_allowed ();
  unsigned workers = workers_for (ids);

  if (!gomp_fold_any_allowed (allowed, workers))
    return NULL;
  return gomp_fold_get_team (fold, ids,
			     gomp_fold_known_ranges (fold, ids, workers,
						     allowed),
			     allowed);
}

void
gomp_fold_change_team (struct gomp_fold_pool *fold,
		       struct gomp_fold_team *old, struct gomp_fold_team *team)
{
  gomp_fold_end_batch (fold);
  gomp_fold_forget_joined (fold);
  /* A thread that sees the team sees its ranges.  Sequentially consistent, as
     in gomp_fold_get_team and gomp_fold_all_met.  */
  __atomic_store_n (&fold->team, team, __ATOMIC_SEQ_CST);
  for (unsigned w = 0; old != NULL && w < old->workers; w++)
    gomp_fold_disband (&old->worker[w]);
}

void
gomp_fold_disband_team (struct gomp_fold_team *team)
{
  /* Before the workers: the next region, which may have begun already, is not
     run by a team of which only some workers are disbanded.  Sequentially
     consistent, as in gomp_fold_all_met.  */
  __atomic_fetch_or (&team->state, GOMP_FOLD_TEAM_DISBANDED, __ATOMIC_SEQ_CST);
  for (unsigned w = 0; w < team->workers; w++)
    gomp_fold_disband (&team->worker[w]);
}

/* Where FOLD remembers whether the region FN has no tasks.  */

static inline gomp_fold_region_fn *
quiet_of (struct gomp_fold_pool *fold, gomp_fold_region_fn fn)
{
  /* Functions are aligned.  */
  return &fold->quiet[(uintptr_t) fn / 16 % GOMP_FOLD_QUIET];
}

/* What POOL keeps from now on, of which the calling thread starts the first
   team; NULL if memory is short.  */

static struct gomp_fold_pool * __attribute__ ((noinline))
begin_pool (struct gomp_thread_pool *pool)
{
  static bool reported;
  struct gomp_fold_pool *fold = calloc (1, sizeof *fold);

  if (fold == NULL)
    return NULL;
  gomp_fold_find_stack (fold);
  __atomic_store_n (&pool->amp_fold, fold, __ATOMIC_RELEASE);
  gomp_fold_watch (fold);
  /* The workers are on the CPUs of the process.  */
  if (!gomp_fold_has_process_mask ())
    {
      __atomic_store_n (&fold->off, true, __ATOMIC_RELAXED);
      if (!__atomic_exchange_n (&reported, true, __ATOMIC_RELAXED))
	gomp_error ("GOMP_AMP_FOLD: a thread that starts teams has another"
		    " affinity mask than the process had at its start; its"
		    " teams are not folded");
    }
  return fold;
}

void
gomp_fold_await_ends (struct gomp_fold_pool *fold)
{
  int ended;

  /* Acquire what they did.  */
  while ((ended = __atomic_load_n (&fold->ended, __ATOMIC_ACQUIRE))
	 < fold->leaving)
    gomp_fold_sleep (&fold->ended, ended);
}

void
gomp_fold_start_team (struct gomp_thread_pool *pool, unsigned nthreads,
		      void (*fn) (void *))
{
  struct gomp_fold_pool *fold = pool->amp_fold;
  struct gomp_fold_team *team, *old;
  bool folded;

  if (fold == NULL)
    {
      fold = begin_pool (pool);
      if (fold == NULL)
	return;
    }
  gomp_fold_await_ends (fold);
  /* The others are about to be released, and end.  */
  if (nthreads < fold->threads_used)
    fold->leaving += fold->threads_used - nthreads;
  fold->threads_used = nthreads;
  old = fold->team;
  folded = (gomp_fold_worth (nthreads) && !gomp_fold_unfolded_p (fn)
	    && !__atomic_load_n (&fold->off, __ATOMIC_RELAXED));
  __atomic_store_n (&fold->fn, fn, __ATOMIC_RELAXED);
  fold->turned_fn = fn;
  fold->turned_ids = nthreads;
  if (old == NULL ? folded
      : (!folded || old->ids != nthreads
	 || __atomic_load_n (&old->state, __ATOMIC_RELAXED) != 0))
    {
      __atomic_store_n (&fold->team, NULL, __ATOMIC_SEQ_CST);
      team = folded ? gomp_fold_first_team (fold, nthreads) : NULL;
      gomp_fold_change_team (fold, old, team);
    }
  if (fold->team == NULL)
    return;
  gomp_fold_note_running (fold, true);
  /* Relaxed: who watches may read it.  */
  __atomic_store_n (&fold->home, fold->team->home, __ATOMIC_RELAXED);
  fold->leave = !fold->had_tasks && *quiet_of (fold, fn) == fn;
  gomp_fold_start_first (fold);
  gomp_fold_begin_region ();
}

/* FOLD's region, which was started for more ids, has IDS, of which the calling
   thread is the first.  */

static void
restart (struct gomp_fold_pool *fold, unsigned ids)
{
  struct gomp_fold_team *old = fold->team;

  fold->threads_used = fold->turned_ids = ids;
  if (old == NULL)
    return;
  __atomic_store_n (&fold->team, NULL, __ATOMIC_SEQ_CST);
  gomp_fold_change_team (fold, old,
			 ids > 1 ? gomp_fold_first_team (fold, ids) : NULL);
  if (ids > 1)
    {
      gomp_fold_begin_region ();
      return;
    }
  /* It ends as one that was never a team.  */
  gomp_fold_current ();
  gomp_fold_note_running (fold, false);
  if (fold->bound)
    gomp_fold_unbind_first (fold);
}

bool
gomp_fold_shrink_team (struct gomp_team *team, unsigned threads)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread_pool *pool = thr->thread_pool;
  struct gomp_task_icv *icv = (thr->task->parent != NULL
			       ? &thr->task->parent->icv : &gomp_global_icv);

  /* A reduction over tasks has counted the threads.  */
  if (thr->ts.level != 1 || pool->amp_fold == NULL
      || thr->task->taskgroup != NULL
      || team->nthreads != gomp_fold_workers.ids
      || icv->nthreads_var != gomp_fold_workers.ids)
    return false;
  gomp_error ("GOMP_AMP_FOLD: only %u of %u threads could be started; teams"
	      " have %u", threads, team->nthreads, threads);
  __atomic_fetch_sub (&gomp_managed_threads, team->nthreads - threads,
		      __ATOMIC_RELAXED);
  gomp_fold_workers.ids = threads;
  icv->nthreads_var = gomp_global_icv.nthreads_var = threads;
  /* No thread is at the barrier.  Some may be at the dock.  */
  team->nthreads = threads;
  gomp_barrier_init (&team->barrier, threads);
  pool->threads_used = threads;
  gomp_simple_barrier_reinit (&pool->threads_dock, threads);
  if (threads == 1)
    thr->ts.active_level--;
  restart (pool->amp_fold, threads);
  return true;
}

void
gomp_fold_end_team (const struct gomp_team *team)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread_pool *pool = thr->thread_pool;
  struct gomp_fold_pool *fold = pool != NULL ? pool->amp_fold : NULL;

  if (thr->ts.level != 0 || team->nthreads == 1)
    return;
  if (fold != NULL && fold->runs)
    {
      if (fold->called)
	gomp_fold_end_call (fold);
      else if (team->amp_tasks.any)
	fold->had_tasks = true;
      else
	*quiet_of (fold, fold->fn) = fold->fn;
      gomp_fold_note_running (fold, false);
      gomp_fold_stop_first ();
    }
  if (fold != NULL && fold->bound)
    gomp_fold_unbind_first (fold);
}

void
gomp_fold_free_pool (struct gomp_thread_pool *pool)
{
  struct gomp_fold_pool *fold = pool->amp_fold;

  if (fold == NULL)
    return;
  /* Those of the last team have ended too; the calling thread, which has not,
     is not counted.  */
  if (fold->threads_used != 0)
    fold->leaving += fold->threads_used - 1;
  gomp_fold_await_ends (fold);
  gomp_fold_end_thread (gomp_thread ());
  gomp_fold_unwatch (fold);
  while (fold->teams != NULL)
    {
      struct gomp_fold_team *team = fold->teams;

      fold->teams = team->next;
      gomp_fold_count_team (team);
      free_team (team);
    }
  while (fold->threads != NULL)
    {
      struct gomp_fold_thread *thread = fold->threads;
      fold->threads = thread->next;
      free (thread);
    }
  gomp_fold_free_moves (fold);
  gomp_fold_free_call (fold);
  free (fold);
  pool->amp_fold = NULL;
}
