/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How deep tasks may nest on a thread's stack.

   At the creation of a task and at taskyield a thread need not run any task.
   If it does, it nests tasks up to a depth and a number of bytes of stack.
   Both start at zero in each wait.  Otherwise a chain of tasks, each of which
   creates the next, could exceed any stack.  Since nested tasks may wait too,
   the bytes from the outermost one on are limited as well.  */

#ifndef GOMP_AMP_TASK_NEST_H
#define GOMP_AMP_TASK_NEST_H 1

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The calling thread's nested tasks that it was free not to begin.  tasks:
   their number since its last wait.  base: where the outermost of these began
   on the stack.  bottom: where the outermost of all began, including those
   before that wait; 0 if there is none.  */
struct gomp_amp_nest
{
  unsigned tasks;
  uintptr_t base, bottom;
};
extern __thread struct gomp_amp_nest gomp_amp_nest;

/* gomp_amp_may_nest for a thread inside a nested task.  */
extern bool gomp_amp_may_nest_deeper (void);

#pragma GCC visibility pop

/* Whether the calling thread may begin another nested task.  */
static inline bool
gomp_amp_may_nest (void)
{
  return gomp_amp_nest.bottom == 0 || gomp_amp_may_nest_deeper ();
}

/* The calling thread is about to begin a nested task.  */
static inline void
gomp_amp_enter_nest (void)
{
  if (gomp_amp_nest.tasks++ == 0)
    {
      gomp_amp_nest.base = (uintptr_t) __builtin_frame_address (0);
      if (gomp_amp_nest.bottom == 0)
	gomp_amp_nest.bottom = gomp_amp_nest.base;
    }
}

#endif /* GOMP_AMP_TASK_NEST_H */
