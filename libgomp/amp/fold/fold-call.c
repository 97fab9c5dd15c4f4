/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Starts and ends called regions, and runs their ids.  The rules are in
   fold-call.h.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/events.h"
#include "base/objects.h"
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-call.h"
#include "fold/fold-caller.h"
#include "fold/fold-follow.h"
#include "fold/fold-kernel.h"
#include "fold/fold-late.h"
#include "fold/fold-move.h"
#include "fold/fold-setup.h"
#include "fold/fold-shares.h"
#include "fold/fold-stack.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "ompt/ompt.h"
#include "options/options.h"

/* How often a worker that left ids to others looks at a word before it asks
   again, and how often it asks before it sleeps in between.  */
#define LOOKS 64
#define ASKS 1000

/* In less than a time slice of Linux's no thread is moved to a core that is
   done.  */
#define SLICE_NS 3e6f

/* What a pool knows of the region FN of OBJECT with IDS ids on WORKERS workers,
   of which HOME has id 0.  SITE is NULL if memory was short.  RAN: all threads
   have run it.  */
struct gomp_fold_known
{
  struct gomp_fold_known *next;
  gomp_fold_region_fn fn;
  unsigned ids, workers, home;
  bool ran;
  struct gomp_amp_object object;
  struct gomp_fold_region *region;
  struct gomp_fold_site *site;
};

void
gomp_fold_free_call (struct gomp_fold_pool *fold)
{
  struct gomp_fold_call *call = fold->call;

  if (call == NULL)
    return;
  for (unsigned i = 0; i < GOMP_FOLD_LISTS; i++)
    while (call->known[i] != NULL)
      {
	struct gomp_fold_known *known = call->known[i];

	call->known[i] = known->next;
	gomp_fold_free_site (known->site);
	free (known->object.name);
	free (known);
      }
  gomp_fold_free_shares (&call->shares);
  free (call->caller);
  free (call->part);
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
  call->allowed = gomp_fold_allowed ();
  /* Release: the watching thread reads it.  */
  __atomic_store_n (&fold->call, call, __ATOMIC_RELEASE);
  return call;
}

/* Have room for IDS ids in CALL, which no other thread uses.  Returns false if
   memory is short.  */

static bool
make_room (struct gomp_fold_call *call, unsigned ids)
{
  void *part, *runner;

  if (ids <= call->room)
    return true;
  part = realloc (call->part, ids * sizeof *call->part);
  if (part != NULL)
    call->part = part;
  runner = realloc (call->runner, ids * sizeof *call->runner);
  if (runner != NULL)
    call->runner = runner;
  if (part == NULL || runner == NULL)
    return false;
  call->room = ids;
  return true;
}

/* A site of IDS ids for TEAM's workers.  NULL if memory is short.  */

static struct gomp_fold_site *
make_site (const struct gomp_fold_pool *fold, unsigned ids,
	   const struct gomp_fold_team *team, unsigned home)
{
  double *speed = gomp_fold_known_speeds (fold, team->workers, team->allowed);
  struct gomp_fold_site *site = NULL;

  if (speed != NULL)
    site = gomp_fold_make_site (ids, team->workers, home, speed);
  free (speed);
  return site;
}

/* A new one, for TEAM's workers.  NULL if memory is short.  */

static struct gomp_fold_known * __attribute__ ((noinline))
make_known (struct gomp_fold_pool *fold, gomp_fold_region_fn fn, unsigned ids,
	    const struct gomp_fold_team *team)
{
  /* NULL each time if there are too many regions.  */
  struct gomp_fold_region *region = gomp_fold_find_region (fn);
  struct gomp_fold_known *known
    = region != NULL ? calloc (1, sizeof *known) : NULL;

  if (known == NULL)
    return NULL;
  known->fn = fn;
  known->ids = ids;
  known->workers = team->workers;
  known->home = team->home;
  known->region = region;
  gomp_amp_note_object (&known->object, (const void *) fn);
  known->site = make_site (fold, ids, team, team->home);
  return known;
}

/* What FOLD knows of the region FN of IDS ids on TEAM's workers; NULL if memory
   is short.  */

static inline struct gomp_fold_known *
find_known (struct gomp_fold_pool *fold, gomp_fold_region_fn fn, unsigned ids,
	    const struct gomp_fold_team *team)
{
  /* Functions are aligned.  */
  struct gomp_fold_known **list
    = &fold->call->known[(uintptr_t) fn / 16 % GOMP_FOLD_LISTS];
  struct gomp_fold_known *known = *list;

  while (known != NULL
	 && (known->fn != fn || known->ids != ids
	     || known->workers != team->workers || known->home != team->home))
    known = known->next;
  if (__builtin_expect (known != NULL, 1))
    {
      /* Another module may have been loaded at this address since.  Its ids may
	 not share thread-local variables.  */
      if (gomp_amp_options.fold_calls == GOMP_AMP_CALLS_AUTO
	  && !gomp_amp_same_object (&known->object, (const void *) fn))
	{
	  known->region = gomp_fold_find_region (fn);
	  gomp_amp_note_object (&known->object, (const void *) fn);
	  known->ran = false;
	}
      return known->region != NULL ? known : NULL;
    }
  known = make_known (fold, fn, ids, team);
  if (known != NULL)
    {
      for (const struct gomp_fold_known *other = *list; other != NULL;
	   other = other->next)
	known->ran |= other->fn == fn && other->ids >= ids && other->ran;
      known->next = *list;
      *list = known;
    }
  return known;
}

/* FOLD's team is TEAM, which has other workers than those that sites are dealt
   to.  Deal them to those of TEAM.  What was learned of ids is lost.  */

static void __attribute__ ((noinline, cold))
deal_again (struct gomp_fold_pool *fold, struct gomp_fold_call *call,
	    const struct gomp_fold_team *team)
{
  for (unsigned i = 0; i < GOMP_FOLD_LISTS; i++)
    for (struct gomp_fold_known *known = call->known[i]; known != NULL;
	 known = known->next)
      if (known->workers == team->workers)
	{
	  gomp_fold_free_site (known->site);
	  known->site = make_site (fold, known->ids, team, known->home);
	}
  call->allowed = team->allowed;
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
all_joined (struct gomp_fold_pool *fold, struct gomp_fold_call *call,
	    const struct gomp_fold_team *team)
{
  if (call->joined == team)
    return true;
  for (unsigned id = 0; id < team->ids; id++)
    if (__atomic_load_n (&team->slot[id], __ATOMIC_ACQUIRE) == NULL)
      return false;
  if (call->allowed != team->allowed)
    deal_again (fold, call, team);
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
  while (__atomic_load_n (&pool->threads_dock.bar.awaited, MEMMODEL_ACQUIRE)
	 != 1)
    gomp_fold_let_others_run ();
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
  memset (call->part, GOMP_FOLD_TAKEN, team->nthreads);
  /* Relaxed: dealing the ids releases all of this.  */
  __atomic_store_n (&call->late, false, __ATOMIC_RELAXED);
  __atomic_store_n (&call->tasks, false, __ATOMIC_RELAXED);
  __atomic_store_n (&call->serial, call->serial + 1, __ATOMIC_RELAXED);
}

/* ME, the calling thread, runs an id of the worker of CALLER now, or ends
   it.  */

static inline void
step (struct gomp_fold_caller *caller)
{
  __atomic_store_n (&caller->steps, caller->steps + 1, __ATOMIC_RELAXED);
}

/* ME, the calling thread, is to take ids of CALLER's share.  Returns whether no
   other thread does.  */

static inline bool
try_busy (struct gomp_fold_caller *caller, struct gomp_fold_thread *me)
{
  /* Acquire what the last one wrote there.  */
  if (__atomic_exchange_n (&caller->busy, 1, __ATOMIC_ACQUIRE))
    return false;
  __atomic_store_n (&caller->runner, me, __ATOMIC_RELAXED);
  return true;
}

static inline void
end_busy (struct gomp_fold_caller *caller)
{
  __atomic_store_n (&caller->busy, 0, __ATOMIC_RELEASE);
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
  struct gomp_fold_call *call;
  struct gomp_fold_known *known;
  struct gomp_fold_site *site;
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
  call = fold->call;
  if (call == NULL)
    {
      call = make_call (fold);
      if (call == NULL)
	return false;
    }
  if (!all_joined (fold, call, folded))
    return false;
  known = find_known (fold, fn, team->nthreads, folded);
  if (known == NULL || known->site == NULL
      || (__atomic_load_n (&known->region->why, __ATOMIC_RELAXED)
	  != GOMP_FOLD_LEAF)
      || !all_ran (fold, known)
      || !make_room (call, team->nthreads))
    return false;
  site = known->site;
  if (!gomp_fold_worth (team->nthreads) && site->dealt.end_ns >= SLICE_NS)
    return false;
  me = gomp_fold_current ();
  if (me == NULL)
    return false;
  only_first = !gomp_fold_has_room (fold);
  /* No other thread could run the ids of this worker.  */
  if (only_first && folded->worker[folded->home].slots < 2)
    return false;
  await_dock (pool);
  gomp_fold_await_ends (fold);
  __atomic_store_n (&call->region, known->region, __ATOMIC_RELAXED);
  call->home = folded->home;
  __atomic_store_n (&call->shares.workers, folded->workers, __ATOMIC_RELAXED);
  call->site = site;
  call->measured = gomp_fold_measured (site);
  call->spare = team->nthreads < folded->ids;
  call->only_first = only_first;
  while (!try_busy (&call->caller[call->home], me))
    gomp_fold_let_others_run ();
  set_region (call, thr, team, fn, data);
  call->runner[0] = me;
  __atomic_store_n (&fold->fn, fn, __ATOMIC_RELAXED);
  /* Release: who sees it sees the serial number.  */
  __atomic_store_n (&fold->called, true, __ATOMIC_RELEASE);
  gomp_fold_note_running (fold, true);
  /* Without a thread that watches ids could wait forever for others that have
     not begun.  */
  if (__builtin_expect (__atomic_load_n (&fold->off, __ATOMIC_RELAXED), 0))
    {
      __atomic_store_n (&fold->called, false, __ATOMIC_SEQ_CST);
      gomp_fold_note_running (fold, false);
      end_busy (&call->caller[call->home]);
      return false;
    }
  /* Other pools count there, too.  */
  __atomic_fetch_add (&known->region->called, 1, __ATOMIC_RELAXED);
  fold->home = folded->home;
  if (gomp_fold_long (site))
    gomp_fold_hold_first (fold);
  else
    gomp_fold_start_first (fold);
  gomp_fold_begin_call ();
  gomp_event_meet ();
  call->began = call->measured ? gomp_amp_clock () : 0;
  gomp_fold_deal (&call->shares, &site->dealt, call->home, call->began);
  if (site->woken > 1)
    for (unsigned w = 0; w < folded->workers; w++)
      if (w != call->home && site->dealt.first[w] != site->dealt.first[w + 1])
	gomp_fold_ring (&folded->worker[w]);
  me->call = call;
  step (&call->caller[call->home]);
  call->environment = gomp_fold_read_environment ();
  gomp_fold_run_first (&call->shares, call->home,
		       call->measured ? gomp_amp_clock () : 0);
  return true;
}

/* The calling thread had the environment BEFORE when it began an id of CALL's
   region.  If it has other controls now, others have to run it by themselves
   from now on.  Returns whether it has.  */

static inline bool
check_environment (struct gomp_fold_call *call,
		   const struct gomp_fold_environment *before,
		   const struct gomp_fold_environment *now)
{
  if (__builtin_expect (gomp_fold_same_controls (before, now), 1))
    return false;
  gomp_fold_note_turns (call->region, GOMP_FOLD_SETS_THREAD);
  gomp_fold_set_environment (before);
  return true;
}

void
gomp_fold_run_id (struct gomp_fold_call *call, struct gomp_thread *thr,
		  struct gomp_fold_thread *me, unsigned id)
{
  struct gomp_fold_share *share = &call->shares.share[me->own];
  struct gomp_fold_environment now;

  gomp_fold_become (call, thr, me, id);
  gomp_init_task (thr->task, call->parent, &call->icv);
  if (gomp_ompt_p ())
    {
      if (share->thief_of != 0)
	gomp_ompt_note_taken (share->thief_of - 1, false);
      share->thief_of = 0;
      gomp_ompt_called_begins (call->team, id, __builtin_dwarf_cfa ());
    }
  call->fn (call->data);
  now = gomp_fold_read_environment ();
  check_environment (call, &me->environment, &now);
  if (gomp_ompt_p ())
    gomp_ompt_called_arrives ();
  me->call = NULL;
}

/* The calling thread, which has given up its number, runs tasks of CALL's
   region under a free one.  */

static void
become_helper (struct gomp_fold_call *call)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = thr->amp_fold;
  unsigned id;

  __atomic_fetch_add (&call->helpers, 1, __ATOMIC_RELAXED);
  while ((id = gomp_fold_take_free_id (call)) == GOMP_FOLD_NO_ID)
    gomp_fold_relax ();
  gomp_fold_become (call, thr, me, id);
  me->call = NULL;
}

void
gomp_fold_arrive (struct gomp_fold_call *call, unsigned id, unsigned count)
{
  struct gomp_team *team = call->team;
  gomp_barrier_t *bar = &team->barrier;
  gomp_barrier_state_t state;
  bool stay, helps;

  gomp_event_meet ();
  state = gomp_fold_barrier_state (bar);
  stay = gomp_fold_stays (call);
  /* A thread that counts as a helper keeps its number for now.  */
  helps = stay || call->spare;
  if (helps)
    __atomic_fetch_add (&call->helpers, 1, __ATOMIC_RELAXED);
  else
    gomp_fold_free_id (call, id);
  /* As gomp_barrier_wait_final_start.  */
  if (__atomic_sub_fetch (&bar->awaited_final, count, MEMMODEL_ACQ_REL) == 0)
    {
      bar->awaited_final = bar->total;
      /* Another id has made a task since: this thread runs tasks, too.  The
	 region does not end before the barrier does.  A helper may have taken
	 the number ID.  There is another one: without spare threads there are
	 as many numbers as threads.  */
      if (!stay && __builtin_expect (gomp_fold_stays (call), 0))
	{
	  stay = true;
	  if (!helps)
	    become_helper (call);
	  helps = true;
	}
      gomp_team_barrier_wait_end (bar, state | BAR_WAS_LAST);
    }
  else if (stay)
    gomp_team_barrier_wait_end (bar, state);
  if (gomp_ompt_p ())
    gomp_ompt_called_ends ();
  if (!helps)
    return;
  if (!stay)
    gomp_fold_free_id (call, id);
  /* Release: the thread that ends the region acquires it.  */
  __atomic_fetch_sub (&call->helpers, 1, __ATOMIC_RELEASE);
}

/* Take ids of CALL's share W, or of others, until there are none or the region
   is late.  RAN: ids that the share's owner has run, and not counted in.  Store
   in *LAST the last id that was run, and in *LATER whether others are to run
   those that there are.  Returns how many are to be counted in.  */

static unsigned
run_share (struct gomp_fold_call *call, struct gomp_thread *thr,
	   struct gomp_fold_thread *me, unsigned w, unsigned ran,
	   unsigned *last, bool *later)
{
  struct gomp_fold_share *share = &call->shares.share[w];
  struct gomp_fold_caller *caller = &call->caller[w];
  unsigned id;

  for (;;)
    {
      gomp_event_meet ();
      id = gomp_fold_take (&call->shares, w,
			   ran == 0 || gomp_fold_timed (&call->shares)
			   ? gomp_amp_clock () : 0);
      if (id >= GOMP_FOLD_LATER)
	break;
      if (ran != 0 && *last != 0)
	gomp_fold_free_id (call, *last);
      step (caller);
      gomp_fold_run_id (call, thr, me, id);
      step (caller);
      *last = id;
      ran++;
      if (__builtin_expect (__atomic_load_n (&call->late, __ATOMIC_RELAXED),
			    0))
	break;
    }
  *later = id == GOMP_FOLD_LATER;
  return (ran == 0 ? 0
	  : gomp_fold_count_in (share, call->measured ? gomp_amp_clock () : 0));
}

void
gomp_fold_answer (struct gomp_fold_thread *me)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_call *call = thr->thread_pool->amp_fold->call;
  unsigned w = me->own, asks = 0;
  bool later;

  if (!try_busy (&call->caller[w], me))
    return;
  me->environment = gomp_fold_read_environment ();
  do
    {
      unsigned last, count = run_share (call, thr, me, w, 0, &last, &later);

      if (count != 0)
	gomp_fold_arrive (call, last, count);
      if (!later)
	break;
      /* Others have the rest.  */
      for (unsigned n = 0; n < LOOKS; n++)
	gomp_fold_relax ();
      if (++asks >= ASKS)
	{
	  struct gomp_fold_word word = { (int *) &me->id.worker->word, 0 };

	  word.val = __atomic_load_n (word.addr, __ATOMIC_RELAXED);
	  gomp_fold_sleep_any (&word, 1, true);
	}
    }
  while (true);
  end_busy (&call->caller[w]);
}

/* The calling thread has run id 0 of CALL's region, and has no room for others:
   another thread of its worker, which is TEAM's, runs them when this one waits.
   Returns how many ids are to be counted in.  */

static unsigned __attribute__ ((noinline))
leave_rest (struct gomp_fold_call *call, struct gomp_fold_team *team)
{
  unsigned count
    = gomp_fold_end_own (&call->shares, call->home,
			 call->measured ? gomp_amp_clock () : 0);

  end_busy (&call->caller[call->home]);
  gomp_fold_ring (&team->worker[call->home]);
  return count;
}

bool
gomp_fold_ends_call (gomp_barrier_state_t *state, bool *leave)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = thr->amp_fold;
  struct gomp_fold_call *call;
  struct gomp_team *team = thr->ts.team;
  gomp_barrier_t *bar;
  struct gomp_team_state ts;
  struct gomp_task *task;
  struct gomp_fold_environment own, now;
  unsigned count, ran = 1, last = 0, id;
  bool later, only_first;

  /* The call of id 0.  */
  if (me == NULL || me->number != 0 || me->call == NULL || thr->ts.level != 1)
    return false;
  call = me->call;
  bar = &team->barrier;
  me->call = NULL;
  ts = thr->ts;
  task = thr->task;
  only_first = call->only_first;
  step (&call->caller[call->home]);
  /* What id 0 leaves its thread with stays; other ids do not see it.  */
  own = gomp_fold_read_environment ();
  me->environment = (check_environment (call, &call->environment, &own)
		     ? call->environment : own);
  count = 0;
  if (__builtin_expect (only_first, 0))
    count = leave_rest (call, thr->thread_pool->amp_fold->team);
  else
    {
      do
	{
	  count += run_share (call, thr, me, call->home, ran, &last, &later);
	  ran = 0;
	  gomp_fold_relax ();
	}
      while (later);
      end_busy (&call->caller[call->home]);
    }
  while (__builtin_expect (__atomic_load_n (&call->late, __ATOMIC_RELAXED), 0)
	 && !only_first
	 && (id = gomp_fold_take_late (call, call->home)) != GOMP_FOLD_NO_ID)
    {
      gomp_fold_run_id (call, thr, me, id);
      gomp_fold_free_id (call, id);
      count++;
    }
  if (last != 0)
    gomp_fold_free_id (call, last);
  if (gomp_ompt_p ())
    gomp_ompt_called_ends ();
  /* Helpers may have found no number.  */
  if (__builtin_expect (gomp_fold_stays (call), 0))
    gomp_fold_wake_all (thr->thread_pool->amp_fold->team, call->home);
  thr->ts = ts;
  thr->task = task;
  now = gomp_fold_read_environment ();
  if (!gomp_fold_same_environment (&own, &now))
    gomp_fold_set_environment (&own);
  gomp_event_meet ();
  *state = gomp_fold_barrier_state (bar);
  *leave = false;
  if (__atomic_sub_fetch (&bar->awaited_final, count, MEMMODEL_ACQ_REL) != 0)
    return true;
  *state |= BAR_WAS_LAST;
  /* Nobody waits at the barrier but helpers and late threads.  */
  if (!__atomic_load_n (&call->late, __ATOMIC_RELAXED))
    {
      bar->awaited = bar->awaited_final = bar->total;
      team->work_share_cancelled = 0;
      __atomic_store_n (&bar->generation,
			(*state & ~(BAR_WAS_LAST | BAR_CANCELLED)) + BAR_INCR,
			MEMMODEL_RELEASE);
      *state &= ~BAR_WAS_LAST;
      *leave = true;
    }
  return true;
}

void
gomp_fold_end_call (struct gomp_fold_pool *fold)
{
  struct gomp_fold_call *call = fold->call;
  gomp_barrier_t *bar = &call->team->barrier;

  /* Sequentially consistent, as in help.  */
  __atomic_store_n (&fold->called, false, __ATOMIC_SEQ_CST);
  while (__builtin_expect (__atomic_load_n (&call->helpers, __ATOMIC_SEQ_CST)
			   != 0, 0))
    {
      /* A helper may have come to the barrier when the region had ended.  */
      gomp_barrier_set (bar, gomp_barrier_get (bar) + BAR_INCR);
      gomp_team_barrier_wake (bar, 0);
      gomp_fold_let_others_run ();
    }
  /* Tasks may have been depending on others, of any id.  That of id 0 is
     upstream's.  */
  if (__builtin_expect (gomp_fold_stays (call), 0))
    for (unsigned id = 1; id < call->team->nthreads; id++)
      gomp_finish_task (&call->team->implicit_task[id]);
  if (call->measured && !__atomic_load_n (&call->late, __ATOMIC_RELAXED))
    gomp_fold_note (call->site, &call->shares, call->began,
		    gomp_amp_clock ());
}

bool
gomp_fold_has_called (const struct gomp_fold_pool *fold)
{
  /* Relaxed: the region was released by the thread that writes both.  */
  return (fold->call != NULL
	  && __atomic_load_n (&fold->call->serial, __ATOMIC_RELAXED) != 0);
}

bool
gomp_fold_calls (const struct gomp_thread *thr)
{
  return (thr->amp_fold != NULL && thr->ts.level == 1
	  && __atomic_load_n (&thr->thread_pool->amp_fold->called,
			      __ATOMIC_RELAXED));
}

unsigned
gomp_fold_number (const struct gomp_thread *thr)
{
  return thr->amp_fold->number;
}

const struct gomp_fold_thread *
gomp_fold_caller_of (const struct gomp_fold_pool *fold, unsigned id)
{
  /* Acquire: FOLD->call.  */
  return (__atomic_load_n (&fold->called, __ATOMIC_ACQUIRE)
	  ? __atomic_load_n (&fold->call->runner[id], __ATOMIC_RELAXED)
	  : NULL);
}
