/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Watches regions, threads, waits and tasks, for the report and the trace.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fork-lock.h"
#include "fold/fold.h"
#include "fold/fold-kernel.h"
#include "fold/fold-setup.h"
#include "show/finish.h"
#include "report/report-data.h"
#include "tasks/task-cost.h"
#include "trace/trace.h"
#include "watch/watch.h"
#include "watch/watch-file.h"

bool gomp_watch_on;
bool gomp_amp_moments_on;

/* What was recorded is to be written when the next region ends.  */
static volatile sig_atomic_t asked;

/* Has a value in threads that have something to give back when they end,
   however they were made and whichever pool they are of.  */
static pthread_key_t keeps_key;
static bool has_key;

/* The process that records.  Nothing is known of a child that no handler of
   forks has seen.  */
static int process;

void
gomp_watch_thread_keeps (void)
{
  if (has_key)
    pthread_setspecific (keeps_key, &has_key);
}

static void
give_back (void *value __attribute__ ((unused)))
{
  gomp_report_thread_ends ();
  gomp_trace_thread_ends ();
}

/* The run of the id that THR runs, or NULL.  */

static inline struct gomp_report_run *
current_run (const struct gomp_thread *thr)
{
  const struct gomp_team *team = thr->ts.team;

  return team != NULL && team->nthreads > 1 ? team->amp_report : NULL;
}

void
gomp_watch_region_begins (struct gomp_team *team, void (*fn) (void *))
{
  struct gomp_report_run *run
    = gomp_report_begin_run (fn, team->nthreads, gomp_thread ()->ts.level > 1);

  /* The threads of the team are started or released after that.  */
  team->amp_report = run;
  if (run == NULL)
    return;
  run->began = gomp_amp_clock ();
  if (gomp_trace_on)
    gomp_trace_region_begins (run, run->began);
}

void
gomp_watch_id_begins (struct gomp_thread *thr)
{
  struct gomp_report_run *run = current_run (thr);
  unsigned long long now;

  if (run == NULL)
    return;
  now = gomp_amp_clock ();
  if (gomp_report_on)
    gomp_report_id_begins (run, thr->ts.team_id, now);
  if (gomp_trace_on)
    gomp_trace_id_begins (run, thr, now);
}

void
gomp_watch_id_ends (struct gomp_thread *thr)
{
  struct gomp_report_run *run = current_run (thr);
  unsigned long long now;
  unsigned cls;

  if (run == NULL)
    return;
  now = gomp_amp_clock ();
  cls = gomp_report_class_of (thr);
  if (gomp_report_on)
    gomp_report_id_ends (run, thr->ts.team_id, cls, now);
  if (gomp_trace_on)
    gomp_trace_id_ends (run, thr, cls, now);
}

/* Write all that was recorded.  */

static void
write_all (void)
{
  int state;

  if (getpid () != process)
    return;
  /* A thread that is cancelled while it writes would keep the lock.  */
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &state);
  if (gomp_report_on)
    gomp_report_write ();
  if (gomp_trace_on)
    gomp_trace_write ();
  pthread_setcancelstate (state, NULL);
}

void
gomp_watch_region_ends (const struct gomp_team *team)
{
  struct gomp_report_run *run = team->nthreads > 1 ? team->amp_report : NULL;
  enum gomp_report_how how = GOMP_REPORT_THREADS;
  unsigned long long now;
  unsigned places;

  /* A run that is not active was begun by a parent process.  */
  if (run == NULL || !run->active)
    return;
  now = gomp_amp_clock ();
  places = run->ids;
  if (!run->nested)
    how = gomp_report_how (run->ids, &places);
  if (gomp_trace_on)
    gomp_trace_region_ends (run, how, now);
  gomp_report_end_run (run, how, places, now);
  if (__builtin_expect (asked, 0))
    {
      asked = 0;
      write_all ();
    }
}

/* What upstream's do_spin and do_wait would do.  */

static int
wait_alone (int *addr, int val, enum gomp_fold_way way,
	    unsigned long long spins)
{
  for (; spins != 0; spins--)
    {
      if (__atomic_load_n (addr, MEMMODEL_RELAXED) != val)
	return 0;
      gomp_fold_relax ();
    }
  if (way == GOMP_FOLD_SPIN)
    return 1;
  gomp_fold_sleep (addr, val);
  return 0;
}

/* Whether THR, which waits for *ADDR, waits for the next region.  Not so the
   thread that starts it.  */

static inline bool
at_dock (const struct gomp_thread *thr, const int *addr)
{
  return (thr->thread_pool != NULL && thr->ts.team_id != 0
	  && addr == (const int *) &thr->thread_pool->threads_dock.bar
				    .generation);
}

int
gomp_watch_wait (int *addr, int val, enum gomp_fold_way way,
		 unsigned long long *count)
{
  struct gomp_thread *thr = gomp_thread ();
  unsigned long long spins = 0, began = 0, now;
  bool between;
  int result;

  if (__atomic_load_n (addr, MEMMODEL_RELAXED) != val)
    return 0;
  /* Nothing asks for time between regions, and reading the clock delays the
     next one.  */
  between = at_dock (thr, addr);
  if (!between)
    {
      began = gomp_amp_clock ();
      if (gomp_trace_on)
	gomp_trace_waits (thr, addr, began);
    }
  /* Stores how often a thread of no folded team looks, too.  */
  result = gomp_fold_wait_for (addr, val, way, count != NULL ? &spins : NULL);
  if (result < 0)
    result = wait_alone (addr, val, way, spins);
  if (between)
    return result;
  now = gomp_amp_clock ();
  if (gomp_report_on)
    gomp_report_waited (thr, addr, now - began);
  if (gomp_trace_on)
    gomp_trace_waited (thr, addr, val, began, now);
  return result;
}

void
gomp_watch_call_task (void (*fn) (void *), void *data)
{
  struct gomp_report_id *id
    = gomp_report_on ? gomp_report_task_id (gomp_thread ()) : NULL;
  unsigned long long began, now, waited;

  if (id == NULL && !gomp_trace_on)
    {
      gomp_amp_call_known_task (fn, data);
      return;
    }
  waited = id != NULL ? gomp_report_waited_so_far () : 0;
  began = gomp_amp_clock ();
  gomp_amp_call_known_task (fn, data);
  now = gomp_amp_clock ();
  if (id != NULL)
    gomp_report_task_ran (id, now - began, waited);
  if (gomp_trace_on)
    gomp_trace_task (fn, began, now);
}

static void
ask (int signal __attribute__ ((unused)))
{
  asked = 1;
}

/* The calling thread is the only one of a forked child, which has done nothing
   yet.  */

static void
begin_child (void)
{
  process = getpid ();
  gomp_report_begin_child ();
  if (gomp_trace_on)
    gomp_trace_begin_child ();
  asked = 0;
}

void
gomp_watch_init (void)
{
  struct sigaction action = { 0 }, old;

  gomp_amp_moments_on = gomp_fold_on;
  gomp_report_init ();
  gomp_trace_init ();
  if (!gomp_report_on && !gomp_trace_on)
    return;
  process = getpid ();
  gomp_watch_init_files ();
  if (!gomp_fold_on)
    gomp_managed_threads += GOMP_FOLD_BIAS;
  for (unsigned i = 0; i < GOMP_AMP_SCHEDULES; i++)
    gomp_amp_traits[i] |= GOMP_AMP_REPORTED;
  gomp_amp_fast_chunk = 0;
  gomp_amp_timed_tasks = true;
  __atomic_store_n (&gomp_amp_classes_wanted, true, __ATOMIC_RELAXED);
  pthread_atfork (NULL, NULL, begin_child);
  has_key = pthread_key_create (&keeps_key, give_back) == 0;
  /* A program that has the signal for itself keeps it.  */
  action.sa_handler = ask;
  action.sa_flags = SA_RESTART;
  if (sigaction (SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
    sigaction (SIGUSR1, &action, NULL);
  gomp_amp_hold_exit ();
  gomp_watch_on = gomp_amp_moments_on = true;
}

void
gomp_watch_finish (void)
{
  if (gomp_watch_on)
    write_all ();
}
