/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Big cores first: which of the threads that are idle in a barrier a new task
   wakes, and which tasks small cores leave to big ones.

   Big cores are those of the fastest class.  */

#ifndef GOMP_AMP_TASK_WAKE_H
#define GOMP_AMP_TASK_WAKE_H 1

#include <stdbool.h>
#include "options.h"

#pragma GCC visibility push(hidden)

/* Sleep in a barrier while *GENERATION is VAL, after spinning as upstream does,
   so that gomp_amp_wake_big_first knows the sleeper's class.  */
extern void gomp_amp_wait_in_barrier (unsigned *generation, unsigned val);

/* Wake COUNT threads that sleep there, those on big cores first.  */
extern void gomp_amp_wake_big_first (unsigned *generation, int count);

/* With TEAM's task lock, which may be let go of in between: the calling thread is
   about to start a ready task in a barrier.  If it is on a small core, and all
   that is left is so little that the big ones would have done it sooner than
   this thread its task, wait until they have, or should have.  */
extern void gomp_amp_leave_tail (struct gomp_team *team);

/* A task took NS nanoseconds on the calling thread's core.  */
extern void gomp_amp_note_task (unsigned long ns);

#pragma GCC visibility pop

static inline bool
gomp_amp_big_first_p (void)
{
  return __builtin_expect (gomp_amp_options.task_wake == GOMP_AMP_WAKE_BIG, 0);
}

static inline bool
gomp_amp_tail_to_big_p (void)
{
  return __builtin_expect (gomp_amp_options.task_tail == GOMP_AMP_TAIL_BIG, 0);
}

#endif /* GOMP_AMP_TASK_WAKE_H */
