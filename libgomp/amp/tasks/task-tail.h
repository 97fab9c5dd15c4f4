/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* GOMP_TASK_TAIL=big: which tasks small cores leave to big cores.

   Big cores are those of the fastest class.  */

#ifndef GOMP_AMP_TASK_TAIL_H
#define GOMP_AMP_TASK_TAIL_H 1

#include <stdbool.h>
#include "options/options.h"

#pragma GCC visibility push(hidden)

/* The calling thread is about to start a ready task in a barrier.  If it is on
   a small core, and the big cores would finish all remaining tasks sooner than
   this thread its one, wait until they have finished or should have.  With
   TEAM's task lock, which may be released in between.

   Returns whether the barrier, which the thread entered with STATE, has ended
   meanwhile.  Then tasks in the queue are those of what follows it, so the
   thread has to leave: the lock is released, and TO_FREE, a task that has ended
   or NULL, is freed.  */
extern bool gomp_amp_leave_tail (struct gomp_team *team,
				 gomp_barrier_state_t state,
				 struct gomp_task *to_free);

/* A task took NS nanoseconds on the calling thread's core.  */
extern void gomp_amp_note_task (unsigned long ns);

#pragma GCC visibility pop

static inline bool
gomp_amp_tail_to_big_p (void)
{
  return __builtin_expect (gomp_amp_options.task_tail == GOMP_AMP_TAIL_BIG, 0);
}

#endif /* GOMP_AMP_TASK_TAIL_H */
