/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How deep tasks may run within each other on a thread's stack.

   Where threads need not run any task, at the creation of tasks and at
   taskyield, they run some up to a depth and a number of bytes of stack, and
   in every wait anew: chains of tasks, each of which creates the next one, can
   be longer than any stack bears.  As their tasks may wait, too, all that is
   on top of the outermost one is limited as well.  */

#ifndef GOMP_AMP_TASK_NEST_H
#define GOMP_AMP_TASK_NEST_H 1

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Tasks that the calling thread is in the middle of, since its last wait, and
   that it need not have begun there: how many they are, and where on the stack
   the outermost began; and where the outermost did with those before that
   wait, or 0 if there is none.  */
struct gomp_amp_nest
{
  unsigned tasks;
  uintptr_t base, bottom;
};
extern __thread struct gomp_amp_nest gomp_amp_nest;

/* The same as gomp_amp_may_nest within such a task.  */
extern bool gomp_amp_may_nest_deeper (void);

#pragma GCC visibility pop

/* Whether the calling thread may begin another one.  */
static inline bool
gomp_amp_may_nest (void)
{
  return gomp_amp_nest.bottom == 0 || gomp_amp_may_nest_deeper ();
}

/* It is about to.  */
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
