/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The folded teams of a pool: which worker each id is dealt to, from the start
   of a region to the end of the pool.  */

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
#include "fold/fold-park.h"
#include "fold/fold-pool.h"
#include "fold/fold-ranges.h"
#include "fold/fold-setup.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "base/clock.h"
#include "base/fork-lock.h"
#include "base/message.h"

static void
free_team (struct gomp_fold_team *team)
{
  free (team->first);
  free (team->order);
  free (team->owner);
  free (team);
}

/* How to deal IDS ids of FOLD.  NULL if memory is short.  */

static struct gomp_fold_team *
get_team (struct gomp_fold_pool *fold, unsigned ids)
{
  struct gomp_fold_team *team;

  for (team = fold->teams; team != NULL; team = team->next)
    if (team->ids == ids)
      return team;
  team = calloc (1, sizeof *team);
  if (team == NULL)
    return NULL;
  team->ids = ids;
  team->first = malloc ((fold->crew.workers + 1) * sizeof *team->first);
  team->order = malloc (ids * sizeof *team->order);
  team->owner = malloc (ids * sizeof *team->owner);
  if (team->first == NULL || team->order == NULL || team->owner == NULL)
    {
      free_team (team);
      return NULL;
    }
  team->next = fold->teams;
  fold->teams = team;
  return team;
}

/* Which widths there are for FOLD on the workers of ALLOWED.  */

static void
find_widths (struct gomp_fold_pool *fold,
	     const struct gomp_fold_allowed *allowed)
{
  unsigned most = 0, fastest = 0, all = 0;

  for (unsigned w = 0; w < fold->crew.workers; w++)
    {
      if (allowed->speed[w] > most)
	{
	  most = allowed->speed[w];
	  fastest = 0;
	}
      fastest += allowed->speed[w] == most && most != 0;
      all += allowed->speed[w] != 0;
    }
  fold->may[GOMP_WIDTH_ALL] = true;
  fold->may[GOMP_WIDTH_FAST] = fastest > 1 && fastest < all;
  fold->may[GOMP_WIDTH_FIRST] = all > 1;
}

/* Give ID of TEAM, which is FOLD's, to worker W.  */

static void
give (struct gomp_fold_pool *fold, const struct gomp_fold_team *team,
      unsigned id, unsigned w)
{
  struct gomp_fold_worker *worker = &fold->crew.worker[w];

  /* Relaxed: a thread that joins late looks again at the next barrier.  */
  __atomic_store_n (&team->owner[id], w, __ATOMIC_RELAXED);
  __atomic_store_n (&worker->ids, worker->ids + 1, __ATOMIC_RELAXED);
}

/* Give the ids of TEAM, which is FOLD's, to the first worker that has any.  */

static void
give_to_first (struct gomp_fold_pool *fold, const struct gomp_fold_team *team)
{
  unsigned w = 0;

  while (team->first[w + 1] == 0)
    w++;
  for (unsigned id = 0; id < team->ids; id++)
    give (fold, team, id, w);
}

/* Give the ids of TEAM, which is FOLD's, to the fastest workers in turn.  */

static void
give_to_fast (struct gomp_fold_pool *fold, const struct gomp_fold_team *team)
{
  const unsigned *speed = team->allowed->speed;
  unsigned n = fold->crew.workers, w = n - 1, most = 0;

  for (unsigned each = 0; each < n; each++)
    if (speed[each] > most)
      most = speed[each];
  for (unsigned id = 0; id < team->ids; id++)
    {
      do
	w = (w + 1) % n;
      while (speed[w] != most);
      give (fold, team, id, w);
    }
}

/* Deal the ids of TEAM, which is FOLD's, by FOLD's width.  */

static void
deal (struct gomp_fold_pool *fold, const struct gomp_fold_team *team)
{
  for (unsigned w = 0; w < fold->crew.workers; w++)
    {
      __atomic_store_n (&fold->crew.worker[w].ids, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&fold->crew.worker[w].ended, 0, __ATOMIC_RELAXED);
    }
  if (fold->width == GOMP_WIDTH_FIRST)
    give_to_first (fold, team);
  else if (fold->width == GOMP_WIDTH_FAST)
    give_to_fast (fold, team);
  else
    for (unsigned w = 0; w < fold->crew.workers; w++)
      for (unsigned at = team->first[w]; at < team->first[w + 1]; at++)
	give (fold, team, team->order[at], w);
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    if (thread->number < team->ids
	&& !__atomic_load_n (&thread->ended, __ATOMIC_RELAXED))
      gomp_fold_deal (&thread->id,
		      &fold->crew.worker[team->owner[thread->number]]);
}

void
gomp_fold_deal_team (struct gomp_fold_pool *fold, struct gomp_fold_team *team,
		     const unsigned *first,
		     const struct gomp_fold_allowed *allowed)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_COUNTS);
  gomp_fold_count_pool (fold);
  if (team->allowed != allowed)
    gomp_fold_spread (team->ids, fold->crew.workers, allowed->speed,
		      team->first, team->owner, team->order);
  if (first != NULL)
    memmove (team->first, first, (fold->crew.workers + 1) * sizeof *first);
  else
    gomp_fold_cut (team->ids, fold->crew.workers, allowed->speed, team->first);
  team->count = gomp_fold_count_for (team->ids, fold->crew.workers,
				     team->first, gomp_fold_workers.cpu);
  gomp_amp_release (GOMP_AMP_LOCK_COUNTS);
  team->allowed = allowed;
  find_widths (fold, allowed);
  /* Release what was stored.  */
  __atomic_store_n (&fold->team, team, __ATOMIC_RELEASE);
  deal (fold, team);
}

void
gomp_fold_deal_anew (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  const struct gomp_fold_allowed *allowed = gomp_fold_allowed ();

  if (gomp_fold_any_allowed (allowed, fold->crew.workers))
    gomp_fold_deal_team (fold, team,
			 gomp_fold_known_ranges (fold, team->ids,
						 fold->crew.workers, allowed),
			 allowed);
}

void
gomp_fold_set_mode (struct gomp_fold_pool *fold, enum gomp_fold_mode mode)
{
  int old = __atomic_exchange_n (&fold->crew.mode, mode, __ATOMIC_SEQ_CST);

  if (old == GOMP_FOLD_CARRIED && mode != GOMP_FOLD_CARRIED)
    gomp_fold_release (&fold->crew);
}

/* Where FOLD remembers whether the region FN has no tasks.  */

static inline gomp_fold_region_fn *
quiet_of (struct gomp_fold_pool *fold, gomp_fold_region_fn fn)
{
  /* Functions are aligned.  */
  return &fold->quiet[(uintptr_t) fn / 16 % GOMP_FOLD_QUIET];
}

/* Room for the workers of FOLD.  Returns false if memory is short.  */

static bool
make_workers (struct gomp_fold_pool *fold)
{
  unsigned n = gomp_fold_workers.count;
  size_t size = n * sizeof (struct gomp_fold_worker);

  fold->watched = calloc (n, sizeof *fold->watched);
  if (fold->watched == NULL
      || posix_memalign ((void **) &fold->crew.worker,
			 __alignof__ (struct gomp_fold_worker), size) != 0)
    {
      free (fold->watched);
      return false;
    }
  memset (fold->crew.worker, 0, size);
  fold->crew.workers = n;
  for (unsigned w = 0; w < n; w++)
    {
      fold->crew.worker[w].crew = &fold->crew;
      fold->crew.worker[w].number = w;
      fold->crew.worker[w].speed = gomp_fold_workers.speed[w];
    }
  return true;
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
  if (!make_workers (fold))
    {
      free (fold);
      return NULL;
    }
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

/* Wait until all threads of FOLD's pool that are to end have left it: new
   threads with their numbers must not meet them, and they read FOLD.  */

static void
await_ends (struct gomp_fold_pool *fold)
{
  int ended;

  /* Acquire what they did.  */
  while ((ended = __atomic_load_n (&fold->ended, __ATOMIC_ACQUIRE))
	 < fold->leaving)
    /* They may need the kernel thread that runs this one.  */
    if (gomp_fold_wait_for (&fold->ended, ended, GOMP_FOLD_SLEEP, NULL) < 0)
      gomp_fold_sleep (&fold->ended, ended);
}

/* How FOLD's next region, of IDS ids, runs.  */

static enum gomp_fold_mode
choose_mode (const struct gomp_fold_pool *fold, unsigned ids)
{
  if (fold->region == NULL || !gomp_fold_worth (ids)
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED)
      || !gomp_fold_any_allowed (gomp_fold_allowed (), fold->crew.workers))
    return GOMP_FOLD_FREE;
  return gomp_fold_mode_of (fold->region);
}

/* The width of FOLD's next region, which is carried.  */

static enum gomp_width
choose_width (struct gomp_fold_pool *fold)
{
  struct gomp_widths *widths = &fold->region->widths;
  enum gomp_width width = GOMP_WIDTH_ALL;
  unsigned long long most = 0;
  bool timed = false;

  fold->failed = false;
  if (!gomp_fold_measured_p (fold))
    return width;
  /* Another pool may run the same region.  */
  fold->chooses = !__atomic_exchange_n (&fold->region->busy, true,
					__ATOMIC_ACQUIRE);
  if (fold->chooses)
    width = gomp_width_choose (&gomp_width_of_regions, widths, fold->may,
			       fold->crew.workers, &timed, &most);
  fold->began = timed ? gomp_amp_clock () : 0;
  __atomic_store_n (&fold->over,
		    most != 0 ? fold->began + most + GOMP_FOLD_LOOK_NS : 0,
		    __ATOMIC_RELAXED);
  return width;
}

/* FOLD's region has ended.  */

static void
note_width (struct gomp_fold_pool *fold)
{
  struct gomp_widths *widths = &fold->region->widths;

  if (!fold->chooses)
    return;
  fold->chooses = false;
  __atomic_store_n (&fold->over, 0, __ATOMIC_RELAXED);
  if (fold->began != 0
      && (gomp_fold_mode (fold) == GOMP_FOLD_CARRIED
	  || __atomic_load_n (&fold->failed, __ATOMIC_RELAXED)))
    gomp_width_note (&gomp_width_of_regions, widths, fold->may, fold->width,
		     gomp_amp_clock () - fold->began, fold->crew.workers);
  __atomic_store_n (&fold->region->busy, false, __ATOMIC_RELEASE);
}

/* The calling thread, which is id 0, begins a region of IDS ids of FOLD in
   MODE.  Returns false if that is not possible.  */

static bool
begin_folded (struct gomp_fold_pool *fold, unsigned ids,
	      enum gomp_fold_mode mode)
{
  struct gomp_fold_team *team = fold->team;
  enum gomp_width width
    = mode == GOMP_FOLD_CARRIED ? choose_width (fold) : GOMP_WIDTH_ALL;
  struct gomp_fold_thread *me;

  if (team == NULL || team->ids != ids)
    team = get_team (fold, ids);
  if (team == NULL)
    return false;
  if (team != fold->team || team->allowed != gomp_fold_allowed ())
    {
      gomp_fold_end_batch (fold);
      fold->width = width;
      gomp_fold_deal_anew (fold, team);
    }
  else if (width != fold->width)
    {
      fold->width = width;
      deal (fold, team);
    }
  me = gomp_fold_current ();
  if (me == NULL)
    return false;
  gomp_fold_move_first (fold, gomp_fold_dealt_to (me));
  if (__builtin_expect (gomp_fold_mode (fold) != mode, 0))
    gomp_fold_set_mode (fold, mode);
  if (mode == GOMP_FOLD_CARRIED)
    gomp_fold_take_over (&me->id);
  return true;
}

void
gomp_fold_start_team (struct gomp_thread_pool *pool, unsigned nthreads,
		      void (*fn) (void *))
{
  struct gomp_fold_pool *fold = pool->amp_fold;
  enum gomp_fold_mode mode;

  if (fold == NULL)
    {
      fold = begin_pool (pool);
      if (fold == NULL)
	return;
    }
  await_ends (fold);
  /* The others are about to be released, and end.  */
  if (nthreads < fold->threads_used)
    fold->leaving += fold->threads_used - nthreads;
  /* Relaxed: read by those that wait, for how long they spin.  */
  __atomic_store_n (&fold->threads_used, nthreads, __ATOMIC_RELAXED);
  gomp_fold_follow_now ();
  __atomic_store_n (&fold->fn, fn, __ATOMIC_RELAXED);
  fold->region = gomp_fold_worth (nthreads) ? gomp_fold_find_region (fn) : NULL;
  mode = choose_mode (fold, nthreads);
  if (mode == GOMP_FOLD_FREE || !begin_folded (fold, nthreads, mode))
    {
      __atomic_store_n (&fold->team, NULL, __ATOMIC_RELEASE);
      gomp_fold_set_mode (fold, GOMP_FOLD_FREE);
      return;
    }
  gomp_fold_note_running (fold, true);
  fold->leave = !fold->had_tasks && *quiet_of (fold, fn) == fn;
  gomp_fold_start_first (fold);
  gomp_fold_begin_region ();
}

bool
gomp_fold_shrink_team (struct gomp_team *team, unsigned threads)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread_pool *pool = thr->thread_pool;
  struct gomp_task_icv *icv = (thr->task->parent != NULL
			       ? &thr->task->parent->icv : &gomp_global_icv);
  struct gomp_fold_pool *fold = pool->amp_fold;

  /* A reduction over tasks has counted the threads.  */
  if (thr->ts.level != 1 || fold == NULL || thr->task->taskgroup != NULL
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
  __atomic_store_n (&fold->threads_used, threads, __ATOMIC_RELAXED);
  if (threads == 1)
    {
      /* It ends as one that was never a team.  */
      thr->ts.active_level--;
      gomp_fold_note_running (fold, false);
      gomp_fold_end_first ();
      if (fold->bound)
	gomp_fold_unbind_first (fold);
    }
  if (fold->team != NULL
      && (threads == 1
	  || !begin_folded (fold, threads, gomp_fold_mode (fold))))
    {
      __atomic_store_n (&fold->team, NULL, __ATOMIC_RELEASE);
      gomp_fold_set_mode (fold, GOMP_FOLD_FREE);
    }
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
      note_width (fold);
      if (team->amp_tasks.any)
	fold->had_tasks = true;
      else
	*quiet_of (fold, fold->fn) = fold->fn;
      gomp_fold_note_running (fold, false);
      gomp_fold_end_first ();
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
  await_ends (fold);
  gomp_fold_end_thread (gomp_thread ());
  gomp_fold_unwatch (fold);
  gomp_amp_acquire (GOMP_AMP_LOCK_COUNTS);
  gomp_fold_count_pool (fold);
  gomp_amp_release (GOMP_AMP_LOCK_COUNTS);
  while (fold->teams != NULL)
    {
      struct gomp_fold_team *team = fold->teams;

      fold->teams = team->next;
      free_team (team);
    }
  while (fold->threads != NULL)
    {
      struct gomp_fold_thread *thread = fold->threads;

      fold->threads = thread->next;
      gomp_fold_free_room (&thread->id.own);
      free (thread);
    }
  gomp_fold_free_moves (fold);
  free (fold->crew.worker);
  free (fold->watched);
  free (fold);
  pool->amp_fold = NULL;
}
