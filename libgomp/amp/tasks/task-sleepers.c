/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Counts and wakes threads that sleep in a wait for tasks.  */

#include "libgomp.h"
#include "tasks/task-at-once.h"
#include "tasks/task-hooks.h"
#include "tasks/task-search.h"
#include "tasks/task-sleepers.h"

void
gomp_amp_count_sleepers (struct gomp_team *team, int more)
{
  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team)
		   && (more > 0 || team->amp_tasks.sleepers != 0));
  /* Relaxed: readers without the lock need an estimate only.  */
  __atomic_store_n (&team->amp_tasks.sleepers, team->amp_tasks.sleepers + more,
		    MEMMODEL_RELAXED);
}

/* If SLEEPER's thread sleeps in a wait for tasks, wake it and return true.  */

static bool
wake_sleeper (struct gomp_team *team, struct gomp_task *sleeper)
{
  struct gomp_taskwait *taskwait = sleeper->taskwait;

  if (!sleeper->amp_asleep)
    return false;
  if (taskwait != NULL)
    {
      if (!taskwait->in_taskwait && !taskwait->in_depend_wait)
	return false;
      taskwait->in_taskwait = false;
      taskwait->in_depend_wait = false;
      gomp_sem_post (&taskwait->taskwait_sem);
    }
  else
    {
      if (!sleeper->taskgroup->in_taskgroup_wait)
	return false;
      sleeper->taskgroup->in_taskgroup_wait = false;
      gomp_sem_post (&sleeper->taskgroup->taskgroup_sem);
    }
  sleeper->amp_asleep = false;
  gomp_amp_count_sleepers (team, -1);
  return true;
}

void
gomp_amp_wake_sleepers (struct gomp_team *team, struct gomp_task *task)
{
  struct gomp_taskgroup *group = task->taskgroup;
  struct gomp_task *ancestor = task->parent;
  bool woken = false;

  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team));
  /* Two waits may depend on TASK: the wait for its taskgroup, which lasts as
     long as it has members, and its parent's wait, which may be for a task
     that depends on TASK.  */
  if (group != NULL && group->in_taskgroup_wait)
    {
      group->in_taskgroup_wait = false;
      gomp_sem_post (&group->taskgroup_sem);
      woken = true;
    }
  if (ancestor != NULL)
    woken |= wake_sleeper (team, ancestor);
  /* Waking a thread costs more than small tasks take.  */
  if (!gomp_amp_feeding.now && task->fn != NULL
      && gomp_amp_tasks_usually (gomp_amp_known_cost (task->fn,
						      task->amp_level),
				 gomp_amp_fine_ns ()))
    return;
  /* Any thread that waits in an ancestor can help if its search reaches TASK.
     The walk ends below a task of another team.  */
  for (unsigned steps = GOMP_AMP_SEARCHED_TASKS;
       !woken && ancestor != NULL && steps != 0
       && ancestor->kind != GOMP_TASK_IMPLICIT;
       steps--)
    {
      ancestor = ancestor->parent;
      woken = ancestor != NULL && wake_sleeper (team, ancestor);
    }
}
