/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Leaves the tail of the work to big cores.  */

/* For sched_getcpu.  Without a value, as in upstream's futex.h for most
   targets, which does not ask whether it is defined.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "libgomp.h"
#include "wait.h"
#include "allotment.h"
#include "clock.h"
#include "cpu.h"
#include "task-tail.h"

/* Whether the calling thread is on a core of the fastest class.  */

static bool
on_big_core (void)
{
  return gomp_amp_current_class (gomp_thread ()) == gomp_amp_fastest_class ();
}

/* How long tasks take on cores of the fastest class, and on others: means in
   nanoseconds of which a task makes up an eighth, 0 before the first.  Relaxed:
   they are guesses.  */
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

/* The number of TEAM's threads on cores of the fastest class, if its threads
   are on the cores in order.  */

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

void
gomp_amp_leave_tail (struct gomp_team *team)
{
  unsigned long long here, there, until = 0;
  unsigned big;

  if (!gomp_amp_asymmetric (team) || on_big_core ())
    return;
  big = big_threads (team);
  /* What makes it the tail: no thread is still on its way to the barrier and no
     task waits for others.  Those that run may still create some.  */
  while (team->task_queued_count != 0 && team->amp_tasks.blocked == 0
	 && gomp_team_barrier_waiting_for_tasks (&team->barrier))
    {
      unsigned long long now = gomp_amp_clock ();

      here = __atomic_load_n (&task_time[0].mean, MEMMODEL_RELAXED);
      there = __atomic_load_n (&task_time[1].mean, MEMMODEL_RELAXED);
      /* When the big ones, each of which may just have begun another, would
	 have run all.  */
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
