/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How a thread that waits for tasks elsewhere than in a barrier, or need not
   run any but may, runs them when GOMP_TASK_SCHEDULE=fifo.  */

#ifndef GOMP_AMP_TASK_WAIT_H
#define GOMP_AMP_TASK_WAIT_H 1

#pragma GCC visibility push(hidden)

/* What a thread runs tasks for.  It has to reach the first three goals.  */
enum gomp_amp_goal
{
  GOMP_AMP_CHILDREN,		/* Until the task's children have ended.  */
  GOMP_AMP_AWAITED,		/* Until those have that it awaits.  */
  GOMP_AMP_TASKGROUP,		/* Until the taskgroup's members have.  */
  GOMP_AMP_ONE,			/* One task, if any is ready.  */
  GOMP_AMP_LIKE,		/* The same, if it is of a construct.  */
  GOMP_AMP_SHORT,		/* While the oldest is a short one.  */
  GOMP_AMP_FINE,		/* While it is a fine-grained one.  */
  GOMP_AMP_ROOM			/* Until so many wait no more.  */
};

/* What some goals need to know: what the caller waits by, which construct is
   meant, and up to how many tasks may wait.  */
struct gomp_amp_terms
{
  struct gomp_taskwait *taskwait;
  void (*fn) (void *);
  unsigned long waiting;
};

/* Run tasks for GOAL, on TERMS.  With TEAM's task lock, which is let go of.
   Returns whether GOAL was reached.  */
extern bool gomp_amp_run_tasks (struct gomp_team *team,
				enum gomp_amp_goal goal,
				const struct gomp_amp_terms *terms);

/* Run tasks for GOAL, which is one of the first three: descendants of the
   calling thread's task, the oldest first, and sleep while none of them is
   ready.  TASKWAIT is the caller's if GOAL is not GOMP_AMP_TASKGROUP.  With
   TEAM's task lock, which is let go of.  */
extern void gomp_amp_wait_for_tasks (struct gomp_team *team,
				     enum gomp_amp_goal goal,
				     struct gomp_taskwait *taskwait);

/* Run the oldest ready descendant of the calling thread's task; returns false
   if there is none.  */
extern bool gomp_amp_run_one_task (struct gomp_team *team);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_WAIT_H */
