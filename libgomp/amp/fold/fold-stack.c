/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds the stack of a thread that starts folded regions.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <pthread.h>
#include <sys/resource.h>
#include "fold/fold-stack.h"

size_t gomp_fold_thread_stack;

void
gomp_fold_find_stack (struct gomp_fold_pool *fold)
{
  pthread_attr_t attr;
  void *lowest;
  size_t size;
  struct rlimit limit;

  if (pthread_attr_getstacksize (&gomp_thread_attr, &size) == 0)
    __atomic_store_n (&gomp_fold_thread_stack, size, __ATOMIC_RELAXED);
  if (pthread_getattr_np (pthread_self (), &attr) == 0)
    {
      if (pthread_attr_getstack (&attr, &lowest, &size) == 0)
	{
	  fold->stack = (uintptr_t) lowest;
	  fold->stack_size = size;
	}
      pthread_attr_destroy (&attr);
    }
  /* Without /proc or a free file: the stack may begin here.  */
  else if (getrlimit (RLIMIT_STACK, &limit) == 0)
    {
      size = limit.rlim_cur < SIZE_MAX / 4 ? limit.rlim_cur : SIZE_MAX / 4;
      fold->stack_size = size;
      fold->stack = (uintptr_t) __builtin_frame_address (0) - size;
    }
}
