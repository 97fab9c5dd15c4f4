/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which new tasks their creator runs at once instead of queueing them, if
   GOMP_TASK_SCHEDULE=fifo: short tasks, fine-grained tasks while the other
   threads have enough tasks, and tasks beyond the limit of the queue.  */

#ifndef GOMP_AMP_TASK_AT_ONCE_H
#define GOMP_AMP_TASK_AT_ONCE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Whether COUNT new tasks with FLAGS that run FN are to run at once.  Runs
   older tasks first where these have precedence.  */
extern bool gomp_amp_choose_at_once (struct gomp_team *team,
				     unsigned long count, unsigned flags,
				     void (*fn) (void *));

/* The calling thread's record for queueing one of many small tasks now and
   then: the nanoseconds of the small tasks that it has run since it last
   queued one, and whether its newest task is such a task.  */
struct gomp_amp_feeding
{
  unsigned long saved;
  bool now;
};
extern __thread struct gomp_amp_feeding gomp_amp_feeding;

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_AT_ONCE_H */
