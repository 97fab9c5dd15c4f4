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
#include "fold/fold-kernel.h"
#include "fold/fold-move.h"
#include "fold/fold-park.h"
#include "fold/fold-pool.h"
#include "fold/fold-setup.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "machine/cpu.h"

#ifdef GOMP_AMP_VIRTUAL
/* A wait takes one step there.  The thread that ends it knows how long the
   others would have spun.  */
# define gomp_spin_count_var 0
#endif

/* A thread lets another id run at each such failure to get a lock by a
   test.  */
#define GOMP_FOLD_FAILURES 16

struct gomp_fold_thread *
gomp_fold_find_thread (const struct gomp_fold_pool *fold, unsigned number)
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
  maker = gomp_fold_find_thread (fold, ts->team_id);
  first = gomp_fold_find_thread (fold, 0);
  /* The kernel thread that carried the maker had the mask of its worker.  */
  if (maker != NULL && first != NULL
      && gomp_fold_has_mask_of (0, gomp_fold_dealt_to (maker)))
    gomp_fold_unbind_made (fold, first);
}

void
gomp_fold_begin_child (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = gomp_fold_on ? thr->amp_fold : NULL;
  struct gomp_fold_pool *fold = (thr->thread_pool != NULL
				 ? thr->thread_pool->amp_fold : NULL);
  struct gomp_fold_thread *on;

  if (fold == NULL)
    return;
  /* The other kernel threads do not exist, and locks may be held for good: no
     id is carried here.  */
  fold->off = true;
  fold->team = NULL;
  fold->crew.mode = GOMP_FOLD_FREE;
  if (me == NULL)
    return;
  on = gomp_fold_thread_of (me->id.on);
  if (on->number == 0)
    {
      if (fold->bound)
	gomp_fold_unbind_first (fold);
    }
  else if (on->bound >= 0)
    gomp_fold_unbind_thread (0, on->bound);
#ifndef GOMP_AMP_VIRTUAL
  /* The memory of the other thread is free in the child, and the kernel would
     write there.  */
  if (on != me && gomp_amp_rseq_cpu != 0)
    {
      ptrdiff_t offset = gomp_amp_rseq_cpu - sizeof (int);

      gomp_fold_move_rseq ((char *) on->pointer + offset,
			   (char *) me->pointer + offset);
    }
#endif
  gomp_fold_begin_id (&me->id);
  me->id.own.wanted = NULL;
  me->bound = -1;
  me->tid = syscall (SYS_gettid);
}

/* FOLD's record of a thread that has ended and had NUMBER, for the calling
   thread, or else a new one.  NULL if memory is short.  */

static struct gomp_fold_thread *
get_record (struct gomp_fold_pool *fold, unsigned number)
{
  struct gomp_fold_thread *me;
  bool old;

  /* Acquire what the thread that ended did.  */
  for (me = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE); me != NULL;
       me = me->next)
    if (me->number == number
	&& __atomic_exchange_n (&me->ended, false, __ATOMIC_ACQUIRE))
      break;
  old = me != NULL;
  if (!old)
    {
      if (posix_memalign ((void **) &me,
			  __alignof__ (struct gomp_fold_thread),
			  sizeof *me) != 0)
	return NULL;
      memset (me, 0, sizeof *me);
      me->number = number;
      me->fold = fold;
      me->bound = -1;
      me->id.leads = number == 0;
    }
  gomp_fold_begin_id (&me->id);
  if (!gomp_fold_make_room (&me->id.own))
    {
      if (old)
	__atomic_store_n (&me->ended, true, __ATOMIC_RELEASE);
      else
	free (me);
      return NULL;
    }
  __atomic_store_n (&me->tid, syscall (SYS_gettid), __ATOMIC_RELAXED);
  me->pointer = __builtin_thread_pointer ();
  if (old)
    return me;
  /* Release: others read the record.  */
  me->next = __atomic_load_n (&fold->threads, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&fold->threads, &me->next, me, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return me;
}

/* THR, the calling thread, of the pool FOLD, has no record yet.  Returns a new
   one, NULL if it is of an inner team or memory is short.

   A thread has its record from its first wait on, also in a team that is not
   folded: at the dock another thread may be writing THR's TS.  */

static struct gomp_fold_thread * __attribute__ ((noinline))
join (struct gomp_thread *thr, struct gomp_fold_pool *fold)
{
  const struct gomp_fold_team *team = __atomic_load_n (&fold->team,
						       __ATOMIC_ACQUIRE);
  struct gomp_fold_thread *me;
  unsigned number = thr->ts.team_id, w;
  bool dealt = team != NULL && number < team->ids;

  /* The threads of an inner team have the same pool.  */
  if (thr->ts.level != 1)
    return NULL;
  me = get_record (fold, number);
  if (me == NULL)
    return NULL;
  w = dealt ? __atomic_load_n (&team->owner[number], __ATOMIC_RELAXED) : 0;
  __atomic_store_n (&me->id.worker, &fold->crew.worker[w], __ATOMIC_RELAXED);
  thr->amp_fold = me;
  if (number != 0 && dealt)
    gomp_fold_bind_to (fold, me, w);
  return me;
}

struct gomp_fold_thread *
gomp_fold_current (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_pool *fold;

  if (__builtin_expect (thr->amp_fold != NULL, 1))
    return thr->amp_fold;
  if (thr->thread_pool == NULL)
    return NULL;
  fold = __atomic_load_n (&thr->thread_pool->amp_fold, __ATOMIC_ACQUIRE);
  return fold != NULL ? join (thr, fold) : NULL;
}

struct gomp_fold_carrier *
gomp_fold_choose_parked (const struct gomp_fold_worker *worker,
			 struct gomp_fold_id *for_id)
{
  const struct gomp_fold_pool *fold
    = ((const struct gomp_fold_thread *) for_id)->fold;
  struct gomp_fold_carrier *own = &for_id->own;
  struct gomp_fold_thread *threads
    = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);

  if (gomp_fold_choose (own))
    return own;
  /* Those that are bound to its core first.  */
  for (int pass = 0; pass < 2; pass++)
    for (struct gomp_fold_thread *thread = threads; thread != NULL;
	 thread = thread->next)
      if ((pass != 0
	   || (__atomic_load_n (&thread->bound, __ATOMIC_RELAXED)
	       == (int) worker->number))
	  && gomp_fold_choose (&thread->id.own))
	return &thread->id.own;
  return NULL;
}

void
gomp_fold_place (struct gomp_fold_carrier *c,
		 const struct gomp_fold_worker *worker, bool watching)
{
  struct gomp_fold_thread *thread = gomp_fold_thread_of (c);

  /* The first one is bound only if it is elsewhere, and by itself.  */
  if (thread->number == 0)
    {
      if (gomp_thread ()->amp_fold == thread)
	gomp_fold_move_first (thread->fold, worker->number);
      return;
    }
  if (watching)
    gomp_fold_bind_unwatched (thread->fold, thread, worker->number);
  else
    gomp_fold_bind_to (thread->fold, thread, worker->number);
}

/* ME, the calling thread, has run on ON, which is not the worker that it is
   dealt to: its time counts as what it would have been there.  */

static void __attribute__ ((noinline, cold))
convert_time (struct gomp_fold_thread *me, const struct gomp_fold_worker *on)
{
  const struct gomp_fold_worker *own = __atomic_load_n (&me->id.worker,
							__ATOMIC_RELAXED);
  unsigned long ran = gomp_fold_ticks () - me->began;
  unsigned long speed = __atomic_load_n (&on->speed, __ATOMIC_RELAXED);

  gomp_fold_stop_stopwatch (&me->stopwatch);
  gomp_fold_add_to_stopwatch
    (&me->stopwatch,
     (long) (ran * speed / __atomic_load_n (&own->speed, __ATOMIC_RELAXED)
	     - ran));
}

/* ME, the calling thread, may be put down from here on, and no signal handler
   does so in its name.  */

static inline void
begin_inside (struct gomp_fold_thread *me)
{
  const struct gomp_fold_worker *on;

  __atomic_store_n (&me->steps, me->steps + 1, __ATOMIC_RELAXED);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  if (!me->works)
    return;
  on = __atomic_load_n (&me->id.on->of, __ATOMIC_RELAXED);
  if (__builtin_expect (on == NULL
			|| on == __atomic_load_n (&me->id.worker,
						  __ATOMIC_RELAXED), 1))
    gomp_fold_stop_stopwatch (&me->stopwatch);
  else
    convert_time (me, on);
}

static inline void
end_inside (struct gomp_fold_thread *me)
{
  if (me->works)
    me->began = gomp_fold_start_stopwatch (&me->stopwatch);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  __atomic_store_n (&me->steps, me->steps + 1, __ATOMIC_RELAXED);
}

void
gomp_fold_note_carried (struct gomp_fold_id *me)
{
#ifndef GOMP_AMP_VIRTUAL
  ptrdiff_t offset = gomp_amp_rseq_cpu;

  /* The kernel stores the number of the CPU for a kernel thread.  Negative: the
     C library asks it.  The kernel stores a new one before the id's own kernel
     thread runs again.  */
  if (offset != 0)
    *(int *) ((char *) __builtin_thread_pointer () + offset) = -1;
#endif
}

void
gomp_fold_begin_region (void)
{
  struct gomp_fold_thread *me = gomp_fold_current ();
  struct gomp_fold_pool *fold;
  enum gomp_fold_mode mode;

  if (me == NULL)
    return;
  fold = me->fold;
  mode = gomp_fold_mode (fold);
  begin_inside (me);
  if (__builtin_expect (mode != GOMP_FOLD_CARRIED, 0))
    {
      /* Ids that are not carried any more need not: another one may spin on the
	 kernel thread of this one until this one begins.  */
      if (mode == GOMP_FOLD_APART)
	gomp_fold_go_home (&me->id);
      if (mode == GOMP_FOLD_APART && me->number != 0)
	gomp_fold_bind_to (fold, me, gomp_fold_dealt_to (me));
      else
	gomp_fold_let_go (fold, gomp_fold_thread_of (me->id.on));
    }
  /* It waited for this region while ids were not carried: its worker's other
     ids may run.  */
  else if (__builtin_expect (__atomic_load_n (&me->id.on->of, __ATOMIC_RELAXED)
			     == NULL, 0))
    gomp_fold_yield (&me->id);
  me->works = (mode == GOMP_FOLD_CARRIED && gomp_fold_measured_p (fold)
	       && fold->width == GOMP_WIDTH_ALL);
  end_inside (me);
}

void
gomp_fold_end_first (void)
{
  struct gomp_fold_thread *me = gomp_thread ()->amp_fold;

  if (me == NULL)
    return;
  begin_inside (me);
  gomp_fold_go_home (&me->id);
  me->works = false;
  end_inside (me);
}

bool
gomp_fold_leaves_early (void)
{
  struct gomp_thread *thr = gomp_thread ();
  const struct gomp_fold_thread *me = thr->amp_fold;
  struct gomp_fold_worker *w;
  unsigned ids;

  if (thr->ts.level != 1 || thr->ts.team_id == 0 || me == NULL
      || !me->fold->leave || gomp_fold_mode (me->fold) != GOMP_FOLD_CARRIED)
    return false;
  w = __atomic_load_n (&me->id.worker, __ATOMIC_RELAXED);
  ids = __atomic_load_n (&w->ids, __ATOMIC_RELAXED);
  if (ids <= 1)
    return false;
  /* Of the first id's worker that one waits.  */
  if (w->number != __atomic_load_n (&me->fold->home, __ATOMIC_RELAXED)
      /* Relaxed: no other data depends on it.  All ids of a region count before
	 any id of the next one does.  */
      && __atomic_add_fetch (&w->ended, 1, __ATOMIC_RELAXED) % ids == 0)
    return false;
  /* Acquire the writes of its own tasks, which free nothing that is read
     then.  */
  return (thr->task->depend_hash == NULL
	  && !__atomic_load_n (&thr->ts.team->task_count, __ATOMIC_ACQUIRE));
}

static bool
yield (struct gomp_fold_thread *me)
{
  bool another;

  begin_inside (me);
  another = gomp_fold_yield (&me->id);
  if (!another && gomp_fold_mode (me->fold) != GOMP_FOLD_CARRIED)
    gomp_fold_vacate (&me->id);
  end_inside (me);
  return another;
}

/* How often a thread that is not carried looks before it sleeps.  ME: its
   record, or NULL.  */

static unsigned long long
own_spins (const struct gomp_fold_thread *me)
{
  if (me != NULL && gomp_fold_mode (me->fold) == GOMP_FOLD_APART)
    /* Others of its core have to run.  */
    return 0;
  if (__atomic_load_n (&gomp_managed_threads, MEMMODEL_RELAXED)
      <= gomp_available_cpus + GOMP_FOLD_BIAS)
    return gomp_spin_count_var;
  return gomp_throttled_spin_count_var;
}

/* How often the worker of ME looks before it sleeps.  A worker that spins keeps
   others from its CPU, of its team or of another one.

   From GCC 13 on libgomp does not spin on hybrid processors of Intel's unless
   it is told to (PR109812): the threads of big cores wait for those of small
   ones at each barrier, for long, and take power and shared units from them.
   Workers get as much work as they are fast, so that they wait for a short
   time, and one kernel thread of a CPU spins.
   To sleep and to be woken would take longer than that wait.  env.c therefore
   keeps the count of other processors where teams are folded.  */

static unsigned long long
worker_spins (const struct gomp_fold_thread *me)
{
  if (gomp_fold_workers.share
      || (__atomic_load_n (&gomp_managed_threads, MEMMODEL_RELAXED)
	  > (__atomic_load_n (&me->fold->threads_used, __ATOMIC_RELAXED)
	     + GOMP_FOLD_BIAS)))
    return gomp_throttled_spin_count_var;
  return gomp_spin_count_var;
}

unsigned
gomp_fold_find_worker (unsigned *worker)
{
  const struct gomp_thread *thr = gomp_thread ();
  const struct gomp_fold_thread *me = gomp_fold_on ? thr->amp_fold : NULL;
  const struct gomp_fold_team *team;

  if (me == NULL || thr->ts.team == NULL || thr->ts.level != 1
      || gomp_fold_mode (me->fold) == GOMP_FOLD_FREE)
    return 0;
  /* The team stays until the next barrier.  It is not that of a region of one
     thread.  */
  team = __atomic_load_n (&me->fold->team, __ATOMIC_ACQUIRE);
  if (team == NULL || team->ids != thr->ts.team->nthreads)
    return 0;
  *worker = gomp_fold_dealt_to (me);
  return me->fold->crew.workers;
}

int
gomp_fold_worker_of (const struct gomp_thread *thr)
{
  const struct gomp_fold_thread *me = thr->amp_fold;

  return (me != NULL && gomp_fold_mode (me->fold) != GOMP_FOLD_FREE
	  ? (int) gomp_fold_dealt_to (me) : -1);
}

/* ME, the calling thread, waits as if nothing was folded, and looks SPINS times
   before.  As gomp_fold_wait.  That is what upstream's do_wait would do, but it
   would not come back here when ids are carried again.  Relaxed, as there: the
   caller looks again.  */

static enum gomp_fold_result
wait_alone (struct gomp_fold_thread *me, int *addr, int val,
	    enum gomp_fold_way way, unsigned long long spins)
{
  struct gomp_fold_word list[2];
  struct gomp_fold_carrier *on;

  for (unsigned long long left = spins; left != 0; left--)
    {
      if (__atomic_load_n (addr, __ATOMIC_RELAXED) != val)
	return GOMP_FOLD_LOOK;
      gomp_fold_vacate (&me->id);
      gomp_fold_relax ();
    }
  if (way == GOMP_FOLD_SPIN)
    return GOMP_FOLD_WAITED;
  on = me->id.on;
  if (on == &me->id.own)
    {
      gomp_fold_sleep (addr, val);
      return GOMP_FOLD_LOOK;
    }
  list[0] = (struct gomp_fold_word) { addr, val };
  list[1] = (struct gomp_fold_word)
    { &on->calls, __atomic_load_n (&on->calls, __ATOMIC_ACQUIRE) };
  gomp_fold_vacate (&me->id);
  if (me->id.on == on)
    gomp_fold_sleep_any (list, 2, false);
  return GOMP_FOLD_LOOK;
}

int
gomp_fold_wait_for (int *addr, int val, enum gomp_fold_way way,
		    unsigned long long *spins)
{
  struct gomp_fold_thread *me = gomp_fold_current ();
  enum gomp_fold_result result;

  if (me == NULL)
    {
      if (spins != NULL)
	*spins = own_spins (NULL);
      return -1;
    }
  begin_inside (me);
  result = gomp_fold_wait (&me->id, addr, val, way, worker_spins (me));
  if (__builtin_expect (result == GOMP_FOLD_ALONE, 0))
    /* A caller without SPINS has already spun.  */
    result = wait_alone (me, addr, val, way,
			 spins != NULL ? own_spins (me) : 0);
  if (me->number == 0 && me->fold->runs && me->id.on == &me->id.own)
    gomp_fold_keep_first (me->fold);
  end_inside (me);
  return result == GOMP_FOLD_WAITED;
}

void
gomp_fold_let_others_run (void)
{
  struct gomp_fold_thread *me = gomp_fold_current ();

  if (me != NULL && yield (me))
    return;
  /* The awaited id may be of another worker of the same CPU.  */
  if (gomp_fold_workers.share
      || (me != NULL && gomp_fold_mode (me->fold) == GOMP_FOLD_APART))
    gomp_fold_yield_cpu ();
  else
    gomp_fold_relax ();
}

void
gomp_fold_lock_failed (void)
{
  struct gomp_fold_thread *me = gomp_fold_current ();

  if (me != NULL && ++me->failures % GOMP_FOLD_FAILURES == 0)
    yield (me);
}

/* Signal handlers yield, too.  So this does not join, and does nothing when it
   interrupted something that deals with carrying.  */

int
gomp_amp_yield (void)
{
  struct gomp_fold_thread *me = gomp_fold_on ? gomp_thread ()->amp_fold : NULL;

  return me != NULL && me->steps % 2 == 0 && yield (me);
}

void
gomp_fold_end_thread (struct gomp_thread *thr)
{
  struct gomp_fold_pool *fold = thr->thread_pool->amp_fold;
  struct gomp_fold_thread *me = thr->amp_fold;

  if (me != NULL)
    {
      begin_inside (me);
      gomp_fold_go_home (&me->id);
      gomp_fold_resign (&me->id);
      me->works = false;
      end_inside (me);
      gomp_fold_pause_watch ();
      __atomic_store_n (&me->tid, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&me->bound, -1, __ATOMIC_RELAXED);
      gomp_fold_resume_watch ();
      __atomic_store_n (&me->ended, true, __ATOMIC_RELEASE);
      thr->amp_fold = NULL;
    }
  if (fold != NULL)
    {
      /* Release: a thread that sees this may use the record of this one.  */
      __atomic_fetch_add (&fold->ended, 1, __ATOMIC_RELEASE);
      gomp_fold_wake (&fold->ended);
    }
}
