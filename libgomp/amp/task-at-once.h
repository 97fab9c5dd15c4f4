/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which new tasks their creator runs at once instead of queueing them, when
   GOMP_TASK_SCHEDULE=fifo: short ones, fine-grained ones while the other
   threads have enough to do, and those beyond GOMP_TASK_QUEUE_LIMIT.  */

#ifndef GOMP_AMP_TASK_AT_ONCE_H
#define GOMP_AMP_TASK_AT_ONCE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Whether COUNT new tasks that run FN, with FLAGS, are to be run at once.  Runs
   older ones first where these come first.  */
extern bool gomp_amp_choose_at_once (struct gomp_team *team,
				     unsigned long count, unsigned flags,
				     void (*fn) (void *));

/* What the calling thread keeps to queue one of many small tasks now and then:
   how many nanoseconds those took that it has run since the last one, and
   whether its newest task is such a one.  */
struct gomp_amp_feeding
{
  unsigned long saved;
  bool now;
};
extern __thread struct gomp_amp_feeding gomp_amp_feeding;

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_AT_ONCE_H */
