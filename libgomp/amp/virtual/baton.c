/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Gives the baton to the thread with the lowest clock.  */

#define _GNU_SOURCE 1
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libgomp.h"
#include "bandwidth.h"
#include "clocks.h"
#include "conductor.h"
#include "ready.h"
#include "virtual.h"
#include "counted.h"

pthread_mutex_t gomp_virtual_lock = PTHREAD_MUTEX_INITIALIZER;

/* gomp_virtual_lock protects all data below.  */
static struct gomp_virtual_thread *holder;
static struct gomp_virtual_thread *loose;

/* When the cache lines of the last pools that were used are free.  */
#define LINES 64
static struct line
{
  const void *pool;
  double free;
} lines[LINES];

static pthread_cond_t somebody_waits = PTHREAD_COND_INITIALIZER;
static bool monitor_idle;

void
gomp_virtual_make_ready (struct gomp_virtual_thread *thread)
{
  thread->state = GOMP_VIRTUAL_READY;
  thread->asked = thread->clock;
  gomp_virtual_add_ready (thread);
  if (monitor_idle)
    {
      monitor_idle = false;
      pthread_cond_signal (&somebody_waits);
    }
}

static void
unlink_loose (struct gomp_virtual_thread *thread)
{
  struct gomp_virtual_thread **at = &loose;
  while (*at != thread)
    at = &(*at)->next;
  *at = thread->next;
}

/* Whether the clock of a loose thread is lower than THREAD's.  Such a thread
   may still do something that THREAD must see.  */

static bool
loose_before (const struct gomp_virtual_thread *thread)
{
  for (struct gomp_virtual_thread *other = loose; other; other = other->next)
    if (gomp_virtual_clock_now (other) < thread->clock)
      return true;
  return false;
}

/* The ready thread that can run first; NULL if there is none.  */

static struct gomp_virtual_thread *
first_ready (void)
{
  struct gomp_virtual_thread *thread;

  /* Another thread may have used its CPU in the meantime.  */
  while ((thread = gomp_virtual_ready ()) != NULL
	 && gomp_virtual_cpu_free (thread) > thread->clock)
    {
      gomp_virtual_drop_ready ();
      gomp_virtual_advance (thread, gomp_virtual_cpu_free (thread));
      gomp_virtual_add_ready (thread);
    }
  return thread;
}

/* If no thread holds the baton, give it to the thread that is next and return
   that thread.  The caller must wake it after releasing the lock.  Returns NULL
   if the baton was not given.  */

static struct gomp_virtual_thread *
dispatch (void)
{
  struct gomp_virtual_thread *thread;

  if (holder != NULL)
    return NULL;
  gomp_virtual_share_out ();
  while ((thread = first_ready ()) != NULL && !loose_before (thread)
	 && __builtin_expect (thread->clock >= gomp_virtual_limit, 0))
    gomp_virtual_ask_conductor ();
  if (thread == NULL || loose_before (thread))
    return NULL;
  gomp_virtual_drop_ready ();
  thread->state = GOMP_VIRTUAL_HOLDER;
  holder = thread;
  gomp_virtual_flow (thread);
  gomp_virtual_go_on (thread);
  return thread;
}

static void
wake_up (struct gomp_virtual_thread *thread)
{
  /* Release: the receiver must see all that the giver wrote.  */
  __atomic_store_n (&thread->go, 1, MEMMODEL_RELEASE);
  syscall (SYS_futex, &thread->go, FUTEX_WAKE_PRIVATE, 1, NULL);
}

void
gomp_virtual_release (void)
{
  struct gomp_virtual_thread *next = dispatch ();

  pthread_mutex_unlock (&gomp_virtual_lock);
  if (next != NULL)
    wake_up (next);
}

void
gomp_virtual_wait_for_baton (struct gomp_virtual_thread *me)
{
  while (!__atomic_exchange_n (&me->go, 0, MEMMODEL_ACQUIRE))
    syscall (SYS_futex, &me->go, FUTEX_WAIT_PRIVATE, 0, NULL);
  me->own = 0;
  gomp_virtual_resume (me);
}

void
gomp_virtual_pass (struct gomp_virtual_thread *me)
{
  struct gomp_virtual_thread *next = dispatch ();

  if (next != me)
    gomp_virtual_totals.switches++;
  pthread_mutex_unlock (&gomp_virtual_lock);
  if (next != NULL && next != me)
    wake_up (next);
  if (next == me)
    __atomic_store_n (&me->go, 1, MEMMODEL_RELAXED);
  gomp_virtual_wait_for_baton (me);
}

void
gomp_virtual_give (struct gomp_virtual_thread *me)
{
  me->state = GOMP_VIRTUAL_HOLDER;
  holder = me;
}

void
gomp_virtual_stop (struct gomp_virtual_thread *me)
{
  gomp_virtual_show_up (me);
  if (me->state == GOMP_VIRTUAL_HOLDER)
    holder = NULL;
  else if (me->state == GOMP_VIRTUAL_LOOSE)
    unlink_loose (me);
}

struct gomp_virtual_thread *
gomp_virtual_begin (void)
{
  unsigned long long now;
  struct gomp_virtual_thread *me = gomp_virtual_self ();

  if (me == NULL)
    return NULL;
  now = gomp_virtual_work (me);
  __atomic_store_n (&me->in_lab, true, MEMMODEL_RELAXED);
  pthread_mutex_lock (&gomp_virtual_lock);
  gomp_virtual_account (me, now);
  gomp_virtual_settle (me);
  /* No thread waited for it, so it continues at the time of the others.  */
  if (me->state == GOMP_VIRTUAL_AWAY)
    gomp_virtual_catch_up (me);
  return me;
}

void
gomp_virtual_end (struct gomp_virtual_thread *me)
{
  pthread_mutex_unlock (&gomp_virtual_lock);
  gomp_virtual_resume (me);
}

void
gomp_virtual_meet (void)
{
  struct gomp_virtual_thread *me = gomp_virtual_begin ();

  if (me == NULL)
    return;
  if (me->state == GOMP_VIRTUAL_HOLDER
      && me->clock < gomp_virtual_limit
      && !gomp_virtual_ready_before (me)
      && (loose == NULL || !loose_before (me)))
    {
      gomp_virtual_flow (me);
      gomp_virtual_show_up (me);
      gomp_virtual_end (me);
    }
  else
    {
      gomp_virtual_stop (me);
      gomp_virtual_make_ready (me);
      gomp_virtual_pass (me);
    }
}

/* The line of POOL, in place of the one that has been free for longest if there
   is none yet.  With the lock.  */

static struct line *
line_of (const void *pool)
{
  struct line *oldest = lines;

  for (struct line *line = lines; line < lines + LINES; line++)
    if (line->pool == pool)
      return line;
    else if (line->free < oldest->free)
      oldest = line;
  oldest->pool = pool;
  return oldest;
}

void
gomp_virtual_take_met (const void *pool)
{
  struct gomp_virtual_thread *me = gomp_virtual_begin ();
  struct line *line;
  double start;

  if (me == NULL)
    return;
  line = line_of (pool);
  start = line->free > me->clock ? line->free : me->clock;
  gomp_virtual_totals.removals++;
  gomp_virtual_totals.waited += start - me->clock;
  gomp_virtual_occupy (me, start - me->clock
			   + gomp_amp_options.virtual_removal_ns);
  line->free = me->clock;
  gomp_virtual_end (me);
}

void
gomp_virtual_take (const void *pool)
{
  gomp_virtual_loop_begin ();
  gomp_virtual_meet ();
  gomp_virtual_take_met (pool);
}

void
gomp_virtual_poll (void)
{
  struct gomp_virtual_thread *me = gomp_virtual_begin ();
  struct gomp_virtual_thread *other;

  if (me == NULL)
    return;
  other = first_ready ();
  if (other != NULL)
    {
      /* To just after the next meeting of another thread, but not past the
	 one that follows it.  */
      gomp_virtual_advance (me, other->clock + 1);
      gomp_virtual_stop (me);
      gomp_virtual_make_ready (me);
      gomp_virtual_pass (me);
    }
  else
    {
      pthread_mutex_unlock (&gomp_virtual_lock);
      sched_yield ();
      gomp_virtual_resume (me);
    }
}

unsigned long long
gomp_virtual_now (void)
{
  struct gomp_virtual_thread *me;
  unsigned long long now;

  gomp_virtual_end_segment ();
  me = gomp_virtual_begin ();
  if (me == NULL)
    return 0;
  /* What it ran after the meeting may yet turn out to take less time.  */
  now = gomp_virtual_capped ? me->begun : me->clock;
  gomp_virtual_end (me);
  return now;
}

void
gomp_virtual_use (const struct gomp_virtual_factors *factors)
{
  struct gomp_virtual_thread *me;

  gomp_virtual_end_segment ();
  me = gomp_virtual_begin ();
  if (me == NULL)
    return;
  me->factors = factors;
  gomp_virtual_end (me);
}

double
gomp_virtual_time_on_cpu (const struct gomp_virtual_thread *thread)
{
  double time = gomp_virtual_cpu_free (thread);

  for (struct gomp_virtual_thread *other = gomp_virtual_all (); other != NULL;
       other = other->next_of_all)
    if (other->cpu == thread->cpu
	&& (other->state == GOMP_VIRTUAL_HOLDER
	    || other->state == GOMP_VIRTUAL_LOOSE)
	&& gomp_virtual_clock_now (other) > time)
      time = gomp_virtual_clock_now (other);
  return time;
}

enum gomp_fold_activity
gomp_virtual_activity (pid_t tid)
{
  enum gomp_fold_activity activity = GOMP_FOLD_COMPUTES;
  const struct gomp_virtual_thread *thread;

  pthread_mutex_lock (&gomp_virtual_lock);
  thread = gomp_virtual_find (tid);
  if (thread != NULL && gomp_virtual_sleeps (thread))
    activity = GOMP_FOLD_SLEEPS;
  /* A thread that is ready sleeps until it gets the baton, and so does the one
     that has just been picked up.  */
  for (const struct gomp_virtual_thread *other = gomp_virtual_all ();
       thread != NULL && other != NULL; other = other->next_of_all)
    if (other->cpu == thread->cpu && other->state == GOMP_VIRTUAL_READY)
      activity = GOMP_FOLD_WAITS;
  pthread_mutex_unlock (&gomp_virtual_lock);
  return activity;
}

/* Whether THREAD, at which the monitor looks every TICK milliseconds, has run
   for PATIENCE of them without a meeting.  If work is counted, only what it
   runs without counting matters, and that has to be long.  */

static bool
runs_on (struct gomp_virtual_thread *thread, unsigned tick,
	 unsigned long patience)
{
  enum { LEAST_UNCOUNTED_MS = 2000 };

  if (!gomp_virtual_exact ())
    return thread->looks * (unsigned long) tick >= patience;
  if (patience < LEAST_UNCOUNTED_MS)
    patience = LEAST_UNCOUNTED_MS;
  return (thread->looks > 0
	  && gomp_virtual_uncounted (thread) >= patience * 1000000ULL);
}

unsigned
gomp_virtual_look (void)
{
  unsigned long patience = gomp_amp_options.virtual_patience_ms;
  /* Ten looks while a thread may run on, but 1 to 20 ms apart.  */
  unsigned tick = patience < 10 ? 1 : patience < 200 ? patience / 10 : 20;

  pthread_mutex_lock (&gomp_virtual_lock);
  if (gomp_virtual_ready () == NULL)
    tick = 0;
  else if (holder != NULL)
    {
      bool away = gomp_virtual_blocked (holder);

      /* If one thread spins, others probably will, too.  */
      if (loose != NULL)
	patience = (patience + 9) / 10;
      if (away || runs_on (holder, tick, patience))
	{
	  gomp_virtual_totals.handovers++;
	  holder->state = away ? GOMP_VIRTUAL_AWAY : GOMP_VIRTUAL_LOOSE;
	  if (!away)
	    {
	      holder->next = loose;
	      loose = holder;
	    }
	  holder = NULL;
	}
    }
  for (struct gomp_virtual_thread **at = &loose, *thread;
       tick != 0 && (thread = *at) != NULL;)
    if (gomp_virtual_blocked (thread))
      {
	thread->state = GOMP_VIRTUAL_AWAY;
	*at = thread->next;
      }
    else
      at = &thread->next;
  if (tick != 0 && loose != NULL)
    tick = 1;
  gomp_virtual_release ();
  return tick;
}

void
gomp_virtual_idle (void)
{
  pthread_mutex_lock (&gomp_virtual_lock);
  monitor_idle = gomp_virtual_ready () == NULL;
  while (monitor_idle)
    pthread_cond_wait (&somebody_waits, &gomp_virtual_lock);
  pthread_mutex_unlock (&gomp_virtual_lock);
}

void
gomp_virtual_clear_baton (void)
{
  pthread_mutex_init (&gomp_virtual_lock, NULL);
  pthread_cond_init (&somebody_waits, NULL);
  memset (lines, 0, sizeof lines);
  gomp_virtual_clear_ready ();
  holder = loose = NULL;
  monitor_idle = false;
}
