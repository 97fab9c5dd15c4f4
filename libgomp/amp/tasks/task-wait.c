/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Runs tasks while a thread waits, and sleeps when there are none.  */

#include "libgomp.h"
#include "base/clock.h"
#include "base/task-locks.h"
#include "ompt/ompt.h"
#include "tasks/task-hooks.h"
#include "tasks/task-nest.h"
#include "tasks/task-search.h"
#include "tasks/task-sleepers.h"
#include "tasks/task-wait.h"

/* Whether GOAL of TASK is reached.  */

static bool
is_reached (struct gomp_team *team, enum gomp_amp_goal goal,
	    struct gomp_task *task, const struct gomp_amp_terms *terms)
{
  switch (goal)
    {
    case GOMP_AMP_ROOM:
      return gomp_amp_tasks_waiting (team) <= terms->waiting;
    case GOMP_AMP_CHILDREN:
      return priority_queue_empty_p (&task->children_queue, MEMMODEL_RELAXED);
    case GOMP_AMP_AWAITED:
      return terms->taskwait->n_depend == 0;
    case GOMP_AMP_TASKGROUP:
      return task->taskgroup->num_children == 0;
    case GOMP_AMP_ONE:
    case GOMP_AMP_LIKE:
    case GOMP_AMP_SHORT:
    case GOMP_AMP_FINE:
      break;
    }
  return false;
}

/* What a waiting thread has to do as soon as it releases the lock.  */

struct aftermath
{
  struct gomp_task *ended;
  int wake;
  /* Whether ENDED released tasks of which one is left to the calling thread,
     which has not taken any yet.  */
  bool released;
};

static void
free_ended (struct aftermath *aftermath)
{
  if (aftermath->ended != NULL)
    {
      gomp_finish_task (aftermath->ended);
      free (aftermath->ended);
      aftermath->ended = NULL;
    }
}

/* How many threads TEAM can use at most, in addition to the calling one and
   those that run its tasks.  */

static int
idle_threads (struct gomp_team *team)
{
  struct gomp_task *task = gomp_thread ()->task;
  int idle = team->nthreads - team->task_running_count - !task->in_tied_task;

  return idle > 0 ? idle : 0;
}

static void
unlock_tasks (struct gomp_team *team, struct aftermath *aftermath)
{
  if (aftermath->released && team->task_queued_count != 0
      && aftermath->wake < idle_threads (team))
    aftermath->wake++;
  aftermath->released = false;
  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team));
  gomp_mutex_unlock (&team->task_lock);
  if (aftermath->wake > 0)
    gomp_team_barrier_wake (&team->barrier, aftermath->wake);
  aftermath->wake = 0;
  free_ended (aftermath);
}

/* Sleep until something happens that GOAL of TASK may depend on.  With the
   task lock, which is released in between.  */

static void
sleep_until_woken (struct gomp_team *team, enum gomp_amp_goal goal,
		   struct gomp_task *task, struct gomp_taskwait *taskwait,
		   struct aftermath *aftermath)
{
  unsigned long long since;
  gomp_sem_t *sem;

  if (goal == GOMP_AMP_TASKGROUP)
    {
      task->taskgroup->in_taskgroup_wait = true;
      sem = &task->taskgroup->taskgroup_sem;
    }
  else
    {
      if (goal == GOMP_AMP_CHILDREN)
	taskwait->in_taskwait = true;
      else
	taskwait->in_depend_wait = true;
      sem = &taskwait->taskwait_sem;
    }
  task->amp_asleep = true;
  gomp_amp_count_sleepers (team, 1);
  unlock_tasks (team, aftermath);
  since = gomp_amp_clock ();
  gomp_sem_wait (sem);
  gomp_amp_task_clock.slept += gomp_amp_clock () - since;
  gomp_mutex_lock (&team->task_lock);
  /* If a ready task woke this thread, the waker has adjusted the count.  */
  if (task->amp_asleep)
    gomp_amp_count_sleepers (team, -1);
  task->amp_asleep = false;
}

/* Run CHILD, which was ready, until it has ended or continues elsewhere.  With
   the task lock, which is released in between.  Returns true if it has
   ended.  */

static bool
run_task (struct gomp_team *team, struct gomp_task *child,
	  struct aftermath *aftermath)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_task *task = thr->task;
  bool goes_on = false;

  if (__builtin_expect (gomp_amp_start_task (child, child->parent, team), 0))
    return true;
  unlock_tasks (team, aftermath);
  thr->task = child;
  if (__builtin_expect (child->fn == NULL, 0))
    goes_on = gomp_target_task_fn (child->fn_data);
  else if (gomp_ompt_p ())
    gomp_ompt_call_task (gomp_amp_call_known_task, child->fn, child->fn_data);
  else
    gomp_amp_call_known_task (child->fn, child->fn_data);
  thr->task = task;
  gomp_mutex_lock (&team->task_lock);
  if (__builtin_expect (goes_on, 0))
    {
      struct gomp_target_task *ttask = child->fn_data;

      child->kind = GOMP_TASK_ASYNC_RUNNING;
      /* The device may have finished already.  */
      if (ttask->state == GOMP_TARGET_TASK_FINISHED)
	gomp_amp_end_target_task (team, child);
      else
	ttask->state = GOMP_TARGET_TASK_RUNNING;
      return false;
    }
  if (__builtin_expect (child->detach_team != NULL, 0))
    {
      child->kind = GOMP_TASK_DETACHED;
      team->task_detach_count++;
      return false;
    }
  return true;
}

/* CHILD has ended.  With the task lock.  */

static void
end_task (struct gomp_team *team, struct gomp_task *child,
	  struct aftermath *aftermath)
{
  size_t released;
  int idle;

  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team));
  /* There is an earlier one if CHILD was cancelled and so did not run.  */
  free_ended (aftermath);
  released = gomp_amp_unlink_task (child, team);
  /* Release: the last thread to arrive at the barrier does not take the lock
     if it sees that no task is left.  */
  __atomic_store_n (&team->task_count, team->task_count - 1, MEMMODEL_RELEASE);
  aftermath->ended = child;
  aftermath->released = released != 0;
  if (released == 0)
    return;
  gomp_team_barrier_set_task_pending (&team->barrier);
  /* As in upstream, one task is left to the calling thread.  */
  idle = idle_threads (team);
  if (released - 1 < (size_t) idle)
    idle = released - 1;
  if (aftermath->wake < idle)
    aftermath->wake = idle;
}

/* Whether GOAL applies to CHILD.  */

static bool
is_for_goal (enum gomp_amp_goal goal, struct gomp_task *child,
	     const struct gomp_amp_terms *terms)
{
  const struct gomp_amp_task_cost *cost;

  if (goal == GOMP_AMP_LIKE)
    return child->fn == terms->fn;
  if (goal != GOMP_AMP_SHORT && goal != GOMP_AMP_FINE)
    return true;
  /* A target task has no function.  */
  if (child->fn == NULL)
    return false;
  cost = gomp_amp_known_cost (child->fn, child->amp_level);
  return (goal == GOMP_AMP_SHORT ? gomp_amp_tasks_short (cost)
	  : gomp_amp_tasks_fine (cost));
}

bool
gomp_amp_run_tasks (struct gomp_team *team, enum gomp_amp_goal goal,
		    const struct gomp_amp_terms *terms)
{
  struct gomp_task *task = gomp_thread ()->task;
  struct gomp_taskgroup *group
    = goal == GOMP_AMP_TASKGROUP ? task->taskgroup : NULL;
  struct aftermath aftermath = { NULL, 0, false };
  struct gomp_amp_nest nest = gomp_amp_nest;
  bool must = goal < GOMP_AMP_ONE, may = must || gomp_amp_may_nest (), reached;

  /* A wait sleeps by an object, a taskgroup's by the group itself.  */
  GOMP_AMP_ASSERT ((terms->taskwait != NULL)
		   == (must && goal != GOMP_AMP_TASKGROUP));
  if (must)
    gomp_amp_nest.tasks = 0;
  else
    gomp_amp_enter_nest ();
  while (!(reached = is_reached (team, goal, task, terms)) && may)
    {
      struct gomp_task *child
	= (gomp_amp_locks_held == 0 ? gomp_amp_oldest_task (team, task, group)
	   : gomp_amp_upstreams_task (task, group, goal == GOMP_AMP_AWAITED));

      if (child == NULL && must)
	sleep_until_woken (team, goal, task, terms->taskwait, &aftermath);
      else if (child == NULL)
	{
	  reached = goal == GOMP_AMP_SHORT || goal == GOMP_AMP_FINE;
	  break;
	}
      else if (!is_for_goal (goal, child, terms))
	break;
      else
	{
	  aftermath.released = false;
	  if (run_task (team, child, &aftermath))
	    end_task (team, child, &aftermath);
	  if (goal == GOMP_AMP_ONE || goal == GOMP_AMP_LIKE)
	    {
	      reached = true;
	      break;
	    }
	}
    }
  gomp_amp_nest = nest;
  if (terms->taskwait != NULL)
    task->taskwait = NULL;
  unlock_tasks (team, &aftermath);
  return reached;
}

void
gomp_amp_wait_for_tasks (struct gomp_team *team, enum gomp_amp_goal goal,
			 struct gomp_taskwait *taskwait)
{
  struct gomp_task *task = gomp_thread ()->task;

  GOMP_AMP_ASSERT (goal < GOMP_AMP_ONE);
  if (taskwait != NULL)
    {
      gomp_sem_init (&taskwait->taskwait_sem, 0);
      task->taskwait = taskwait;
    }
  gomp_amp_run_tasks (team, goal,
		      &(struct gomp_amp_terms) { .taskwait = taskwait });
  if (taskwait != NULL)
    gomp_sem_destroy (&taskwait->taskwait_sem);
}

void
gomp_amp_wait_for_children (void)
{
  struct gomp_team *team = gomp_thread ()->ts.team;
  struct gomp_taskwait taskwait = { .in_taskwait = false };

  gomp_mutex_lock (&team->task_lock);
  gomp_amp_wait_for_tasks (team, GOMP_AMP_CHILDREN, &taskwait);
}

void
gomp_amp_wait_for_members (void)
{
  struct gomp_team *team = gomp_thread ()->ts.team;

  gomp_mutex_lock (&team->task_lock);
  gomp_amp_wait_for_tasks (team, GOMP_AMP_TASKGROUP, NULL);
}

bool
gomp_amp_run_one_task (struct gomp_team *team)
{
  if (gomp_amp_tasks_queued (team) == 0 || gomp_amp_locks_held != 0)
    return false;
  gomp_mutex_lock (&team->task_lock);
  return gomp_amp_run_tasks (team, GOMP_AMP_ONE,
			     &(struct gomp_amp_terms) { .taskwait = NULL });
}
