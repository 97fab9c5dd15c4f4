/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which task a thread starts that waits for tasks outside of a barrier, if
   GOMP_TASK_SCHEDULE=fifo.

   OpenMP's task scheduling constraint (5.2, section 12.9) allows a thread
   inside tied tasks to start only descendants of all of them.  Descendants of
   the waiting task meet it, since every task below that on the thread's stack
   was started by the same rule.  Upstream runs only children, and sleeps when
   all have been started.  We also run their descendants.  Otherwise a big core
   would sleep while a small one works through all descendants of a task that
   it took.  */

#ifndef GOMP_AMP_TASK_SEARCH_H
#define GOMP_AMP_TASK_SEARCH_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* The limit of started tasks to search below, and of ancestors to go up.  Each
   costs an access to memory that another thread may be writing to, while the
   lock is held.  */
#define GOMP_AMP_SEARCHED_TASKS 64

/* The oldest ready task among the descendants of TASK and the members of
   GROUP; NULL if none is found.  GROUP is NULL or the taskgroup that TASK
   began.  With TEAM's task lock.  */
extern struct gomp_task *gomp_amp_oldest_task (struct gomp_team *team,
					       struct gomp_task *task,
					       struct gomp_taskgroup *group);

/* The task that upstream would run while TASK waits: a member of GROUP if there
   is any, or else a child; of these first one that TASK waits for by its
   dependences, if it does so (AWAITED).  With the team's task lock.  */
extern struct gomp_task *gomp_amp_upstreams_task (struct gomp_task *task,
						  struct gomp_taskgroup *group,
						  bool awaited);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_SEARCH_H */
