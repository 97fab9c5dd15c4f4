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
#include "counted.h"

/* For how long creating a thread keeps the fastest core busy.  */
#define CREATE_NS 10000

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
  me->thr = gomp_thread ();
  gomp_virtual_find_work (me);
  self = me;
  pthread_setspecific (exit_key, me);
}

/* Add THREAD to all threads.  With the lock.  */

static void
add (struct gomp_virtual_thread *thread)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;

  thread->factors = &gomp_virtual_plain;
  thread->next_of_all = all;
  all = thread;
  if (++totals->threads > totals->most_threads)
    totals->most_threads = totals->threads;
  gomp_virtual_reserve_ready (totals->threads);
  if (totals->threads > 1 && !monitor_started)
    {
      monitor_started = true;
      gomp_virtual_start_monitor ();
    }
}

/* Remove THREAD, which is not ready.  With the lock.  */

static void
remove_thread (struct gomp_virtual_thread *thread)
{
  gomp_virtual_totals.threads--;
  for (struct gomp_virtual_thread **at = &all;; at = &(*at)->next_of_all)
    if (*at == thread)
      {
	*at = thread->next_of_all;
	return;
      }
}

/* The calling thread, which virtual time did not see created, joins it.  */

static struct gomp_virtual_thread *
join (void)
{
  struct gomp_virtual_thread *me = gomp_malloc_cleared (sizeof *me);

  me->state = GOMP_VIRTUAL_AWAY;
  identify (me);
  pthread_mutex_lock (&gomp_virtual_lock);
  /* The thread has existed since about now.  All that it has run, it ran to get
     here, so SINCE is 0.  */
  gomp_virtual_catch_up (me);
  gomp_virtual_go_on (me);
  add (me);
  pthread_mutex_unlock (&gomp_virtual_lock);
  return me;
}

/* The calling thread, DATA, ends.  */

static void
leave (void *data)
{
  struct gomp_virtual_thread *me = data;
  unsigned long long now = gomp_virtual_work (me);

  pthread_mutex_lock (&gomp_virtual_lock);
  gomp_virtual_account (me, now);
  me->left = 0;
  gomp_virtual_stop (me);
  remove_thread (me);
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

/* What a new thread begins with.  */
struct beginning
{
  struct gomp_virtual_thread *thread;
  void *(*start) (void *);
  void *data;
};

static void *
begin_thread (void *data)
{
  struct beginning beginning = *(struct beginning *) data;

  free (data);
  identify (beginning.thread);
  gomp_virtual_wait_for_baton (beginning.thread);
  return beginning.start (beginning.data);
}

/* Add a thread that ME creates.  It is ready when ME has created it, so that
   the order of the threads does not depend on when the kernel starts them.  It
   is on a CPU of its own, if there is one, until it has a number in a team.
   With the lock.  */

static struct gomp_virtual_thread *
add_created (struct gomp_virtual_thread *me)
{
  struct gomp_virtual_thread *thread = gomp_malloc_cleared (sizeof *thread);

  thread->in_lab = true;
  gomp_virtual_occupy (me, CREATE_NS * gomp_virtual_slowness (me));
  gomp_virtual_show_up (me);
  add (thread);
  thread->order = gomp_virtual_totals.threads - 1;
  thread->cpu = gomp_virtual_choose_cpu (thread);
  gomp_virtual_advance (thread, me->clock);
  gomp_virtual_go_on (thread);
  gomp_virtual_make_ready (thread);
  return thread;
}

int
gomp_virtual_create_thread (pthread_t *handle, const pthread_attr_t *attr,
			    void *(*start) (void *), void *data)
{
  struct gomp_virtual_thread *me;
  struct beginning *beginning;
  int error;

  gomp_virtual_end_segment ();
  me = gomp_virtual_begin ();
  if (me == NULL)
    return (pthread_create) (handle, attr, start, data);
  beginning = gomp_malloc (sizeof *beginning);
  beginning->thread = add_created (me);
  beginning->start = start;
  beginning->data = data;
  error = (pthread_create) (handle, attr, begin_thread, beginning);
  if (error != 0)
    {
      gomp_virtual_remove_ready (beginning->thread);
      remove_thread (beginning->thread);
      free (beginning->thread);
      free (beginning);
    }
  gomp_virtual_release ();
  gomp_virtual_resume (me);
  return error;
}

void
gomp_virtual_region (void)
{
  gomp_virtual_check_work ();
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

/* Runs after upstream's constructor, as this file is linked after env.c.  What
   that one does depends on the size of the environment: time begins here.  */

static void __attribute__ ((constructor))
begin_time (void)
{
  if (self == NULL)
    return;
  gomp_virtual_clear_clocks ();
  gomp_virtual_clear_bandwidth ();
  gomp_virtual_clear_work (self);
  gomp_virtual_totals.threads = gomp_virtual_totals.most_threads = 1;
  self->clock = self->left = 0;
  gomp_virtual_resume (self);
}

void
gomp_virtual_start (void)
{
  gomp_virtual_init_machine ();
  gomp_virtual_init_loops ();
  gomp_virtual_init_bandwidth (gomp_virtual_demanding ());
  gomp_virtual_init_work ();
  gomp_virtual_init_clocks ();
  gomp_virtual_init_conductor ();
  pthread_key_create (&exit_key, leave);
  pthread_atfork (hold_lock, release_lock, begin_child);
  started = true;
  begin_with (join ());
}
