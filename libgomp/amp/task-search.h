/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which task a thread starts that waits for tasks elsewhere than in a barrier,
   when GOMP_TASK_SCHEDULE=fifo.

   OpenMP's task scheduling constraint (5.2, section 12.9) lets a thread that
   is in the middle of tied tasks start only descendants of all of them.  Those
   of the task that waits are that, since every task below it on the thread's
   stack was started there by the same rule.  Where upstream runs only children
   and sleeps if they have all been started, we also run what those created:
   otherwise a big core would sleep while a small one works its way through all
   the descendants of a task that it took.  */

#ifndef GOMP_AMP_TASK_SEARCH_H
#define GOMP_AMP_TASK_SEARCH_H 1

#pragma GCC visibility push(hidden)

/* Descendants are looked for below this many started tasks, and ancestors above
   as many.  Each costs a look at memory that another thread may be writing to,
   while the lock is held.  */
#define GOMP_AMP_SEARCHED_TASKS 64

/* The oldest ready descendant of TASK, or member of GROUP, which is NULL or the
   taskgroup that TASK began; NULL if none is found.  With TEAM's task lock.  */
extern struct gomp_task *gomp_amp_oldest_task (struct gomp_team *team,
					       struct gomp_task *task,
					       struct gomp_taskgroup *group);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_SEARCH_H */
