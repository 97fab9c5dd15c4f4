/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Threads that sleep until another thread wakes them.  */

#include <string.h>
#include "libgomp.h"
#include "clocks.h"
#include "virtual.h"

/* In nanoseconds: the time of one turn of a spinning loop on today's
   processors; the time after which such a loop sees a store; and the time of
   the system call that wakes sleepers, and of one that finds none.  */
#define SPIN_TURN 15
#define SEEN 200
#define WAKE_CALL 500
#define WAKE_NONE 130

/* The sleepers, by the addresses that they sleep on.  With the lock.  */
#define BUCKETS 256
static struct gomp_virtual_sleep *sleepers[BUCKETS];

static struct gomp_virtual_sleep **
bucket_of (const int *addr)
{
  return &sleepers[(uintptr_t) addr / sizeof *addr * 2654435761u % BUCKETS];
}

/* A waiting thread spins first, as in upstream's wait.h.  */

double
gomp_virtual_spin_window (void)
{
  unsigned long long turns = gomp_spin_count_var;

  /* A worker of a folded team spins like a thread with a core of its own.  */
  if (!gomp_fold_on && gomp_managed_threads > gomp_available_cpus)
    turns = gomp_throttled_spin_count_var;
  return turns * (double) SPIN_TURN;
}

/* The time from CLOCK, when SLEEPER is woken, until it goes on.  */

static double
wake_latency (const struct gomp_virtual_thread *sleeper, double clock)
{
  double asleep = gomp_amp_options.virtual_wake_ns;

  if (clock - sleeper->clock <= gomp_virtual_spin_window () && asleep > SEEN)
    return SEEN;
  return asleep;
}

/* ME sleeps on the words that are in SLEEP.  */

static void
sleep_on (struct gomp_virtual_thread *me, struct gomp_virtual_sleep *sleep,
	  unsigned count)
{
  struct gomp_virtual_sleep **last;

  gomp_virtual_stop (me);
  me->state = GOMP_VIRTUAL_ASLEEP;
  me->sleep = sleep;
  me->sleeps = count;
  for (unsigned i = 0; i < count; i++)
    {
      sleep[i].thread = me;
      sleep[i].next = NULL;
      for (last = bucket_of (sleep[i].addr); *last != NULL;
	   last = &(*last)->next)
	;
      *last = &sleep[i];
    }
  gomp_virtual_pass (me);
}

/* The thread that has slept on ADDR for longest; it sleeps on nothing any more.
   NULL if there is none.  */

static struct gomp_virtual_thread *
take_sleeper (const int *addr)
{
  struct gomp_virtual_sleep *sleep = *bucket_of (addr);
  struct gomp_virtual_thread *thread;

  while (sleep != NULL && sleep->addr != addr)
    sleep = sleep->next;
  if (sleep == NULL)
    return NULL;
  thread = sleep->thread;
  for (unsigned i = 0; i < thread->sleeps; i++)
    {
      struct gomp_virtual_sleep **at = bucket_of (thread->sleep[i].addr);

      while (*at != &thread->sleep[i])
	at = &(*at)->next;
      *at = thread->sleep[i].next;
    }
  thread->sleeps = 0;
  thread->own = 0;
  gomp_virtual_settle (thread);
  return thread;
}

void
gomp_virtual_futex_wait_any (const struct gomp_fold_word *list, unsigned count)
{
  struct gomp_virtual_sleep sleep[GOMP_FOLD_MAX_WORDS];
  struct gomp_virtual_thread *me = gomp_virtual_begin ();

  if (me == NULL)
    return;
  for (unsigned i = 0; i < count; i++)
    {
      /* A thread that changes the word wakes us afterwards.  It needs the lock
	 for that, so this thread is already among the sleepers then.  */
      if (__atomic_load_n (list[i].addr, MEMMODEL_RELAXED) != list[i].val)
	{
	  gomp_virtual_end (me);
	  return;
	}
      sleep[i].addr = list[i].addr;
    }
  sleep_on (me, sleep, count);
}

void
gomp_virtual_futex_wait (int *addr, int val)
{
  struct gomp_fold_word word = { addr, val };

  gomp_virtual_futex_wait_any (&word, 1);
}

void
gomp_virtual_futex_wake (int *addr, int count)
{
  struct gomp_virtual_thread *me = gomp_virtual_begin ();
  struct gomp_virtual_thread *sleeper;
  /* Folded teams know whether any thread sleeps, and call nothing.  */
  double call = gomp_fold_on ? 0 : WAKE_NONE;

  if (me == NULL)
    return;
  for (; count > 0 && (sleeper = take_sleeper (addr)) != NULL; count--)
    {
      double latency = wake_latency (sleeper, me->clock);

      if (latency > SEEN)
	call = WAKE_CALL;
      gomp_virtual_advance (sleeper, me->clock + latency);
      gomp_virtual_make_ready (sleeper);
    }
  gomp_virtual_occupy (me, call * gomp_virtual_slowness (me));
  /* A thread without the baton may have woken the only thread that can take
     it.  */
  gomp_virtual_release ();
  gomp_virtual_resume (me);
}

/* ME wakes SLEEPER, which another core's worker has picked up.  A spinning one
   sees a store, and nothing is asked of Linux.  */

static void
wake_elsewhere (struct gomp_virtual_thread *me,
		struct gomp_virtual_thread *sleeper)
{
  double latency = wake_latency (sleeper, me->clock);

  if (latency > SEEN)
    gomp_virtual_occupy (me, WAKE_CALL * gomp_virtual_slowness (me));
  gomp_virtual_advance (sleeper, me->clock + latency);
}

bool
gomp_virtual_hand_over (int *addr)
{
  struct gomp_virtual_thread *me = NULL, *sleeper;

  if (gomp_virtual_joined ())
    me = gomp_virtual_begin ();
  else
    pthread_mutex_lock (&gomp_virtual_lock);
  sleeper = take_sleeper (addr);
  if (sleeper != NULL)
    {
      double change = (gomp_amp_options.virtual_switch_ns
		       * gomp_virtual_slowness (sleeper));

      if (me != NULL && me->cpu != sleeper->cpu)
	wake_elsewhere (me, sleeper);
      else if (me != NULL)
	{
	  gomp_virtual_occupy (me, change);
	  gomp_virtual_advance (sleeper, me->clock);
	}
      else
	gomp_virtual_advance (sleeper,
			      gomp_virtual_time_on_cpu (sleeper) + change);
      gomp_virtual_make_ready (sleeper);
    }
  gomp_virtual_release ();
  if (me != NULL)
    gomp_virtual_resume (me);
  return sleeper != NULL;
}

void
gomp_virtual_clear_sleepers (void)
{
  memset (sleepers, 0, sizeof sleepers);
}
