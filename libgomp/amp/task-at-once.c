/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Chooses which new tasks run at once.  */

#include "libgomp.h"
#include "task-at-once.h"
#include "task-nest.h"
#include "task-wait.h"

/* Tasks that create fine-grained ones take at most so many times as much as
   these in a small branch of a tree.  */
#define BRANCHES 8

/* There are enough tasks for the other threads if at least FED_MOST a thread
   are ready, and then as long as FED_LEAST are.  */
#define FED_MOST 8
#define FED_LEAST 4

/* While there are not, or a thread sleeps nevertheless, one of the small
   branches of a tree that a thread creates is queued each time that it has run
   others for so many times GOMP_TASK_QUEUE_NS.  */
#define FEED_PERIOD 160

__thread struct gomp_amp_feeding gomp_amp_feeding;

/* Run the oldest ready descendant of the calling thread's task if that is a
   task that runs FN.  */

static void
run_like_task (struct gomp_team *team, void (*fn) (void *))
{
  gomp_mutex_lock (&team->task_lock);
  gomp_amp_run_tasks (team, GOMP_AMP_LIKE,
		      &(struct gomp_amp_terms) { .fn = fn });
}

/* Whether the calling thread's task may have ready descendants.  Without the
   lock: only the thread itself makes the answer yes.  */

static bool
has_descendants (struct gomp_team *team)
{
  return (gomp_amp_tasks_queued (team) != 0
	  && !priority_queue_empty_p (&gomp_thread ()->task->children_queue,
				      MEMMODEL_RELAXED));
}

/* Run descendants of the calling thread's task, the oldest first, as long as
   they are what GOAL says.  Returns whether that left none.  */

static bool
run_older_tasks (struct gomp_team *team, enum gomp_amp_goal goal)
{
  if (!has_descendants (team))
    return true;
  gomp_mutex_lock (&team->task_lock);
  return gomp_amp_run_tasks (team, goal,
			     &(struct gomp_amp_terms) { .taskwait = NULL });
}

/* Another COUNT tasks with FLAGS are more than GOMP_TASK_QUEUE_LIMIT: run
   ready ones until there is room, and some more.  Returns true if there is
   none and nothing to run, so that the new tasks have to be run at once: all
   that is older is others' to run.  */

static bool
make_room (struct gomp_team *team, unsigned long count, unsigned flags)
{
  unsigned long most = gomp_amp_options.task_queue_limit - count;

  gomp_mutex_lock (&team->task_lock);
  /* So many more that a sleeping thread is not woken for every single one.  */
  gomp_amp_run_tasks (team, GOMP_AMP_ROOM,
		      &(struct gomp_amp_terms) { .waiting = most - most / 8 });
  if (gomp_amp_tasks_waiting (team) <= most)
    return false;
  /* One within the other again, a chain of tasks would fill the stack.  */
  if (!gomp_amp_may_nest ())
    return false;
  /* A task to be run at once waits for what it depends on, and at its end for
     its event.  Not if that may be for the calling thread to fulfill.  */
  return !((flags & GOMP_TASK_FLAG_DETACH)
	   || ((flags & GOMP_TASK_FLAG_DEPEND)
	       && __atomic_load_n (&team->amp_tasks.detach, MEMMODEL_RELAXED)));
}

/* Whether there are so many ready tasks that the other threads need no more for
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

/* Whether TASK, which is about to create tasks that COST is of, and they are
   small branches of a tree: so small that queueing them costs a good part of
   what they take, and TASK one of many that are not much larger, which others
   can take instead.  That there were many is what it takes to know their
   mean.  */

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

/* Whether TASK is to run a fine-grained task, which COST is of, at once.

   While the other threads have enough to do it is; and a small branch while
   they have not, or while a thread sleeps since of what there is it must start
   nothing.  But of those one is queued whenever the calling thread has run so
   many at once that it can afford to.  */

static bool
run_fine_at_once (struct gomp_team *team, const struct gomp_task *task,
		  const struct gomp_amp_task_cost *cost)
{
  bool fed = fed_enough (team);

  /* Relaxed: a guess.  */
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

/* Tasks of a construct that are shorter in the mean than it takes to queue
   them are run at once: to run them all does not take their creator longer
   than to queue them would.  So are fine-grained ones while the others have
   enough to do.  Either only after what is older, and not too deep within each
   other, as a chain of them would fill the stack.

   A creator that is far ahead of the other threads runs the oldest task, if it
   is of the same construct, before it creates another one: if the construct's
   may be short, to find out, and if they are so short that this is no
   matter.  */

bool
gomp_amp_choose_at_once (struct gomp_team *team, unsigned long count,
			 unsigned flags, void (*fn) (void *))
{
  const struct gomp_task *task = gomp_thread ()->task;
  const struct gomp_amp_task_cost *cost
    = gomp_amp_known_cost (fn, task->amp_level + 1);
  unsigned long limit, waiting;

  gomp_amp_feeding.now = false;
  if (gomp_amp_may_nest ()
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
  if (gomp_amp_tasks_queued (team) > 64 * team->nthreads && waiting <= limit
      && gomp_amp_tasks_maybe_short (cost) && has_descendants (team))
    run_like_task (team, fn);
  return (__builtin_expect (waiting > limit, 0)
	  && make_room (team, count, flags));
}
