/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Leaves the last tasks of a barrier to big cores.  */

/* For sched_getcpu.  Without a value, as in upstream's futex.h of most
   targets, which defines it unconditionally.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "libgomp.h"
#include "wait.h"
#include "machine/allotment.h"
#include "base/clock.h"
#include "machine/cpu.h"
#include "tasks/task-tail.h"

/* Whether the calling thread is on a core of the fastest class.  */

static bool
on_big_core (void)
{
  return gomp_amp_current_class (gomp_thread ()) == gomp_amp_fastest_class ();
}

/* Mean times of tasks in nanoseconds: [1] on cores of the fastest class, [0]
   on others.  Each task weighs an eighth; 0 before the first.  Relaxed: they
   are estimates.  */
static struct
{
  unsigned long mean __attribute__ ((aligned (64)));
} task_time[2];

void
gomp_amp_note_task (unsigned long ns)
{
  unsigned long *mean = &task_time[on_big_core ()].mean;
  unsigned long old = __atomic_load_n (mean, MEMMODEL_RELAXED);

  __atomic_store_n (mean, old == 0 ? ns : old - old / 8 + ns / 8,
		    MEMMODEL_RELAXED);
}

/* The number of TEAM's threads on cores of the fastest class, assuming that
   its threads use the cores in order.  */

static unsigned
big_threads (const struct gomp_team *team)
{
  const struct gomp_amp_allotment *allotment;
  unsigned big = 0, n = 0;

  if (gomp_amp_classes_forced ())
    {
      for (unsigned id = 0; id < team->nthreads; id++)
	big += gomp_amp_forced_class (id) == gomp_amp_fastest_class ();
      return big;
    }
  allotment = gomp_amp_allotment ();
  for (unsigned cpu = 0; cpu < allotment->ncpus; cpu++)
    if (allotment->usable[cpu])
      {
	n++;
	big += gomp_amp_class_of_cpu (cpu) == allotment->fastest;
      }
  if (n == 0 || team->nthreads < n)
    return big < team->nthreads ? big : team->nthreads;
  return big * (team->nthreads / n);
}

/* Whether the barrier of TEAM that a thread entered with STATE has ended.  With
   the task lock, without which it cannot end while a task is pending.  */

static inline bool
ended_p (struct gomp_team *team, gomp_barrier_state_t state)
{
  unsigned generation = __atomic_load_n (&team->barrier.generation,
					 MEMMODEL_RELAXED);

  return ((generation ^ state) & -BAR_INCR) != 0;
}

/* gomp_amp_leave_tail, but for the end of the barrier.  */

static void
await_tail (struct gomp_team *team, gomp_barrier_state_t state)
{
  unsigned long long here, there, until = 0;
  unsigned big;

  if (!gomp_amp_asymmetric (team) || on_big_core ())
    return;
  big = big_threads (team);
  /* These are the last tasks: all threads have reached the barrier and no task
     waits for others.  Running tasks may still create some.  */
  while (team->task_queued_count != 0 && team->amp_tasks.blocked == 0
	 && gomp_team_barrier_waiting_for_tasks (&team->barrier)
	 && !ended_p (team, state))
    {
      unsigned long long now = gomp_amp_clock ();

      here = __atomic_load_n (&task_time[0].mean, MEMMODEL_RELAXED);
      there = __atomic_load_n (&task_time[1].mean, MEMMODEL_RELAXED);
      /* The time by which the big cores, each of which may just have begun a
	 task, would have run all tasks.  */
      there += there * team->task_queued_count / (big != 0 ? big : 1);
      if (big == 0 || here <= there)
	return;
      if (until == 0)
	until = now + there;
      else if (now >= until)
	return;
      gomp_mutex_unlock (&team->task_lock);
      for (int i = 0; i < 64; i++)
	cpu_relax ();
      gomp_mutex_lock (&team->task_lock);
    }
}

bool
gomp_amp_leave_tail (struct gomp_team *team, gomp_barrier_state_t state,
		     struct gomp_task *to_free)
{
  await_tail (team, state);
  if (__builtin_expect (!ended_p (team, state), 1))
    return false;
  gomp_mutex_unlock (&team->task_lock);
  if (to_free != NULL)
    {
      gomp_finish_task (to_free);
      free (to_free);
    }
  return true;
}
