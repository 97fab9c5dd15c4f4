/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Starts called regions, and keeps what pools know of them.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/events.h"
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-caller.h"
#include "fold/fold-setup.h"
#include "fold/fold-shares.h"
#include "fold/fold-stack.h"
#include "fold/fold-start.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "options/options.h"

/* In less than a time slice of Linux's no thread is moved to a core that is
   done.  */
#define SLICE_NS 3e6f

void
gomp_fold_free_call (struct gomp_fold_pool *fold)
{
  struct gomp_fold_call *call = fold->call;

  if (call == NULL)
    return;
  gomp_fold_free_knowns (&call->knowns);
  gomp_fold_free_shares (&call->shares);
  free (call->caller);
  free (call->number);
  free (call->runner);
  free (call);
  fold->call = NULL;
}

/* What FOLD keeps for called regions from now on.  NULL if memory is short.  */

static struct gomp_fold_call * __attribute__ ((noinline))
make_call (struct gomp_fold_pool *fold)
{
  struct gomp_fold_call *call = calloc (1, sizeof *call);
  unsigned n = gomp_fold_workers.count;

  if (call == NULL)
    return NULL;
  call->shares = gomp_fold_make_shares (n);
  if (call->shares.share == NULL
      || posix_memalign ((void **) &call->caller,
			 __alignof__ (struct gomp_fold_caller),
			 n * sizeof *call->caller) != 0)
    {
      struct gomp_fold_pool only = { .call = call };

      gomp_fold_free_call (&only);
      return NULL;
    }
  memset (call->caller, 0, n * sizeof *call->caller);
  /* Release: the watching thread reads it.  */
  __atomic_store_n (&fold->call, call, __ATOMIC_RELEASE);
  return call;
}

/* Have room for IDS ids in CALL, which no other thread uses.  Returns false if
   memory is short.  */

static bool
make_room (struct gomp_fold_call *call, unsigned ids)
{
  void *number, *runner;

  if (ids <= call->room)
    return true;
  number = realloc (call->number, ids * sizeof *call->number);
  if (number != NULL)
    call->number = number;
  runner = realloc (call->runner, ids * sizeof *call->runner);
  if (runner != NULL)
    call->runner = runner;
  if (number == NULL || runner == NULL)
    return false;
  call->room = ids;
  return true;
}

/* Whether all threads of FOLD have run the region of KNOWN, which they may have
   to: it may set something of each thread.  If not they do now.  */

static inline bool
all_ran (const struct gomp_fold_pool *fold, struct gomp_fold_known *known)
{
  bool ran = (known->ran || (fold->turned_fn == known->fn
			     && fold->turned_ids >= known->ids));

  known->ran = true;
  return ran;
}

/* Whether all threads of FOLD have joined TEAM, and so wait in fold.c when they
   wait at the dock.  */

static bool
all_joined (struct gomp_fold_call *call, const struct gomp_fold_team *team)
{
  if (call->joined == team)
    return true;
  for (unsigned id = 0; id < team->ids; id++)
    if (__atomic_load_n (&team->slot[id], __ATOMIC_ACQUIRE) == NULL)
      return false;
  call->joined = team;
  return true;
}

void
gomp_fold_forget_joined (struct gomp_fold_pool *fold)
{
  if (fold->call != NULL)
    fold->call->joined = NULL;
}

/* Wait until all other threads of POOL are at its dock.  Acquire what they did
   before.  */

static inline void
await_dock (struct gomp_thread_pool *pool)
{
  unsigned tries = 0;

  while (__atomic_load_n (&pool->threads_dock.bar.awaited, MEMMODEL_ACQUIRE)
	 != 1)
    gomp_fold_await_other (&tries);
}

/* TEAM, whose id 0 is THR, the calling thread, runs FN on DATA.  */

static void
set_region (struct gomp_fold_call *call, struct gomp_thread *thr,
	    struct gomp_team *team, gomp_fold_region_fn fn, void *data)
{
  struct gomp_thread **threads = thr->thread_pool->threads;

  call->fn = fn;
  call->data = data;
  call->team = team;
  call->parent = thr->task->parent;
  call->icv = thr->task->icv;
  call->level = thr->ts.level;
  call->active_level = thr->ts.active_level;
  call->def_allocator = thr->ts.def_allocator;
  call->num_teams = thr->num_teams;
  call->team_num = thr->team_num;
  for (unsigned id = 1; id < team->nthreads; id++)
    team->ordered_release[id] = &threads[id]->release;
  memset (call->number, GOMP_FOLD_TAKEN, team->nthreads);
  /* Relaxed: dealing the ids releases all of this.  */
  __atomic_store_n (&call->late, false, __ATOMIC_RELAXED);
  __atomic_store_n (&call->tasks, false, __ATOMIC_RELAXED);
  __atomic_store_n (&call->serial, call->serial + 1, __ATOMIC_RELAXED);
}

/* The region FN, which TEAM is to run with the threads of FOLDED, if it is to
   be called: not if it is known to wait, if threads of FOLD have still to run
   it by turns, or if that could not be faster.  NULL if it is not.  The pool
   has taken its deal.  */

static inline struct gomp_fold_known *
to_be_called (struct gomp_fold_pool *fold, struct gomp_fold_team *folded,
	      const struct gomp_team *team, gomp_fold_region_fn fn)
{
  struct gomp_fold_call *call = fold->call;
  struct gomp_fold_known *known;
  struct gomp_fold_deal *deal;

  if (call == NULL)
    {
      call = make_call (fold);
      if (call == NULL)
	return NULL;
    }
  if (!all_joined (call, folded))
    return NULL;
  known = gomp_fold_find_known (&call->knowns, fn, team->nthreads, folded);
  if (known == NULL
      || (__atomic_load_n (&known->region->why, __ATOMIC_RELAXED)
	  != GOMP_FOLD_LEAF)
      || !all_ran (fold, known)
      || !make_room (call, team->nthreads))
    return NULL;
  deal = gomp_fold_take_deal (fold, known, folded);
  if (deal == NULL)
    return NULL;
  if (!gomp_fold_worth (team->nthreads) && deal->dealt.end_ns >= SLICE_NS)
    {
      gomp_fold_give_deal (deal);
      return NULL;
    }
  return known;
}

/* Wait until no thread looks at the last region, and have all see that the
   region of KNOWN is called.  Returns false if it cannot be.  */

static inline bool
announce (struct gomp_fold_pool *fold, struct gomp_thread *thr,
	  struct gomp_fold_thread *me, const struct gomp_fold_known *known,
	  bool only_first, struct gomp_team *team, void *data)
{
  struct gomp_fold_call *call = fold->call;
  const struct gomp_fold_team *folded = fold->team;
  unsigned tries = 0;

  await_dock (thr->thread_pool);
  gomp_fold_await_ends (fold);
  __atomic_store_n (&call->region, known->region, __ATOMIC_RELAXED);
  call->home = folded->home;
  __atomic_store_n (&call->shares.workers, folded->workers, __ATOMIC_RELAXED);
  call->deal = known->deal;
  call->measured = gomp_fold_measured (known->deal);
  call->spare = team->nthreads < folded->ids;
  call->only_first = only_first;
  while (!gomp_fold_try_busy (&call->caller[call->home], me))
    gomp_fold_await_other (&tries);
  set_region (call, thr, team, known->fn, data);
  call->runner[0] = me;
  __atomic_store_n (&fold->fn, known->fn, __ATOMIC_RELAXED);
  /* Release: who sees it sees the serial number.  */
  __atomic_store_n (&fold->called, true, __ATOMIC_RELEASE);
  gomp_fold_note_running (fold, true);
  /* Without a thread that watches ids could wait forever for others that have
     not begun.  */
  if (__builtin_expect (__atomic_load_n (&fold->off, __ATOMIC_RELAXED), 0))
    {
      __atomic_store_n (&fold->called, false, __ATOMIC_SEQ_CST);
      gomp_fold_note_running (fold, false);
      gomp_fold_end_busy (&call->caller[call->home]);
      return false;
    }
  /* Other pools count there, too.  */
  __atomic_fetch_add (&known->region->called, 1, __ATOMIC_RELAXED);
  return true;
}

/* Deal the ids of CALL's region, wake those that have some, and begin id 0,
   which ME, the calling thread, runs.  */

static inline void
deal_and_ring (struct gomp_fold_pool *fold, struct gomp_fold_call *call,
	       struct gomp_fold_thread *me)
{
  struct gomp_fold_team *folded = fold->team;
  struct gomp_fold_deal *deal = call->deal;

  /* Relaxed: who watches may read it.  */
  __atomic_store_n (&fold->home, folded->home, __ATOMIC_RELAXED);
  if (gomp_fold_long (deal))
    gomp_fold_hold_first (fold);
  else
    gomp_fold_start_first (fold);
  gomp_fold_begin_call ();
  gomp_event_meet ();
  call->began = call->measured ? gomp_amp_clock () : 0;
  gomp_fold_hand_out (&call->shares, &deal->dealt, call->home, call->began);
  if (deal->woken > 1)
    for (unsigned w = 0; w < folded->workers; w++)
      if (w != call->home && deal->dealt.first[w] != deal->dealt.first[w + 1])
	gomp_fold_ring (&folded->worker[w]);
  me->call = call;
  gomp_fold_step (&call->caller[call->home]);
  call->environment = gomp_fold_read_environment ();
  gomp_fold_run_first (&call->shares, call->home,
		       call->measured ? gomp_amp_clock () : 0);
}

bool
gomp_fold_start_call (struct gomp_team *team, gomp_fold_region_fn fn,
		      void *data, struct gomp_taskgroup *taskgroup)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread_pool *pool = thr->thread_pool;
  struct gomp_fold_pool *fold = pool != NULL ? pool->amp_fold : NULL;
  struct gomp_fold_team *folded;
  struct gomp_fold_thread *me;
  const struct gomp_fold_known *known;
  bool only_first;

  /* A pool's first region makes its threads.  */
  if (fold == NULL || thr->ts.level != 1 || taskgroup != NULL
      || gomp_amp_options.fold_calls == GOMP_AMP_CALLS_OFF)
    return false;
  folded = fold->team;
  if (folded == NULL || folded->ids != pool->threads_used
      || team->nthreads > folded->ids
      || __atomic_load_n (&folded->state, __ATOMIC_RELAXED) != 0
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return false;
  known = to_be_called (fold, folded, team, fn);
  if (known == NULL)
    return false;
  me = gomp_fold_current ();
  only_first = !gomp_fold_has_room (fold);
  if (me == NULL
      /* No other thread could run the ids of this worker.  */
      || (only_first && folded->worker[folded->home].slots < 2)
      || !announce (fold, thr, me, known, only_first, team, data))
    {
      gomp_fold_give_deal (known->deal);
      return false;
    }
  deal_and_ring (fold, fold->call, me);
  return true;
}
