/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which locks the calling thread holds, for GOMP_TASK_SCHEDULE=fifo.

   A task may want a lock that its creator holds.  Upstream queues it, and the
   creator releases the lock before it comes to a scheduling point.  So a thread
   that holds a lock runs no task that upstream would not run there: none where
   it creates one, up to the limit of the queue, or yields, and in a wait the
   one that upstream would choose.

   Locks are those of critical, ordered and the atomic fallback, and omp_lock_t
   and omp_nest_lock_t.  A program may release a lock by another thread than the
   one that took it, though OpenMP forbids that.  Then the count of the latter
   stays too high, so that it queues tasks that it could run at once, which
   upstream does too; and the count of the former stays at 0.  */

#ifndef GOMP_AMP_TASK_LOCKS_H
#define GOMP_AMP_TASK_LOCKS_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Whether the hooks of locks are wanted: tasks are fifo, or there is a tool.
   One test serves both, so that neither costs locks an instruction without.
   Set at start-up.  */
extern bool gomp_amp_locks_on;

#define gomp_amp_locks_p() __builtin_expect (gomp_amp_locks_on, 0)

/* The locks that the calling thread has taken and not released.  */
extern __thread unsigned gomp_amp_locks_held;

#pragma GCC visibility pop

static inline void
gomp_amp_lock_taken (void)
{
  gomp_amp_locks_held++;
}

static inline void
gomp_amp_lock_released (void)
{
  if (gomp_amp_locks_held != 0)
    gomp_amp_locks_held--;
}

#endif /* GOMP_AMP_TASK_LOCKS_H */
