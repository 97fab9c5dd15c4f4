/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Runs ids of called regions, and ends these.  The rules are in
   fold-call.h.  */

#include "libgomp.h"
#include "base/clock.h"
#include "base/events.h"
#include "fold/fold.h"
#include "fold/fold-call.h"
#include "fold/fold-caller.h"
#include "fold/fold-kernel.h"
#include "fold/fold-late.h"
#include "fold/fold-shares.h"
#include "ompt/ompt.h"

/* How often a worker that left ids to others looks at a word before it asks
   again, and how often it asks before it sleeps in between.  */
#define LOOKS 64
#define ASKS 1000

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
      gomp_fold_step (caller);
      gomp_fold_run_id (call, thr, me, id);
      gomp_fold_step (caller);
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

  if (!gomp_fold_try_busy (&call->caller[w], me))
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
  gomp_fold_end_busy (&call->caller[w]);
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

  gomp_fold_end_busy (&call->caller[call->home]);
  gomp_fold_ring (&team->worker[call->home]);
  return count;
}

/* ME, the calling thread, has run id 0 of CALL's region.  Other ids do not see
   what that leaves its thread with, which is returned.  */

static inline struct gomp_fold_environment
end_first (struct gomp_fold_call *call, struct gomp_fold_thread *me)
{
  struct gomp_fold_environment own;

  gomp_fold_step (&call->caller[call->home]);
  own = gomp_fold_read_environment ();
  me->environment = (check_environment (call, &call->environment, &own)
		     ? call->environment : own);
  return own;
}

/* Then it runs ids of all shares until there are none, or the region is late.
   Returns how many are to be counted in, id 0 included.  Stores in *LAST the
   last one.  */

static inline unsigned
run_others (struct gomp_fold_call *call, struct gomp_thread *thr,
	    struct gomp_fold_thread *me, unsigned *last)
{
  unsigned count = 0, ran = 1;
  bool later;

  if (__builtin_expect (call->only_first, 0))
    return leave_rest (call, thr->thread_pool->amp_fold->team);
  do
    {
      count += run_share (call, thr, me, call->home, ran, last, &later);
      ran = 0;
      gomp_fold_relax ();
    }
  while (later);
  gomp_fold_end_busy (&call->caller[call->home]);
  return count;
}

/* Then late ids.  Returns how many are to be counted in.  */

static inline unsigned
run_late (struct gomp_fold_call *call, struct gomp_thread *thr,
	  struct gomp_fold_thread *me)
{
  unsigned count = 0, id;

  while (__builtin_expect (__atomic_load_n (&call->late, __ATOMIC_RELAXED), 0)
	 && !call->only_first
	 && (id = gomp_fold_take_late (call, call->home)) != GOMP_FOLD_NO_ID)
    {
      gomp_fold_run_id (call, thr, me, id);
      gomp_fold_free_id (call, id);
      count++;
    }
  return count;
}

/* Then it counts in COUNT ids, and is done with CALL's region if others are not
   yet.  As gomp_fold_ends_call.  */

static inline void
count_in (struct gomp_fold_call *call, unsigned count,
	  gomp_barrier_state_t *state, bool *leave)
{
  struct gomp_team *team = call->team;
  gomp_barrier_t *bar = &team->barrier;

  gomp_event_meet ();
  *state = gomp_fold_barrier_state (bar);
  *leave = false;
  if (__atomic_sub_fetch (&bar->awaited_final, count, MEMMODEL_ACQ_REL) != 0)
    return;
  *state |= BAR_WAS_LAST;
  /* Helpers and late threads wait at the barrier.  */
  if (__builtin_expect (__atomic_load_n (&call->late, __ATOMIC_RELAXED), 0))
    return;
  bar->awaited = bar->awaited_final = bar->total;
  team->work_share_cancelled = 0;
  __atomic_store_n (&bar->generation,
		    (*state & ~(BAR_WAS_LAST | BAR_CANCELLED)) + BAR_INCR,
		    MEMMODEL_RELEASE);
  *state &= ~BAR_WAS_LAST;
  *leave = true;
}

bool
gomp_fold_ends_call (gomp_barrier_state_t *state, bool *leave)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = thr->amp_fold;
  struct gomp_fold_call *call;
  struct gomp_team_state ts;
  struct gomp_task *task;
  struct gomp_fold_environment own, now;
  unsigned count, last = 0;

  /* The call of id 0.  */
  if (me == NULL || me->number != 0 || me->call == NULL || thr->ts.level != 1)
    return false;
  call = me->call;
  me->call = NULL;
  ts = thr->ts;
  task = thr->task;
  own = end_first (call, me);
  count = run_others (call, thr, me, &last);
  count += run_late (call, thr, me);
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
  count_in (call, count, state, leave);
  return true;
}

void
gomp_fold_end_call (struct gomp_fold_pool *fold)
{
  struct gomp_fold_call *call = fold->call;
  gomp_barrier_t *bar = &call->team->barrier;
  unsigned tries = 0;

  /* Sequentially consistent, as in help.  */
  __atomic_store_n (&fold->called, false, __ATOMIC_SEQ_CST);
  while (__builtin_expect (__atomic_load_n (&call->helpers, __ATOMIC_SEQ_CST)
			   != 0, 0))
    {
      /* A helper may have come to the barrier when the region had ended.  */
      gomp_barrier_set (bar, gomp_barrier_get (bar) + BAR_INCR);
      gomp_team_barrier_wake (bar, 0);
      gomp_fold_await_other (&tries);
    }
  /* Tasks may have been depending on others, of any id.  That of id 0 is
     upstream's.  */
  if (__builtin_expect (gomp_fold_stays (call), 0))
    for (unsigned id = 1; id < call->team->nthreads; id++)
      gomp_finish_task (&call->team->implicit_task[id]);
  if (call->measured && !__atomic_load_n (&call->late, __ATOMIC_RELAXED))
    gomp_fold_note (call->deal, &call->shares, call->began,
		    gomp_amp_clock ());
  gomp_fold_give_deal (call->deal);
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
