/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Gives threads to the ids of called regions that have not begun, and has
   threads without an id run tasks.  The rules are in fold-late.h.  */

#include "libgomp.h"
#include "base/events.h"
#include "fold/fold-call.h"
#include "fold/fold-caller.h"
#include "fold/fold-late.h"
#include "fold/fold-team.h"
#include "ompt/ompt.h"

/* How many positions WORD stands for.  */

static inline unsigned
ids_in (unsigned long word)
{
  return (gomp_fold_has_ids (word)
	  ? gomp_fold_end (word) - gomp_fold_front (word) : 0);
}

unsigned
gomp_fold_ids_left (const struct gomp_fold_call *call)
{
  unsigned left = 0;

  for (unsigned w = 0; w < gomp_fold_sharers (&call->shares); w++)
    left += (ids_in (__atomic_load_n (&call->shares.share[w].word,
				      __ATOMIC_RELAXED))
	     + ids_in (__atomic_load_n (&call->caller[w].late_ids,
					__ATOMIC_RELAXED)));
  return left;
}

void
gomp_fold_wake_all (struct gomp_fold_team *team, unsigned home)
{
  for (unsigned w = 0; w < team->workers; w++)
    {
      gomp_fold_wake_docked (&team->worker[w]);
      if (w != home)
	gomp_fold_ring (&team->worker[w]);
    }
}

void
gomp_fold_make_late (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  struct gomp_fold_call *call = fold->call;

  /* Sequentially consistent, as is gomp_fold_late_p.  */
  __atomic_store_n (&call->late, true, __ATOMIC_SEQ_CST);
  for (unsigned w = 0; w < gomp_fold_sharers (&call->shares); w++)
    {
      unsigned first, end;

      gomp_fold_take_all (&call->shares.share[w], &first, &end);
      /* Release: the thread that takes an id of it acquires that.  */
      if (first < end)
	__atomic_store_n (&call->caller[w].late_ids,
			  (unsigned long) first << GOMP_FOLD_HALF | end,
			  __ATOMIC_RELEASE);
    }
  gomp_fold_wake_all (team, call->home);
}

bool
gomp_fold_late_p (const struct gomp_fold_pool *fold)
{
  /* Acquire: FOLD->call.  */
  return (__builtin_expect (__atomic_load_n (&fold->called, __ATOMIC_ACQUIRE),
			    0)
	  && __atomic_load_n (&fold->call->late, __ATOMIC_SEQ_CST));
}

void
gomp_fold_called_waits (struct gomp_fold_call *call, const int *addr)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_team *team = call->team;
  struct gomp_fold_pool *fold;

  /* Only such waits are for other ids: the last one is for the event of a
     detached task that runs at once.  A thread that holds a lock runs.  */
  if (addr != NULL
      && (thr->ts.team != team
	  || (addr != (const int *) &team->barrier.generation
	      && addr != (const int *) team->ordered_release[thr->ts.team_id]
	      && (thr->task->deferred_p
		  || addr != (const int *) thr->task->completion_sem))))
    return;
  if (gomp_fold_ids_left (call) == 0)
    return;
  fold = thr->thread_pool->amp_fold;
  gomp_fold_make_late (fold, fold->team);
  gomp_fold_note_turns (call->region, GOMP_FOLD_MEETS);
}

void
gomp_fold_task_ready (struct gomp_team *team)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = thr->amp_fold;
  struct gomp_fold_call *call = me != NULL ? me->call : NULL;
  struct gomp_fold_pool *fold;

  team->amp_tasks.any = true;
  if (call == NULL || call->team != team
      || __atomic_load_n (&call->tasks, __ATOMIC_RELAXED))
    return;
  __atomic_store_n (&call->tasks, true, __ATOMIC_RELAXED);
  fold = thr->thread_pool->amp_fold;
  gomp_fold_make_late (fold, fold->team);
  gomp_fold_note_turns (call->region, GOMP_FOLD_HAS_TASKS);
}

unsigned
gomp_fold_take_free_id (struct gomp_fold_call *call)
{
  for (unsigned id = 0; id < call->team->nthreads; id++)
    {
      unsigned char number = GOMP_FOLD_FREE;

      if (__atomic_load_n (&call->number[id], __ATOMIC_RELAXED) == number
	  && __atomic_compare_exchange_n (&call->number[id], &number,
					  GOMP_FOLD_TAKEN, false,
					  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
	return id;
    }
  return GOMP_FOLD_NO_ID;
}

unsigned
gomp_fold_take_late (struct gomp_fold_call *call, unsigned w)
{
  unsigned workers = gomp_fold_sharers (&call->shares);

  gomp_event_meet ();
  for (unsigned n = workers; n != 0; n--, w = w + 1 < workers ? w + 1 : 0)
    {
      unsigned long *late = &call->caller[w].late_ids;
      unsigned long word = __atomic_load_n (late, __ATOMIC_RELAXED);

      /* Acquire: see rule 1 of fold-call.h.  */
      while (gomp_fold_has_ids (word))
	if (__atomic_compare_exchange_n (late, &word,
					 word + (1UL << GOMP_FOLD_HALF), true,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
	  {
	    unsigned id = gomp_fold_id_at (&call->shares,
					   gomp_fold_front (word));

	    if (gomp_ompt_p ())
	      gomp_ompt_note_taken (w, true);
	    return id;
	  }
    }
  return GOMP_FOLD_NO_ID;
}

/* ME, the calling thread, THR, has no id to run in FOLD's region, which has
   tasks: run some.  */

static void
help (struct gomp_fold_pool *fold, struct gomp_fold_call *call,
      struct gomp_thread *thr, struct gomp_fold_thread *me)
{
  unsigned serial = __atomic_load_n (&call->serial, __ATOMIC_RELAXED), id;

  /* Sequentially consistent, as in gomp_fold_end_call: either that waits for
     us, or we see that the region is no longer called.  */
  __atomic_fetch_add (&call->helpers, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n (&fold->called, __ATOMIC_SEQ_CST)
	 && serial == __atomic_load_n (&call->serial, __ATOMIC_RELAXED)
	 && gomp_fold_stays (call)
	 && (id = gomp_fold_take_free_id (call)) != GOMP_FOLD_NO_ID)
    {
      gomp_barrier_t *bar = &call->team->barrier;

      gomp_fold_become (call, thr, me, id);
      me->call = NULL;
      gomp_team_barrier_wait_end (bar, gomp_fold_barrier_state (bar));
      if (gomp_ompt_p ())
	gomp_ompt_called_ends ();
      gomp_fold_free_id (call, id);
    }
  __atomic_fetch_sub (&call->helpers, 1, __ATOMIC_RELEASE);
}

void
gomp_fold_answer_late (struct gomp_fold_thread *me)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_pool *fold = thr->thread_pool->amp_fold;
  struct gomp_fold_call *call = fold->call;
  unsigned id;

  me->environment = gomp_fold_read_environment ();
  while ((id = gomp_fold_take_late (call, me->own)) != GOMP_FOLD_NO_ID)
    {
      gomp_fold_run_id (call, thr, me, id);
      gomp_fold_arrive (call, id, 1);
    }
  if (gomp_fold_stays (call))
    help (fold, call, thr, me);
}
