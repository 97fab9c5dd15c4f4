/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads of folded teams: how each joins, waits, yields and ends as an id
   of a worker.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-call.h"
#include "fold/fold-kernel.h"
#include "fold/fold-late.h"
#include "fold/fold-move.h"
#include "fold/fold-pool.h"
#include "fold/fold-region.h"
#include "fold/fold-setup.h"
#include "fold/fold-watch.h"

#ifdef GOMP_AMP_VIRTUAL
/* A wait is one event there.  The thread that ends it knows how long the others
   would have spun.  */
# define gomp_spin_count_var 0
#endif

/* A thread lets another id run at each such failure to get a lock by a
   test.  */
#define GOMP_FOLD_FAILURES 16

/* A thread that waits for another one of its pool sleeps at each such try.  */
#define TRIES 1024

/* The record of FOLD's present thread NUMBER, or NULL.  */

static struct gomp_fold_thread *
find_record (const struct gomp_fold_pool *fold, unsigned number)
{
  struct gomp_fold_thread *thread
    = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);

  while (thread != NULL
	 && (thread->number != number
	     || __atomic_load_n (&thread->ended, __ATOMIC_RELAXED)))
    thread = thread->next;
  return thread;
}

void
gomp_fold_unbind (void)
{
  struct gomp_thread *thr = gomp_thread ();
  const struct gomp_team_state *ts = &thr->ts.team->prev_ts;
  const struct gomp_fold_pool *fold
    = __atomic_load_n (&thr->thread_pool->amp_fold, __ATOMIC_ACQUIRE);
  const struct gomp_fold_thread *maker, *first;

  /* The thread with number 0 of an inner team has started it.  */
  while (ts->level > 1 && ts->team_id == 0)
    ts = &ts->team->prev_ts;
  if (ts->level != 1 || fold == NULL
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return;
  maker = gomp_fold_caller_of (fold, ts->team_id);
  if (maker == NULL)
    maker = find_record (fold, ts->team_id);
  first = find_record (fold, 0);
  if (maker != NULL && first != NULL
      && gomp_fold_has_mask_of (0, __atomic_load_n (&maker->own,
						    __ATOMIC_RELAXED)))
    gomp_fold_unbind_made (fold, first);
}

void
gomp_fold_begin_child (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = gomp_fold_on ? thr->amp_fold : NULL;
  struct gomp_fold_pool *fold = (thr->thread_pool != NULL
				 ? thr->thread_pool->amp_fold : NULL);

  if (fold == NULL)
    return;
  /* The threads that look parked do not exist.  */
  fold->off = true;
  fold->team = NULL;
  fold->called = false;
  if (me == NULL)
    return;
  me->call = NULL;
  me->team = NULL;
  if (me->number == 0)
    {
      if (fold->bound)
	gomp_fold_unbind_first (fold);
    }
  else if (me->bound >= 0)
    gomp_fold_unbind_thread (0, me->bound);
}

/* The worker whose CPU ME is bound to, or -1.  Relaxed: the watching thread may
   unbind ME at any time.  */

static inline int
bound_to (const struct gomp_fold_thread *me)
{
  return __atomic_load_n (&me->bound, __ATOMIC_RELAXED);
}

/* THR is in its fold team no longer.  */

static void
leave (struct gomp_fold_thread *me)
{
  struct gomp_fold_team *team = me->team;

  if (team == NULL)
    return;
  me->team = NULL;
  gomp_fold_leave (&me->id);
  __atomic_fetch_sub (&team->members, 1, __ATOMIC_RELEASE);
}

/* FOLD's record of a thread that has ended and had NUMBER, for the calling
   thread, or else a new one.  NULL if memory is short.  */

static struct gomp_fold_thread *
get_record (struct gomp_fold_pool *fold, unsigned number)
{
  struct gomp_fold_thread *me;

  /* Acquire what the thread that ended did.  */
  for (me = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE); me != NULL;
       me = me->next)
    if (me->number == number
	&& __atomic_exchange_n (&me->ended, false, __ATOMIC_ACQUIRE))
      break;
  if (me != NULL)
    {
      __atomic_store_n (&me->id.tid, syscall (SYS_gettid), __ATOMIC_RELAXED);
      return me;
    }
  if (posix_memalign ((void **) &me, __alignof__ (struct gomp_fold_thread),
		      sizeof *me) != 0)
    return NULL;
  memset (me, 0, sizeof *me);
  me->number = number;
  me->id.tid = syscall (SYS_gettid);
  me->bound = -1;
  me->next = __atomic_load_n (&fold->threads, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&fold->threads, &me->next, me, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return me;
}

/* THR, the calling thread, whose pool is run as FOLD says, waits for the first
   time in FOLD's present team, TEAM, which may be NULL.  Returns what it
   keeps; NULL if it is not of that team.

   A thread has its record from its first wait on, also in a team that is not
   folded: at the dock another thread may be writing THR's TS.  */

static struct gomp_fold_thread *
join (struct gomp_thread *thr, struct gomp_fold_pool *fold,
      struct gomp_fold_team *team)
{
  struct gomp_fold_thread *me = thr->amp_fold;
  unsigned number, w;
  bool unfolds;
  int bound;

  if (me == NULL)
    {
      /* The threads of an inner team have the same pool.  */
      if (thr->ts.level != 1)
	return NULL;
      me = get_record (fold, thr->ts.team_id);
      if (me == NULL)
	return NULL;
      thr->amp_fold = me;
    }
  /* The watching thread may be about to unbind this one.  */
  unfolds = (me->team != NULL
	     && gomp_fold_disbanded_p (me->team));
  leave (me);
  number = me->number;
  if (team == NULL || number >= team->ids)
    {
      /* No hook will stop the stopwatch later.  */
      me->works = false;
      gomp_fold_stop_stopwatch (&me->stopwatch);
      /* If the watching thread has taken BOUND it unbinds this thread.  */
      bound = bound_to (me);
      if (bound >= 0)
	bound = __atomic_exchange_n (&me->bound, -1, __ATOMIC_RELAXED);
      if (bound >= 0)
	gomp_fold_unbind_thread (0, bound);
      return NULL;
    }
  __atomic_fetch_add (&team->members, 1, __ATOMIC_RELAXED);
  /* TEAM may have been given up before the addition.  It is not reset before we
     leave.  */
  for (w = 0; number >= team->first[w + 1]; w++)
    continue;
  me->team = team;
  __atomic_store_n (&me->own, w, __ATOMIC_RELAXED);
  if (number == 0)
    gomp_fold_move_first (fold, w);
  else if (bound_to (me) != (int) w || unfolds)
    gomp_fold_bind_to (fold, me, w);
  gomp_fold_join (&me->id, &team->worker[w], number - team->first[w]);
  return me;
}

struct gomp_fold_thread *
gomp_fold_current (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread_pool *pool = thr->thread_pool;
  struct gomp_fold_pool *fold;
  struct gomp_fold_team *team;

  if (pool == NULL)
    return NULL;
  fold = __atomic_load_n (&pool->amp_fold, __ATOMIC_ACQUIRE);
  if (fold == NULL)
    return NULL;
  team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);
  if (__builtin_expect (thr->amp_fold != NULL && thr->amp_fold->team == team
			&& team != NULL, 1))
    return thr->amp_fold;
  return join (thr, fold, team);
}

/* ME, the calling thread, takes part in the turns from here on, and no signal
   handler does in its name.  */

static inline void
begin_inside (struct gomp_fold_thread *me)
{
  __atomic_store_n (&me->steps, me->steps + 1, __ATOMIC_RELAXED);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  gomp_fold_stop_stopwatch (&me->stopwatch);
}

static inline void
end_inside (struct gomp_fold_thread *me)
{
  if (me->works)
    gomp_fold_start_stopwatch (&me->stopwatch);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  __atomic_store_n (&me->steps, me->steps + 1, __ATOMIC_RELAXED);
}

/* ME, the calling thread, is id 0 and has just waited.  FOLDED: it took turns
   with other ids.  Keep it on its worker's CPU as long as the region is
   folded.  */

static void
place_first (struct gomp_fold_thread *me, bool folded)
{
  struct gomp_fold_pool *fold = gomp_thread ()->thread_pool->amp_fold;

  if (folded)
    {
      if (fold->runs)
	gomp_fold_keep_first (fold);
    }
  else if (fold->bound
	   && gomp_fold_disbanded_p (me->team))
    gomp_fold_unbind_first (fold);
}

/* ME, the calling thread, begins or goes on with its part of a region.  */

static void
begin_part (struct gomp_fold_thread *me)
{
  begin_inside (me);
  if (!me->id.turn)
    gomp_fold_begin (&me->id);
  me->works = gomp_fold_measured_p (me->team);
  end_inside (me);
  if (me->number == 0 && me->id.turn)
    place_first (me, true);
}

void
gomp_fold_begin_region (void)
{
  struct gomp_fold_thread *me = gomp_fold_current ();

  if (me == NULL)
    return;
  begin_part (me);
  me->environment = gomp_fold_read_environment ();
}

/* The region of the calling thread's pool changes how its threads compute.  */

static void __attribute__ ((noinline, cold))
note_environment (void)
{
  const struct gomp_fold_pool *fold = gomp_thread ()->thread_pool->amp_fold;
  struct gomp_fold_region *region = gomp_fold_find_region (fold->fn);

  if (region != NULL)
    gomp_fold_note_turns (region, GOMP_FOLD_SETS_THREAD);
}

void
gomp_fold_end_part (void)
{
  struct gomp_thread *thr = gomp_thread ();
  const struct gomp_fold_thread *me = thr->amp_fold;
  struct gomp_fold_environment now;

  if (me == NULL || me->team == NULL || thr->ts.level != 1)
    return;
  now = gomp_fold_read_environment ();
  if (__builtin_expect (!gomp_fold_same_controls (&me->environment, &now), 0))
    note_environment ();
}

void
gomp_fold_begin_call (void)
{
  struct gomp_fold_thread *me = gomp_thread ()->amp_fold;

  if (me->id.turn)
    return;
  begin_inside (me);
  gomp_fold_begin (&me->id);
  end_inside (me);
}

void
gomp_fold_stop_first (void)
{
  struct gomp_fold_thread *me = gomp_thread ()->amp_fold;

  if (me == NULL)
    return;
  me->works = false;
  gomp_fold_stop_stopwatch (&me->stopwatch);
}

bool
gomp_fold_leaves_early (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me;
  struct gomp_fold_team *team;
  unsigned *ended;

  if (thr->ts.level != 1 || thr->ts.team_id == 0)
    return false;
  me = gomp_fold_current ();
  /* The same for all threads of a region, which count or do not.  */
  if (me == NULL || !thr->thread_pool->amp_fold->leave
      || me->id.worker->slots == 1)
    return false;
  team = me->team;
  /* Of the first id's worker that one waits.  */
  if (me->id.worker != &team->worker[team->home])
    {
      ended = &me->id.worker->ended;
      /* Relaxed: no other data depends on it.  All ids of a region count before
	 any id of the next one does.  */
      if (__atomic_add_fetch (ended, 1, __ATOMIC_RELAXED)
	  == me->id.worker->slots)
	{
	  __atomic_store_n (ended, 0, __ATOMIC_RELAXED);
	  return false;
	}
    }
  /* In a disbanded team no thread waits in another's place.  Acquire the writes
     of its own tasks, which free nothing that is read then.  */
  return (!gomp_fold_disbanded_p (team)
	  && thr->task->depend_hash == NULL
	  && !__atomic_load_n (&thr->ts.team->task_count, __ATOMIC_ACQUIRE));
}

static bool
yield (struct gomp_fold_thread *me)
{
  bool another;

  begin_inside (me);
  another = gomp_fold_yield (&me->id);
  end_inside (me);
  return another;
}

/* How often a thread that does not take turns looks before it sleeps.  ME: its
   record, or NULL if it is not of a folded team.  */

static unsigned long long
own_spins (const struct gomp_fold_thread *me)
{
  /* Beside workers whose ids take turns the worker of a single id has a core
     to itself, however many ids there are.  */
  if ((me != NULL && me->id.worker->slots == 1 && me->team->takes_turns
       && !gomp_fold_workers.share)
      || (__atomic_load_n (&gomp_managed_threads, MEMMODEL_RELAXED)
	  <= gomp_available_cpus + GOMP_FOLD_BIAS))
    return gomp_spin_count_var;
  return gomp_throttled_spin_count_var;
}

/* How often the worker of ME looks before it sleeps.  A worker that spins keeps
   others from its CPU, of its team or of another one.

   From GCC 13 on libgomp does not spin on hybrid processors of Intel's unless
   it is told to (PR109812): the threads of big cores wait for those of small
   ones at each barrier, for long, and take power and shared units from them.
   Workers get as much work as they are fast, so that they wait for a short
   time, and the ids of a worker take turns, so that one thread of a CPU spins.
   To sleep and to be woken would take longer than that wait.  env.c therefore
   keeps the count of other processors where teams are folded.  */

static unsigned long long
worker_spins (const struct gomp_fold_thread *me)
{
  if (gomp_fold_workers.share
      || (__atomic_load_n (&gomp_managed_threads, MEMMODEL_RELAXED)
	  > me->team->ids + GOMP_FOLD_BIAS))
    return gomp_throttled_spin_count_var;
  return gomp_spin_count_var;
}

/* ME, the calling thread, is another id and has waited, maybe for a region to
   begin: if that is not folded, it is bound no longer.  */

static void
place_other (struct gomp_fold_thread *me)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_pool *fold = thr->thread_pool->amp_fold;

  /* Relaxed: nothing of the team is looked at.  */
  if (__atomic_load_n (&fold->team, __ATOMIC_RELAXED) == NULL
      && bound_to (me) >= 0)
    join (thr, fold, NULL);
}

unsigned
gomp_fold_find_worker (unsigned *worker)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_pool *fold;
  struct gomp_fold_team *team;
  unsigned w;

  if (!gomp_fold_on || thr->ts.team == NULL || thr->ts.level != 1
      || thr->thread_pool == NULL)
    return 0;
  fold = __atomic_load_n (&thr->thread_pool->amp_fold, __ATOMIC_ACQUIRE);
  if (fold == NULL || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return 0;
  if (__atomic_load_n (&fold->called, __ATOMIC_RELAXED)
      && thr->amp_fold != NULL)
    {
      *worker = thr->amp_fold->own;
      return gomp_fold_workers.count;
    }
  /* Acquire its ranges.  The team stays until the next barrier.  */
  team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);
  if (team == NULL || team->ids != thr->ts.team->nthreads
      || gomp_fold_disbanded_p (team))
    return 0;
  for (w = 0; thr->ts.team_id >= team->first[w + 1]; w++)
    continue;
  *worker = w;
  return team->workers;
}

int
gomp_fold_worker_of (const struct gomp_thread *thr)
{
  const struct gomp_fold_thread *me = thr->amp_fold;

  return (me != NULL && me->team != NULL
	  && !gomp_fold_disbanded_p (me->team)
	  ? me->own : -1);
}

/* ME, the calling thread, has waited.  Returns whether its pool has another
   team now, whose turns ME has to take.  */

static bool
moved (const struct gomp_fold_thread *me)
{
  /* Relaxed: a thread that joins the team acquires it.  */
  const struct gomp_fold_team *team
    = __atomic_load_n (&gomp_thread ()->thread_pool->amp_fold->team,
		       __ATOMIC_RELAXED);

  return team != NULL && team != me->team;
}

/* An id of WORKER waits as if nothing was folded, and looks SPINS times before.
   As gomp_fold_wait.  That is what upstream's do_wait would do, but it would
   not come back here to take turns in another team.  Relaxed, as there: the
   caller looks again.  */

static enum gomp_fold_result
wait_alone (struct gomp_fold_worker *worker, int *addr, int val,
	    enum gomp_fold_way way, unsigned long long spins)
{
  for (unsigned long long left = spins; left != 0; left--)
    {
      if (__atomic_load_n (addr, __ATOMIC_RELAXED) != val)
	return GOMP_FOLD_LOOK;
      if (way == GOMP_FOLD_DOCK && gomp_fold_take_ring (worker))
	return GOMP_FOLD_CALLED;
      gomp_fold_relax ();
    }
  if (way == GOMP_FOLD_SPIN)
    return GOMP_FOLD_WAITED;
  if (way == GOMP_FOLD_DOCK)
    return gomp_fold_sleep_docked (worker, addr, val);
  gomp_fold_sleep (addr, val);
  return GOMP_FOLD_LOOK;
}

/* Whether ME, the calling thread, which waits for *ADDR, waits for the next
   region.  Not so the thread that starts it.  */

static inline bool
at_dock (const struct gomp_fold_thread *me, const int *addr)
{
  return (addr == (const int *) (&gomp_thread ()->thread_pool
				 ->threads_dock.bar.generation)
	  && me->number != 0);
}

int
gomp_fold_wait_for (int *addr, int val, enum gomp_fold_way way,
		    unsigned long long *spins)
{
  struct gomp_fold_thread *me;

  while ((me = gomp_fold_current ()) != NULL)
    {
      enum gomp_fold_result result;
      bool alone;

      if (__builtin_expect (me->call != NULL, 0))
	gomp_fold_called_waits (me->call, addr);
      else if (way != GOMP_FOLD_SPIN && at_dock (me, addr))
	{
	  way = GOMP_FOLD_DOCK;
	  /* What it does here, called ids too, is none of its id's work.  */
	  me->works = false;
	  gomp_fold_stop_stopwatch (&me->stopwatch);
	  if (gomp_fold_late_p (gomp_thread ()->thread_pool->amp_fold))
	    gomp_fold_answer_late (me);
	}
      begin_inside (me);
      result = gomp_fold_wait (&me->id, addr, val, way, worker_spins (me));
      alone = result == GOMP_FOLD_ALONE;
      if (alone && !moved (me))
	/* A caller without SPINS has already spun.  */
	result = wait_alone (me->id.worker, addr, val, way,
			     spins != NULL ? own_spins (me) : 0);
      end_inside (me);
      if (result == GOMP_FOLD_ALONE)
	continue;
      if (result == GOMP_FOLD_CALLED)
	{
	  gomp_fold_answer (me);
	  continue;
	}
      if (moved (me))
	{
	  me = gomp_fold_current ();
	  if (me != NULL)
	    begin_part (me);
	}
      else if (me->number == 0)
	place_first (me, !alone);
      else
	place_other (me);
      return result == GOMP_FOLD_WAITED;
    }
  if (spins != NULL)
    *spins = own_spins (NULL);
  return -1;
}

/* The called region of the pool of the calling thread, of which an id runs the
   inner team that this thread is of; or NULL.  */

static struct gomp_fold_call *
inner_call (void)
{
  const struct gomp_thread *thr = gomp_thread ();
  const struct gomp_fold_pool *fold
    = (thr->ts.level > 1 && thr->thread_pool != NULL
       ? __atomic_load_n (&thr->thread_pool->amp_fold, __ATOMIC_ACQUIRE)
       : NULL);

  /* Acquire what the region is: it lasts until the inner team has ended.  */
  return (fold != NULL && __atomic_load_n (&fold->called, __ATOMIC_ACQUIRE)
	  ? fold->call : NULL);
}

void
gomp_fold_let_others_run (void)
{
  struct gomp_fold_thread *me = gomp_fold_current ();

  struct gomp_fold_call *call = me != NULL ? me->call : inner_call ();

  if (__builtin_expect (call != NULL, 0))
    gomp_fold_called_waits (call, NULL);
  if (me != NULL && yield (me))
    return;
  /* The awaited id may be of another worker of the same CPU.  */
  if (gomp_fold_workers.share)
    gomp_fold_yield_cpu ();
  else
    gomp_fold_relax ();
}

void
gomp_fold_await_other (unsigned *tries)
{
  if (++*tries % TRIES == 0)
    gomp_fold_sleep_briefly ();
  else
    gomp_fold_let_others_run ();
}

void
gomp_fold_lock_failed (void)
{
  struct gomp_fold_thread *me = gomp_fold_current ();

  if (me != NULL && ++me->failures % GOMP_FOLD_FAILURES == 0)
    yield (me);
}

/* Signal handlers yield, too.  So this does not join, and does nothing when it
   interrupted something that deals with turns: TEAM is NULL while the thread
   leaves, and TURN is set only after it has joined.  */

int
gomp_amp_yield (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = gomp_fold_on ? thr->amp_fold : NULL;

  return (me != NULL && me->steps % 2 == 0 && me->team != NULL && me->id.turn
	  && yield (me));
}

void
gomp_fold_end_thread (struct gomp_thread *thr)
{
  struct gomp_fold_pool *fold = thr->thread_pool->amp_fold;

  if (thr->amp_fold != NULL)
    {
      leave (thr->amp_fold);
      thr->amp_fold->works = false;
      gomp_fold_stop_stopwatch (&thr->amp_fold->stopwatch);
      gomp_fold_hold_watch ();
      __atomic_store_n (&thr->amp_fold->id.tid, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&thr->amp_fold->bound, -1, __ATOMIC_RELAXED);
      gomp_fold_release_watch ();
      __atomic_store_n (&thr->amp_fold->ended, true, __ATOMIC_RELEASE);
      thr->amp_fold = NULL;
    }
  if (fold != NULL)
    {
      /* Release: a thread that sees this may use the slot of this one.  */
      __atomic_fetch_add (&fold->ended, 1, __ATOMIC_RELEASE);
      gomp_fold_wake (&fold->ended);
    }
}
