/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Threads begin and end, in this process and in its children.  */

#define _GNU_SOURCE 1
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libgomp.h"
#include "bandwidth.h"
#include "clocks.h"
#include "conductor.h"
#include "ready.h"
#include "virtual.h"

static bool opened_team;

/* With the lock.  */
static bool monitor_started;

/* All threads.  With the lock.  */
static struct gomp_virtual_thread *all;

static __thread struct gomp_virtual_thread *self;
static pthread_key_t exit_key;
static bool started;

/* Set the system's identifiers of ME, the calling thread.  */

static void
identify (struct gomp_virtual_thread *me)
{
  me->tid = syscall (SYS_gettid);
  pthread_getcpuclockid (pthread_self (), &me->cpu_clock);
}

static struct gomp_virtual_thread *
join (void)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  struct gomp_virtual_thread *me = gomp_malloc_cleared (sizeof *me);

  me->state = GOMP_VIRTUAL_AWAY;
  me->factors = &gomp_virtual_plain;
  me->thr = gomp_thread ();
  identify (me);
  pthread_mutex_lock (&gomp_virtual_lock);
  /* The thread has existed since about now.  All that it has run, it ran to get
     here, so SINCE is 0.  */
  gomp_virtual_catch_up (me);
  gomp_virtual_go_on (me);
  me->next_of_all = all;
  all = me;
  if (++totals->threads > totals->most_threads)
    totals->most_threads = totals->threads;
  gomp_virtual_reserve_ready (totals->threads);
  if (totals->threads > 1 && !monitor_started)
    {
      monitor_started = true;
      gomp_virtual_start_monitor ();
    }
  pthread_mutex_unlock (&gomp_virtual_lock);
  self = me;
  pthread_setspecific (exit_key, me);
  return me;
}

/* The calling thread, DATA, ends.  */

static void
leave (void *data)
{
  struct gomp_virtual_thread *me = data;
  unsigned long long now = gomp_virtual_cpu_time ();

  pthread_mutex_lock (&gomp_virtual_lock);
  gomp_virtual_account (me, now);
  me->left = 0;
  gomp_virtual_stop (me);
  gomp_virtual_totals.threads--;
  for (struct gomp_virtual_thread **at = &all;; at = &(*at)->next_of_all)
    if (*at == me)
      {
	*at = me->next_of_all;
	break;
      }
  gomp_virtual_release ();
  self = NULL;
  if (!me->first)
    free (me);
}

struct gomp_virtual_thread *
gomp_virtual_self (void)
{
  if (!started)
    return NULL;
  return self != NULL ? self : join ();
}

bool
gomp_virtual_joined (void)
{
  return started && self != NULL;
}

struct gomp_virtual_thread *
gomp_virtual_all (void)
{
  return all;
}

struct gomp_virtual_thread *
gomp_virtual_find (pid_t tid)
{
  struct gomp_virtual_thread *thread = all;

  while (thread != NULL && thread->tid != tid)
    thread = thread->next_of_all;
  return thread;
}

void
gomp_virtual_new_thread (void)
{
  struct gomp_virtual_thread *me;

  gomp_virtual_end_segment ();
  me = gomp_virtual_begin ();
  if (me == NULL)
    return;
  gomp_virtual_show_up (me);
  gomp_virtual_end (me);
}

void
gomp_virtual_region (void)
{
  /* What the thread has run up to here ran outside of the region.  */
  (void) gomp_virtual_now ();
  __atomic_store_n (&opened_team, true, MEMMODEL_RELAXED);
}

bool
gomp_virtual_opened_team (void)
{
  return __atomic_load_n (&opened_team, MEMMODEL_RELAXED);
}

static void
hold_lock (void)
{
  pthread_mutex_lock (&gomp_virtual_lock);
}

static void
release_lock (void)
{
  pthread_mutex_unlock (&gomp_virtual_lock);
}

/* Make ME, the calling thread, the first thread.  */

static void
begin_with (struct gomp_virtual_thread *me)
{
  me->first = true;
  gomp_virtual_resume (me);
  gomp_virtual_give (me);
}

/* A child process has only the thread that forked.  Its time begins at 0.  */

static void
begin_child (void)
{
  gomp_virtual_clear_baton ();
  gomp_virtual_clear_sleepers ();
  gomp_virtual_clear_clocks ();
  gomp_virtual_clear_bandwidth ();
  gomp_virtual_clear_conductor ();
  monitor_started = opened_team = false;
  all = self;
  if (self == NULL)
    return;
  self->next_of_all = NULL;
  gomp_virtual_totals.threads = gomp_virtual_totals.most_threads = 1;
  self->clock = self->left = 0;
  identify (self);
  begin_with (self);
}

void
gomp_virtual_start (void)
{
  gomp_virtual_init_machine ();
  gomp_virtual_init_loops ();
  gomp_virtual_init_bandwidth (gomp_virtual_demanding ());
  gomp_virtual_init_clocks ();
  gomp_virtual_init_conductor ();
  pthread_key_create (&exit_key, leave);
  pthread_atfork (hold_lock, release_lock, begin_child);
  started = true;
  begin_with (join ());
}
