/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Decides which new tasks run at once.  */

#include "libgomp.h"
#include "base/task-locks.h"
#include "tasks/task-at-once.h"
#include "tasks/task-nest.h"
#include "tasks/task-wait.h"

/* In a small branch of a tree, a task that creates fine-grained tasks takes at
   most this many times as long as these.  */
#define BRANCHES 8

/* The other threads have enough tasks when FED_MOST for each thread are ready,
   and from then on as long as FED_LEAST are.  */
#define FED_MOST 8
#define FED_LEAST 4

/* While they have not, or while a thread sleeps anyway, a thread queues one
   small branch each time that it has run others for this many times
   GOMP_TASK_QUEUE_NS.  */
#define FEED_PERIOD 160

__thread struct gomp_amp_feeding gomp_amp_feeding;

/* Run the oldest ready descendant of the calling thread's task if it runs
   FN.  */

static void
run_like_task (struct gomp_team *team, void (*fn) (void *))
{
  gomp_mutex_lock (&team->task_lock);
  gomp_amp_run_tasks (team, GOMP_AMP_LIKE,
		      &(struct gomp_amp_terms) { .fn = fn });
}

/* Whether the calling thread's task may have ready descendants.  Without the
   lock: only this thread itself can make the answer true.  */

static bool
has_descendants (struct gomp_team *team)
{
  return (gomp_amp_tasks_queued (team) != 0
	  && !priority_queue_empty_p (&gomp_thread ()->task->children_queue,
				      MEMMODEL_RELAXED));
}

/* Run descendants of the calling thread's task, the oldest first, as long as
   GOAL applies to them.  Returns true if none is left.  */

static bool
run_older_tasks (struct gomp_team *team, enum gomp_amp_goal goal)
{
  if (!has_descendants (team))
    return true;
  gomp_mutex_lock (&team->task_lock);
  return gomp_amp_run_tasks (team, goal,
			     &(struct gomp_amp_terms) { .taskwait = NULL });
}

/* COUNT new tasks with FLAGS would exceed the limit of the queue: run ready
   tasks until there is room, and some more.  Returns true if there is still no
   room and no task to run, so that the new tasks have to run at once: all
   older tasks are for other threads to run.  */

static bool
make_room (struct gomp_team *team, unsigned long count, unsigned flags)
{
  unsigned long most = gomp_amp_options.task_queue_limit - count;

  gomp_mutex_lock (&team->task_lock);
  /* Some more, so that a sleeping thread is not woken for every single
     task.  */
  gomp_amp_run_tasks (team, GOMP_AMP_ROOM,
		      &(struct gomp_amp_terms) { .waiting = most - most / 8 });
  if (gomp_amp_tasks_waiting (team) <= most)
    return false;
  /* A chain of tasks, each nested in the one before, would fill the stack.  */
  if (!gomp_amp_may_nest ())
    return false;
  /* A task that runs at once waits for its dependences, and at its end for its
     event.  It must not if the calling thread may have to fulfill that event.
     Relaxed: only later tasks of the same creator depend on it.  */
  return !((flags & GOMP_TASK_FLAG_DETACH)
	   || ((flags & GOMP_TASK_FLAG_DEPEND)
	       && __atomic_load_n (&team->task_detached, MEMMODEL_RELAXED)));
}

/* Whether there are so many ready tasks that the other threads need no more
   now.  */

static bool
fed_enough (struct gomp_team *team)
{
  static __thread bool fed;

  fed = (team->nthreads == 1
	 || (gomp_amp_tasks_queued (team)
	     >= (fed ? FED_LEAST : FED_MOST) * team->nthreads));
  return fed;
}

/* Whether TASK, which is about to create tasks of the construct COST, and
   these tasks form a small branch of a tree.  The tasks are so small that
   queueing costs a good part of their time.  TASK is one of many tasks that
   are not much larger, which other threads can take instead.  That there are
   many follows from its construct's known mean.  */

static bool
small_branch (const struct gomp_task *task,
	      const struct gomp_amp_task_cost *cost)
{
  unsigned long ns = gomp_amp_fine_ns ();

  return (task->amp_level != 0 && gomp_amp_tasks_usually (cost, ns)
	  && gomp_amp_tasks_usually (gomp_amp_known_cost (task->fn,
							  task->amp_level),
				     BRANCHES * ns));
}

/* Whether TASK is to run a fine-grained task of the construct COST at once.

   It is while the other threads have enough tasks.  It also is in a small
   branch if they have not, or if a thread sleeps because it may start none of
   the tasks that there are.  But the calling thread queues a task of a small
   branch whenever it has run so many at once that it can afford to.  */

static bool
run_fine_at_once (struct gomp_team *team, const struct gomp_task *task,
		  const struct gomp_amp_task_cost *cost)
{
  bool fed = fed_enough (team);

  /* Relaxed: an estimate is enough.  */
  if (fed && __atomic_load_n (&team->amp_tasks.sleepers, MEMMODEL_RELAXED) == 0)
    return true;
  if (!fed && !small_branch (task, cost))
    return false;
  gomp_amp_feeding.saved
    += __atomic_load_n (&cost->share, MEMMODEL_RELAXED) + 1;
  if (gomp_amp_feeding.saved < FEED_PERIOD * gomp_amp_options.task_queue_ns)
    return true;
  gomp_amp_feeding.saved = 0;
  gomp_amp_feeding.now = true;
  return false;
}

/* Tasks of a construct whose mean time is less than queueing takes are run at
   once: that takes their creator no longer than queueing them.  So are
   fine-grained tasks while the other threads have enough tasks.  Both only
   after all older tasks, and only up to a nesting depth, since a chain of them
   would fill the stack.

   A creator that is far ahead of the other threads runs the oldest task, if it
   is of the same construct, before it creates another.  It does so if the
   construct's tasks may be short, to measure them, and if they are so short
   that this costs nothing.

   A creator that holds a lock does neither.  */

bool
gomp_amp_choose_at_once (struct gomp_team *team, unsigned long count,
			 unsigned flags, void (*fn) (void *))
{
  const struct gomp_task *task = gomp_thread ()->task;
  const struct gomp_amp_task_cost *cost
    = gomp_amp_known_cost (fn, task->amp_level + 1);
  bool locked = gomp_amp_locks_held != 0;
  unsigned long limit, waiting;

  gomp_amp_feeding.now = false;
  if (!locked && gomp_amp_may_nest ()
      && !(flags & (GOMP_TASK_FLAG_DEPEND | GOMP_TASK_FLAG_DETACH
		    | GOMP_TASK_FLAG_PRIORITY)))
    {
      if (gomp_amp_tasks_short (cost))
	{
	  if (run_older_tasks (team, GOMP_AMP_SHORT))
	    return true;
	}
      else if (count == 1 && gomp_amp_tasks_fine (cost)
	       && run_fine_at_once (team, task, cost)
	       && run_older_tasks (team, GOMP_AMP_FINE))
	return true;
    }
  limit = gomp_amp_options.task_queue_limit;
  waiting = gomp_amp_tasks_waiting (team) + count;
  if (!locked && waiting <= limit
      && gomp_amp_tasks_queued (team) > 64 * team->nthreads
      && gomp_amp_tasks_maybe_short (cost) && has_descendants (team))
    run_like_task (team, fn);
  return (__builtin_expect (waiting > limit, 0)
	  && make_room (team, count, flags));
}
