/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How a thread runs tasks outside of a barrier if GOMP_TASK_SCHEDULE=fifo: in
   waits, and where it may run tasks but need not.  */

#ifndef GOMP_AMP_TASK_WAIT_H
#define GOMP_AMP_TASK_WAIT_H 1

#pragma GCC visibility push(hidden)

/* The reason for which a thread runs tasks.  The first three goals must be
   reached.  */
enum gomp_amp_goal
{
  GOMP_AMP_CHILDREN,		/* Until all of the task's children have
				   ended.  */
  GOMP_AMP_AWAITED,		/* Until the awaited dependences have
				   ended.  */
  GOMP_AMP_TASKGROUP,		/* Until the taskgroup's members have
				   ended.  */
  GOMP_AMP_ONE,			/* One task, if any is ready.  */
  GOMP_AMP_LIKE,		/* One task, if the oldest ready task belongs
				   to the given construct.  */
  GOMP_AMP_SHORT,		/* While the oldest ready task is short.  */
  GOMP_AMP_FINE,		/* While the oldest ready task is
				   fine-grained.  */
  GOMP_AMP_ROOM			/* Until at most the given number of tasks
				   wait.  */
};

/* The arguments of some goals: the object that the caller waits by, the
   construct's function, and the number of tasks that may wait.  */
struct gomp_amp_terms
{
  struct gomp_taskwait *taskwait;
  void (*fn) (void *);
  unsigned long waiting;
};

/* Run tasks for GOAL with the arguments TERMS.  Returns true if GOAL was
   reached.  With TEAM's task lock, which is released at the end.  */
extern bool gomp_amp_run_tasks (struct gomp_team *team,
				enum gomp_amp_goal goal,
				const struct gomp_amp_terms *terms);

/* Run descendants of the calling thread's task for GOAL, one of the first
   three; the oldest first.  Sleep while none of them is ready.  TASKWAIT is
   the caller's unless GOAL is GOMP_AMP_TASKGROUP.  With TEAM's task lock,
   which is released at the end.  */
extern void gomp_amp_wait_for_tasks (struct gomp_team *team,
				     enum gomp_amp_goal goal,
				     struct gomp_taskwait *taskwait);

/* gomp_amp_wait_for_tasks for a taskwait, and for the end of a taskgroup.
   Without the task lock.  */
extern void gomp_amp_wait_for_children (void);
extern void gomp_amp_wait_for_members (void);

/* Run the oldest ready descendant of the calling thread's task; returns false
   if there is none, or the thread holds a lock.  */
extern bool gomp_amp_run_one_task (struct gomp_team *team);

#pragma GCC visibility pop

/* A taskwait, if there is something to wait for.  Acquire: as in upstream's
   GOMP_taskwait.  */
static inline void
gomp_amp_await_children (void)
{
  struct gomp_task *task = gomp_thread ()->task;

  if (task != NULL
      && !priority_queue_empty_p (&task->children_queue, MEMMODEL_ACQUIRE))
    gomp_amp_wait_for_children ();
}

/* The end of a taskgroup, if there is something to wait for.  Acquire: as in
   upstream's GOMP_taskgroup_end.  */
static inline void
gomp_amp_await_members (void)
{
  struct gomp_thread *thr = gomp_thread ();

  if (thr->ts.team != NULL && thr->task->taskgroup != NULL
      && __atomic_load_n (&thr->task->taskgroup->num_children,
			  MEMMODEL_ACQUIRE) != 0)
    gomp_amp_wait_for_members ();
}

#endif /* GOMP_AMP_TASK_WAIT_H */
