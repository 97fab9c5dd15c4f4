/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Tasks in the order in which they became ready: what task.c calls when
   GOMP_TASK_SCHEDULE=fifo, and otherwise does not notice.

   After Chronaki et al., "On the maturity of parallel applications for
   asymmetric multi-core processors", JPDC 127 (2019), section 3.3.  A task
   becomes ready when it is created, when the last task that it depends on ends,
   or when the device ends its part of it; that gives it the team's next number.
   Every scheduling point starts the ready task of the lowest number, among
   those of the highest priority, that OpenMP's task scheduling constraint
   allows there.  */

#ifndef GOMP_AMP_TASK_FIFO_H
#define GOMP_AMP_TASK_FIFO_H 1

#include "options.h"
#include "task-at-once.h"
#include "task-cost.h"
#include "task-nest.h"
#include "task-sleepers.h"
#include "task-wait.h"

/* GOMP_task's, which task.c and task-hooks.inc write down several times.  */
#define GOMP_AMP_TASK_PARAMETERS \
  void (*fn) (void *), void *data, void (*cpyfn) (void *, void *),	\
  long arg_size, long arg_align, bool if_clause, unsigned flags,	\
  void **depend, int priority_arg, void *detach
#define GOMP_AMP_TASK_ARGUMENTS \
  fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend,	\
  priority_arg, detach

/* TEAM is new.  */
static inline void
gomp_amp_init_tasks (struct gomp_team *team)
{
  team->amp_tasks = (struct gomp_amp_tasks) { 0 };
}

/* TASK was put into the queues.  With TEAM's task lock.  */
static inline void
gomp_amp_task_ready (struct gomp_team *team, struct gomp_task *task)
{
  if (!gomp_amp_fifo_p ())
    return;
  task->amp_ready = ++team->amp_tasks.ready;
  if (__builtin_expect (team->amp_tasks.sleepers != 0, 0))
    gomp_amp_wake_sleepers (team, task);
}

/* MORE of TEAM's tasks, or fewer, can't be started before others end.  With the
   task lock.  */
static inline void
gomp_amp_tasks_blocked (struct gomp_team *team, int more)
{
  if (!gomp_amp_tasks_p ())
    return;
  /* Relaxed: gomp_amp_tasks_waiting reads it without the lock.  */
  __atomic_store_n (&team->amp_tasks.blocked, team->amp_tasks.blocked + more,
		    MEMMODEL_RELAXED);
}

/* How many of TEAM's tasks are ready; and how many wait to be started, ready or
   not.  Without the task lock: a moment's difference is nothing.  */
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

/* A task with a detach clause was created in TEAM.  */
static inline void
gomp_amp_task_detach (struct gomp_team *team)
{
  /* Relaxed: only its creator's later tasks hang on it.  */
  __atomic_store_n (&team->amp_tasks.detach, true, MEMMODEL_RELAXED);
}

/* Whether COUNT new tasks that run FN, with FLAGS, are not to be queued but to
   be run at once; UPSTREAM is its answer.  OURS is gomp_amp_tasks_p (), or
   constant where that is known.  */
static inline bool
gomp_amp_run_at_once (bool ours, struct gomp_team *team, unsigned long count,
		      unsigned flags, void (*fn) (void *), bool upstream)
{
  if (!ours || !gomp_amp_fifo_p ())
    return upstream;
  return gomp_amp_choose_at_once (team, count, flags, fn);
}

/* TASK, which was just initialised, will run FN; PARENT, which may be NULL,
   created it.  */
static inline void
gomp_amp_set_level (struct gomp_task *task, const struct gomp_task *parent,
		    void (*fn) (void *))
{
  task->amp_level = parent != NULL ? parent->amp_level + 1 : 0;
  /* Otherwise only deferred tasks have one.  */
  task->fn = fn;
}

/* Run an undeferred task: call its function FN with its DATA.  */
static inline void
gomp_amp_call_undeferred (bool ours, void (*fn) (void *), void *data)
{
  if (!ours)
    fn (data);
  else
    {
      uintptr_t bottom = gomp_amp_nest.bottom;

      gomp_amp_enter_nest ();
      gomp_amp_call_task (fn, data);
      gomp_amp_nest.tasks--;
      gomp_amp_nest.bottom = bottom;
    }
}

/* Whether the calling thread's region or taskgroup, in TEAM, was cancelled
   while it waited before running a task at once, which upstream does not
   ask.  */
static inline bool
gomp_amp_cancelled (struct gomp_team *team)
{
  const struct gomp_taskgroup *group;

  if (__builtin_expect (!gomp_cancel_var, 1) || !gomp_amp_fifo_p ()
      || team == NULL)
    return false;
  group = gomp_thread ()->task->taskgroup;
  /* Relaxed: a cancellation is noticed sooner or later.  */
  return (gomp_team_barrier_cancelled (&team->barrier)
	  || (group != NULL
	      && (__atomic_load_n (&group->cancelled, MEMMODEL_RELAXED)
		  || (group->workshare && group->prev != NULL
		      && __atomic_load_n (&group->prev->cancelled,
					  MEMMODEL_RELAXED)))));
}

/* How many of COUNT tasks a taskloop with FLAGS creates at once.  Upstream has
   them all on the stack, and runs them one by one where they are many; we
   queue them in parts.  Not those that are undeferred: all their copies are
   made before the first one runs.  */
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

/* Before there are tasks: see what the options say of them.  */
static inline void
gomp_amp_init_task_options (void)
{
  gomp_amp_own_tasks = gomp_amp_fifo_p () || gomp_amp_tail_to_big_p ();
}

#endif /* GOMP_AMP_TASK_FIFO_H */
