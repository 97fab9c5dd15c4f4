/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Limits the stack that nested tasks take.  */

#include <limits.h>
#include "libgomp.h"
#include "tasks/task-nest.h"

/* Limits since the last wait: tasks and bytes of stack.  Limits in all: bytes,
   or a part of the stack that OMP_STACKSIZE or the system gives to threads if
   that is less.  */
#define NESTED_TASKS 128
#define NESTED_BYTES 65536
#define NESTED_BYTES_IN_ALL 524288
#define NESTED_PART_OF_STACK 8

__thread struct gomp_amp_nest gomp_amp_nest;

/* The limit in all, in bytes of stack from the outermost nested task on.  */

static uintptr_t
most_stack (void)
{
  static size_t most;
  size_t bytes = __atomic_load_n (&most, MEMMODEL_RELAXED);

  if (__builtin_expect (bytes == 0, 0))
    {
      if (pthread_attr_getstacksize (&gomp_thread_attr, &bytes) != 0)
	bytes = PTHREAD_STACK_MIN;
      bytes /= NESTED_PART_OF_STACK;
      if (bytes > NESTED_BYTES_IN_ALL)
	bytes = NESTED_BYTES_IN_ALL;
      /* Relaxed: all threads compute the same value.  */
      __atomic_store_n (&most, bytes, MEMMODEL_RELAXED);
    }
  return bytes;
}

/* Whether HERE is less than BYTES away from BASE.  The stack may grow either
   way.  */

static inline bool
near (uintptr_t here, uintptr_t base, uintptr_t bytes)
{
  return here - base + bytes < 2 * bytes;
}

bool
gomp_amp_may_nest_deeper (void)
{
  uintptr_t here = (uintptr_t) __builtin_frame_address (0);
  const struct gomp_amp_nest *nest = &gomp_amp_nest;

  return (near (here, nest->bottom, most_stack ())
	  && (nest->tasks == 0
	      || (nest->tasks < NESTED_TASKS
		  && near (here, nest->base, NESTED_BYTES))));
}
