/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Tasks in the order in which they become ready: the functions that task.c
   calls.  They change its behaviour only if GOMP_TASK_SCHEDULE=fifo.

   After Chronaki et al., "On the maturity of parallel applications for
   asymmetric multi-core processors", JPDC 127 (2019), section 3.3.  A task
   becomes ready when it is created, when the last task that it depends on
   ends, or when the device ends its part of it.  It then gets the team's next
   number.  At every scheduling point a thread starts a ready task that
   OpenMP's task scheduling constraint allows: of these, the one with the
   lowest number among those of the highest priority.  */

#ifndef GOMP_AMP_TASK_FIFO_H
#define GOMP_AMP_TASK_FIFO_H 1

#include <stddef.h>
#include "base/task-locks.h"
#include "fold/fold-setup.h"
#include "ompt/ompt.h"
#include "options/options.h"
#include "tasks/task-at-once.h"
#include "tasks/task-cost.h"
#include "tasks/task-hooks.h"
#include "tasks/task-nest.h"
#include "tasks/task-sleepers.h"
#include "tasks/task-wait.h"

/* Initialise the fork's data of TEAM, which is new.  */
static inline void
gomp_amp_init_tasks (struct gomp_team *team)
{
  team->amp_tasks = (struct gomp_amp_tasks) { 0 };
}

/* TASK's parent created it.  Only a task without a parent has level 0, so that
   it may be set again.  */
static inline void
gomp_amp_set_level (struct gomp_task *task)
{
  if (task->amp_level == 0 && task->parent != NULL)
    task->amp_level = task->parent->amp_level + 1;
}

static inline void
gomp_amp_task_ready (struct priority_queue *queue, struct gomp_task *task)
{
  struct gomp_team *team
    = (struct gomp_team *) ((char *) queue
			    - offsetof (struct gomp_team, task_queue));

  if (__builtin_expect (gomp_fold_on, 0))
    team->amp_tasks.any = true;
  if (!gomp_amp_fifo_p ())
    return;
  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team));
  gomp_amp_set_level (task);
  task->amp_ready = ++team->amp_tasks.ready;
  if (__builtin_expect (team->amp_tasks.sleepers != 0, 0))
    gomp_amp_wake_sleepers (team, task);
}

/* Add MORE to the number of TEAM's tasks that cannot start before others end.
   With the task lock.  */
static inline void
gomp_amp_count_blocked (struct gomp_team *team, int more)
{
  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team)
		   && (more > 0 || team->amp_tasks.blocked != 0));
  /* Relaxed: gomp_amp_tasks_waiting reads it without the lock.  */
  __atomic_store_n (&team->amp_tasks.blocked, team->amp_tasks.blocked + more,
		    MEMMODEL_RELAXED);
}

/* TASK of TEAM, which is new, cannot start before others end; or one such task
   can.  With the task lock.  */
static inline void
gomp_amp_task_blocked (struct gomp_team *team, struct gomp_task *task)
{
  if (!gomp_amp_fifo_p ())
    return;
  gomp_amp_set_level (task);
  gomp_amp_count_blocked (team, 1);
}

static inline void
gomp_amp_task_unblocked (struct gomp_team *team)
{
  if (gomp_amp_fifo_p ())
    gomp_amp_count_blocked (team, -1);
}

/* The number of TEAM's tasks that are ready; and of those that wait to be
   started, ready or not.  Without the task lock: the numbers may be slightly
   old.  */
static inline unsigned long
gomp_amp_tasks_queued (struct gomp_team *team)
{
  return __atomic_load_n (&team->task_queued_count, MEMMODEL_RELAXED);
}

static inline unsigned long
gomp_amp_tasks_waiting (struct gomp_team *team)
{
  return (gomp_amp_tasks_queued (team)
	  + __atomic_load_n (&team->amp_tasks.blocked, MEMMODEL_RELAXED));
}

/* Whether COUNT new tasks with FLAGS that run FN are to run at once instead of
   being queued.  UPSTREAM is upstream's answer.  OURS is gomp_amp_fifo_p (),
   or a constant where the value is known.  */
static inline bool
gomp_amp_run_at_once (bool ours, struct gomp_team *team, unsigned long count,
		      unsigned flags, void (*fn) (void *), bool upstream)
{
  if (!ours)
    return upstream;
  return gomp_amp_choose_at_once (team, count, flags, fn);
}

/* Run an undeferred task: call its function FN with its DATA.  */
static inline void
gomp_amp_run_undeferred (bool ours, void (*fn) (void *), void *data)
{
  if (!ours)
    fn (data);
  else
    {
      struct gomp_task *task = gomp_thread ()->task;
      uintptr_t bottom = gomp_amp_nest.bottom;

      gomp_amp_set_level (task);
      /* Upstream stores it for deferred tasks only.  */
      task->fn = fn;
      gomp_amp_enter_nest ();
      gomp_amp_call_known_task (fn, data);
      GOMP_AMP_ASSERT (gomp_amp_nest.tasks != 0);
      gomp_amp_nest.tasks--;
      gomp_amp_nest.bottom = bottom;
    }
}

/* Run an undeferred task, and have a tool's events.  */
static inline void
gomp_amp_call_undeferred (bool ours, void (*fn) (void *), void *data)
{
  if (gomp_ompt_p ())
    gomp_ompt_call_undeferred (ours, fn, data);
  else
    gomp_amp_run_undeferred (ours, fn, data);
}

/* Whether the calling thread's region or taskgroup in TEAM was cancelled while
   the thread waited before running a task at once.  Upstream does not check
   that.  */
static inline bool
gomp_amp_cancelled (struct gomp_team *team)
{
  const struct gomp_taskgroup *group;

  if (__builtin_expect (!gomp_cancel_var, 1) || team == NULL)
    return false;
  group = gomp_thread ()->task->taskgroup;
  /* Relaxed: a cancellation may be noticed late.  */
  return (gomp_team_barrier_cancelled (&team->barrier)
	  || (group != NULL
	      && (__atomic_load_n (&group->cancelled, MEMMODEL_RELAXED)
		  || (group->workshare && group->prev != NULL
		      && __atomic_load_n (&group->prev->cancelled,
					  MEMMODEL_RELAXED)))));
}

/* How many of COUNT tasks a taskloop with FLAGS creates in one part.  Upstream
   keeps all of them on the stack, and runs them one by one if there are many.
   We queue them in parts.  Undeferred tasks are not split: all their copies
   are made before the first one runs.  */
static inline unsigned long
gomp_amp_taskloop_part (const struct gomp_team *team, unsigned long count,
			unsigned flags)
{
  unsigned long most = 256;

  if (!gomp_amp_fifo_p () || team == NULL || !(flags & GOMP_TASK_FLAG_IF)
      || gomp_thread ()->task->final_task)
    return count;
  if (most > gomp_amp_options.task_queue_limit)
    most = gomp_amp_options.task_queue_limit;
  return count < most ? count : most;
}

#endif /* GOMP_AMP_TASK_FIFO_H */
