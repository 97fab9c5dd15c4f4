/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether the thread that starts called regions has room on its stack for
   other ids than id 0.  These may need as much as OMP_STACKSIZE gives to a
   thread.  */

#ifndef GOMP_AMP_FOLD_STACK_H
#define GOMP_AMP_FOLD_STACK_H 1

#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

/* The stack of a thread that libgomp starts.  */
extern size_t gomp_fold_thread_stack;

/* Store in FOLD which stack the calling thread has.  */
extern void gomp_fold_find_stack (struct gomp_fold_pool *fold);

#pragma GCC visibility pop

/* Whether the calling thread, which starts FOLD's regions, has room.  Its stack
   is as large as that of others, but for an eighth, since the environment of
   the process is on the first one.  Half of that is left at least.  The thread
   is on no other stack, as that of a coroutine.  */

static inline bool
gomp_fold_has_room (const struct gomp_fold_pool *fold)
{
  uintptr_t room = (uintptr_t) __builtin_frame_address (0) - fold->stack;

  return (room <= fold->stack_size && room >= gomp_fold_thread_stack / 2
	  && (fold->stack_size
	      >= gomp_fold_thread_stack - gomp_fold_thread_stack / 8));
}

#endif /* GOMP_AMP_FOLD_STACK_H */
