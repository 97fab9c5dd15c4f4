/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Hands the baton to the thread whose clock is lowest, and keeps the clocks.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libgomp.h"
#include "baton.h"
#include "ready.h"
#include "virtual.h"

/* Every account is of at least so many nanoseconds: time goes on for a thread
   that does nothing but look at the clock or try a lock.  */
#define LEAST 10

/* What one turn of a loop that spins takes on today's processors; how long after
   a store such a loop sees it; and what the system call takes that wakes those
   who sleep, whether there are any or not.  In nanoseconds.  */
#define SPIN_TURN 15
#define SEEN 200
#define WAKE_CALL 500

struct gomp_virtual_totals gomp_virtual_totals;

/* Everything below is protected by this; it is held for moments.  */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct gomp_virtual_thread *holder;
static struct gomp_virtual_thread *loose;

/* Sleepers, by the address that they sleep on.  */
#define BUCKETS 256
static struct gomp_virtual_thread *sleepers[BUCKETS];

/* The latest clock at which a thread met others.  */
static double present;

/* When each CPU is done with what it was given.  */
static double cpu_free[GOMP_VIRTUAL_MAX_CPUS];

/* When a pool's line of cache is free.  Pools that fall on the same entry
   share a line, as may happen to real ones.  */
#define LINES 64
static double line_free[LINES];

/* What two looks at the CPU clock are apart, in nanoseconds.  */
static unsigned long long overhead;

/* The thread that began.  Its clock is the program's.  */
static struct gomp_virtual_thread *first_thread;

static bool opened_team;

static pthread_cond_t somebody_waits = PTHREAD_COND_INITIALIZER;
static bool monitor_started, monitor_idle;

static __thread struct gomp_virtual_thread *self;
static pthread_key_t exit_key;
static bool started;

static unsigned long long
read_clock (clockid_t clock)
{
  struct timespec now;
  if (clock_gettime (clock, &now) != 0)
    return 0;
  return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline unsigned long long
cpu_time (void)
{
  return read_clock (CLOCK_THREAD_CPUTIME_ID);
}

/* Make THREAD, which runs no more, ready.  */

static void
push (struct gomp_virtual_thread *thread)
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

/* Clocks.  */

/* THREAD's clock becomes CLOCK, if that is later.  */

static void
advance (struct gomp_virtual_thread *thread, double clock)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;

  if (clock <= thread->clock)
    return;
  if (thread == first_thread && thread->parallel)
    totals->parallel.makespan += clock - thread->clock;
  thread->clock = clock;
  if (clock > totals->makespan)
    totals->makespan = clock;
}

static unsigned
class_of (const struct gomp_virtual_thread *thread)
{
  return gomp_virtual_machine.class_of_cpu[thread->cpu];
}

/* THREAD's CPU is busy with it until its clock is later by NS.  */

static void
occupy (struct gomp_virtual_thread *thread, double ns)
{
  advance (thread, thread->clock + ns);
  gomp_virtual_totals.busy[class_of (thread)] += ns;
  if (thread->clock > cpu_free[thread->cpu])
    cpu_free[thread->cpu] = thread->clock;
}

/* What THREAD's clock would be if it were accounted for when its CPU clock
   shows NOW.  */

static double
clock_at (const struct gomp_virtual_thread *thread, unsigned long long now)
{
  unsigned long long since = __atomic_load_n (&thread->since, MEMMODEL_RELAXED);
  return thread->clock
	 + (now > since ? now - since : 0)
	   * thread->factors->slowness[class_of (thread)];
}

/* Account for what ME, the calling thread, ran until its CPU clock showed
   NOW.  */

static void
account (struct gomp_virtual_thread *me, unsigned long long now)
{
  const struct gomp_virtual_factors *factors = me->factors;
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  unsigned long long real = read_clock (CLOCK_MONOTONIC);
  unsigned long long used = now - me->since;

  /* On virtual machines the CPU clock jumps now and then, when the host's theft
     of time is settled.  */
  if (used > real - me->real_since)
    used = real - me->real_since;
  used = used > overhead + LEAST ? used - overhead : LEAST;
  __atomic_store_n (&me->since, now, MEMMODEL_RELAXED);
  me->real_since = real;
  me->accounts++;
  occupy (me, used * factors->slowness[class_of (me)]);
  totals->all.work += used;
  totals->all.bound += used / factors->capacity;
  if (me->parallel)
    {
      totals->parallel.work += used;
      totals->parallel.bound += used / factors->capacity;
    }
}

/* See whether THREAD, which is the calling one or sleeps, has got into another
   team.  */

static void
settle (struct gomp_virtual_thread *thread)
{
  const struct gomp_thread *thr = thread->thr;
  const struct gomp_team *team = thr->ts.team;

  /* A thread in its pool still has the team that it was in last, which may
     have been freed.  */
  if (team == thread->team && thr->ts.team_id == thread->team_id
      && thr->place == thread->place)
    return;
  thread->team = team;
  thread->team_id = thr->ts.team_id;
  thread->place = thr->place;
  thread->parallel = team != NULL && team->nthreads > 1;
  thread->cpu = gomp_virtual_choose_cpu (thr, &thread->order);
}

/* The baton.  */

/* Whether some loose thread's clock is lower than THREAD's, so that it may
   still do what THREAD should see.  */

static bool
loose_before (const struct gomp_virtual_thread *thread)
{
  for (struct gomp_virtual_thread *other = loose; other; other = other->next)
    if (clock_at (other, read_clock (other->cpu_clock)) < thread->clock)
      return true;
  return false;
}

/* The ready thread that can run first; NULL if there is none.  */

static struct gomp_virtual_thread *
first_ready (void)
{
  struct gomp_virtual_thread *thread;

  /* Another thread may have used its CPU meanwhile.  */
  while ((thread = gomp_virtual_ready ()) != NULL
	 && cpu_free[thread->cpu] > thread->clock)
    {
      gomp_virtual_drop_ready ();
      advance (thread, cpu_free[thread->cpu]);
      gomp_virtual_add_ready (thread);
    }
  return thread;
}

/* If nobody holds the baton, give it to whom it is due and return that thread,
   which the caller has to wake after it has let go of the lock; else NULL.  */

static struct gomp_virtual_thread *
dispatch (void)
{
  struct gomp_virtual_thread *thread;

  if (holder != NULL)
    return NULL;
  thread = first_ready ();
  if (thread == NULL || loose_before (thread))
    return NULL;
  gomp_virtual_drop_ready ();
  thread->state = GOMP_VIRTUAL_HOLDER;
  holder = thread;
  return thread;
}

static void
wake_up (struct gomp_virtual_thread *thread)
{
  /* Release: what the giver wrote is the receiver's to see.  */
  __atomic_store_n (&thread->go, 1, MEMMODEL_RELEASE);
  syscall (SYS_futex, &thread->go, FUTEX_WAKE_PRIVATE, 1, NULL);
}

/* ME is ready or asleep.  Dispatch, let go of the lock, and return when ME has
   the baton.  */

static void
pass (struct gomp_virtual_thread *me)
{
  struct gomp_virtual_thread *next = dispatch ();

  if (next != me)
    gomp_virtual_totals.switches++;
  pthread_mutex_unlock (&lock);
  if (next == me)
    return;
  if (next != NULL)
    wake_up (next);
  while (!__atomic_exchange_n (&me->go, 0, MEMMODEL_ACQUIRE))
    syscall (SYS_futex, &me->go, FUTEX_WAIT_PRIVATE, 0, NULL);
}

/* ME, which was accounted for, meets the others: who comes later without having
   been waited for is later.  */

static void
show_up (const struct gomp_virtual_thread *me)
{
  if (me->clock > present)
    present = me->clock;
}

/* ME stops running, in whatever state it did.  */

static void
stop (struct gomp_virtual_thread *me)
{
  show_up (me);
  if (me->state == GOMP_VIRTUAL_HOLDER)
    holder = NULL;
  else if (me->state == GOMP_VIRTUAL_LOOSE)
    unlink_loose (me);
}

/* Account for the calling thread with the lock, which the caller has to
   release.  NULL, and no lock, if virtual time has not started.  */

static struct gomp_virtual_thread *
begin (void)
{
  unsigned long long now;
  struct gomp_virtual_thread *me = gomp_virtual_self ();

  if (me == NULL)
    return NULL;
  now = cpu_time ();
  pthread_mutex_lock (&lock);
  account (me, now);
  settle (me);
  /* Nobody was held up by it; so it comes from where the others are now.  */
  if (me->state == GOMP_VIRTUAL_AWAY)
    advance (me, present);
  return me;
}

/* What the calling thread does from now on is the program's.  */

static void
end (struct gomp_virtual_thread *me)
{
  me->real_since = read_clock (CLOCK_MONOTONIC);
  __atomic_store_n (&me->since, cpu_time (), MEMMODEL_RELAXED);
}

void
gomp_virtual_meet (void)
{
  struct gomp_virtual_thread *me = begin ();

  if (me == NULL)
    return;
  if (me->state == GOMP_VIRTUAL_HOLDER
      && !gomp_virtual_ready_before (me)
      && (loose == NULL || !loose_before (me)))
    {
      show_up (me);
      pthread_mutex_unlock (&lock);
    }
  else
    {
      stop (me);
      push (me);
      pass (me);
    }
  end (me);
}

void
gomp_virtual_remove (const void *pool)
{
  struct gomp_virtual_thread *me = begin ();
  double *line = &line_free[(uintptr_t) pool / 64 * 2654435761u % LINES];
  double start;

  if (me == NULL)
    return;
  start = *line > me->clock ? *line : me->clock;
  gomp_virtual_totals.removals++;
  gomp_virtual_totals.waited += start - me->clock;
  occupy (me, start - me->clock + gomp_amp_options.virtual_removal_ns);
  *line = me->clock;
  pthread_mutex_unlock (&lock);
  end (me);
}

void
gomp_virtual_removal (const void *pool)
{
  gomp_virtual_enter_loop ();
  gomp_virtual_meet ();
  gomp_virtual_remove (pool);
}

void
gomp_virtual_poll (void)
{
  struct gomp_virtual_thread *me = begin ();
  struct gomp_virtual_thread *other;

  if (me == NULL)
    return;
  other = first_ready ();
  if (other != NULL)
    {
      /* Past the next meeting of somebody else, but not past the one after
	 that.  */
      advance (me, other->clock + 1);
      stop (me);
      push (me);
      pass (me);
    }
  else
    {
      pthread_mutex_unlock (&lock);
      sched_yield ();
    }
  end (me);
}

static struct gomp_virtual_thread **
bucket_of (const int *addr)
{
  return &sleepers[(uintptr_t) addr / sizeof *addr * 2654435761u % BUCKETS];
}

/* How long after CLOCK, when it is woken, SLEEPER goes on.  */

static double
wake_latency (const struct gomp_virtual_thread *sleeper, double clock)
{
  unsigned long long turns = gomp_spin_count_var;
  double asleep = gomp_amp_options.virtual_wake_ns;

  if (gomp_managed_threads > gomp_available_cpus)
    turns = gomp_throttled_spin_count_var;
  /* It spins first, as upstream's wait.h does.  */
  if (clock - sleeper->clock <= turns * (double) SPIN_TURN && asleep > SEEN)
    return SEEN;
  return asleep;
}

void
gomp_virtual_futex_wait (int *addr, int val)
{
  struct gomp_virtual_thread *me = begin ();
  struct gomp_virtual_thread **last;

  if (me == NULL)
    return;
  /* Whoever changes it wakes us afterwards, which takes the lock.  */
  if (__atomic_load_n (addr, MEMMODEL_RELAXED) != val)
    pthread_mutex_unlock (&lock);
  else
    {
      stop (me);
      me->state = GOMP_VIRTUAL_ASLEEP;
      me->futex = addr;
      me->next = NULL;
      for (last = bucket_of (addr); *last != NULL; last = &(*last)->next)
	;
      *last = me;
      pass (me);
    }
  end (me);
}

void
gomp_virtual_futex_wake (int *addr, int count)
{
  struct gomp_virtual_thread *me = begin ();
  struct gomp_virtual_thread **at = bucket_of (addr);
  struct gomp_virtual_thread *sleeper, *next;

  if (me == NULL)
    return;
  while (count > 0 && (sleeper = *at) != NULL)
    if (sleeper->futex == addr)
      {
	*at = sleeper->next;
	count--;
	settle (sleeper);
	advance (sleeper, me->clock + wake_latency (sleeper, me->clock));
	push (sleeper);
      }
    else
      at = &sleeper->next;
  occupy (me, WAKE_CALL * me->factors->slowness[class_of (me)]);
  /* A thread without the baton may have woken the only one that can take
     it.  */
  next = dispatch ();
  pthread_mutex_unlock (&lock);
  if (next != NULL)
    wake_up (next);
  end (me);
}

unsigned long long
gomp_virtual_now (void)
{
  struct gomp_virtual_thread *me = begin ();
  unsigned long long now;

  if (me == NULL)
    return 0;
  now = me->clock;
  pthread_mutex_unlock (&lock);
  end (me);
  return now;
}

void
gomp_virtual_create (void)
{
  struct gomp_virtual_thread *me = begin ();

  if (me == NULL)
    return;
  show_up (me);
  pthread_mutex_unlock (&lock);
  end (me);
}

void
gomp_virtual_start_team (void)
{
  /* What ran up to here ran outside of it.  */
  (void) gomp_virtual_now ();
  __atomic_store_n (&opened_team, true, MEMMODEL_RELAXED);
}

bool
gomp_virtual_opened_team (void)
{
  return __atomic_load_n (&opened_team, MEMMODEL_RELAXED);
}

void
gomp_virtual_use (const struct gomp_virtual_factors *factors)
{
  struct gomp_virtual_thread *me = begin ();

  if (me == NULL)
    return;
  me->factors = factors;
  pthread_mutex_unlock (&lock);
  end (me);
}

int
gomp_virtual_cpu (void)
{
  struct gomp_virtual_thread *me = gomp_virtual_self ();
  return me != NULL ? (int) me->cpu : 0;
}

/* Threads come and go.  */

static struct gomp_virtual_thread *
join (void)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  struct gomp_virtual_thread *me = gomp_malloc_cleared (sizeof *me);

  me->state = GOMP_VIRTUAL_AWAY;
  me->factors = &gomp_virtual_plain;
  me->thr = gomp_thread ();
  me->tid = syscall (SYS_gettid);
  pthread_getcpuclockid (pthread_self (), &me->cpu_clock);
  pthread_mutex_lock (&lock);
  /* It has existed since about now.  What it ran, it ran to get here, so that
     SINCE is 0.  */
  me->clock = present;
  if (++totals->threads > totals->most_threads)
    totals->most_threads = totals->threads;
  gomp_virtual_reserve_ready (totals->threads);
  if (totals->threads > 1 && !monitor_started)
    {
      monitor_started = true;
      gomp_virtual_start_monitor ();
    }
  pthread_mutex_unlock (&lock);
  self = me;
  pthread_setspecific (exit_key, me);
  return me;
}

/* The calling thread ends.  */

static void
leave (void *data)
{
  struct gomp_virtual_thread *me = data;
  struct gomp_virtual_thread *next;
  unsigned long long now = cpu_time ();

  pthread_mutex_lock (&lock);
  account (me, now);
  stop (me);
  gomp_virtual_totals.threads--;
  next = dispatch ();
  pthread_mutex_unlock (&lock);
  if (next != NULL)
    wake_up (next);
  self = NULL;
  if (me != first_thread)
    free (me);
}

struct gomp_virtual_thread *
gomp_virtual_self (void)
{
  if (!started)
    return NULL;
  return self != NULL ? self : join ();
}

static void
hold_lock (void)
{
  pthread_mutex_lock (&lock);
}

static void
release_lock (void)
{
  pthread_mutex_unlock (&lock);
}

/* In a child process only the thread that forked is left, and its time begins
   anew.  */

static void
begin_child (void)
{
  pthread_mutex_init (&lock, NULL);
  pthread_cond_init (&somebody_waits, NULL);
  memset (&gomp_virtual_totals, 0, sizeof gomp_virtual_totals);
  memset (sleepers, 0, sizeof sleepers);
  memset (cpu_free, 0, sizeof cpu_free);
  memset (line_free, 0, sizeof line_free);
  gomp_virtual_clear_ready ();
  loose = NULL;
  holder = first_thread = self;
  present = 0;
  monitor_started = monitor_idle = opened_team = false;
  if (self == NULL)
    return;
  gomp_virtual_totals.threads = gomp_virtual_totals.most_threads = 1;
  self->state = GOMP_VIRTUAL_HOLDER;
  self->clock = 0;
  self->tid = syscall (SYS_gettid);
  pthread_getcpuclockid (pthread_self (), &self->cpu_clock);
  self->real_since = read_clock (CLOCK_MONOTONIC);
  self->since = cpu_time ();
}

static int
ascending (const void *a, const void *b)
{
  unsigned long long first = *(const unsigned long long *) a;
  unsigned long long second = *(const unsigned long long *) b;
  return (first > second) - (first < second);
}

static void
measure_overhead (void)
{
  enum { TRIALS = 501 };
  unsigned long long apart[TRIALS];

  for (int i = 0; i < TRIALS; i++)
    {
      unsigned long long start = cpu_time ();
      apart[i] = cpu_time () - start;
    }
  qsort (apart, TRIALS, sizeof apart[0], ascending);
  overhead = apart[TRIALS / 2];
}

void
gomp_virtual_init (void)
{
  gomp_virtual_init_machine ();
  gomp_virtual_init_loops ();
  measure_overhead ();
  pthread_key_create (&exit_key, leave);
  pthread_atfork (hold_lock, release_lock, begin_child);
  started = true;
  first_thread = join ();
  first_thread->real_since = read_clock (CLOCK_MONOTONIC);
  first_thread->since = cpu_time ();
  first_thread->state = GOMP_VIRTUAL_HOLDER;
  holder = first_thread;
}

/* For the monitor.  */

unsigned
gomp_virtual_look (void)
{
  unsigned long patience = gomp_amp_options.virtual_patience_ms;
  /* Ten looks in the time that a thread may take.  */
  unsigned tick = patience < 10 ? 1 : patience < 200 ? patience / 10 : 20;
  struct gomp_virtual_thread *next;

  pthread_mutex_lock (&lock);
  if (gomp_virtual_ready () == NULL)
    tick = 0;
  else if (holder != NULL)
    {
      bool away = gomp_virtual_blocked (holder);

      /* Where one thread spins, others will.  */
      if (loose != NULL)
	patience = (patience + 9) / 10;
      if (away || holder->looks * (unsigned long) tick >= patience)
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
  next = dispatch ();
  pthread_mutex_unlock (&lock);
  if (next != NULL)
    wake_up (next);
  return tick;
}

void
gomp_virtual_idle (void)
{
  pthread_mutex_lock (&lock);
  monitor_idle = gomp_virtual_ready () == NULL;
  while (monitor_idle)
    pthread_cond_wait (&somebody_waits, &lock);
  pthread_mutex_unlock (&lock);
}
