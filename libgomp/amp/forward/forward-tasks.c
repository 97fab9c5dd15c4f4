/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What GCC 13 added for tasks.  */

#include "libgomp.h"
#include "libgomp_g.h"
#include "gomp-constants.h"
#include "forward-lacks.h"

#ifdef GOMP_LACKS_GOMP_taskwait_depend_nowait
static void
nothing (void *data __attribute__ ((unused)))
{
}

/* taskwait with nowait: later tasks wait for those that DEPEND names, the
   caller does not.  DEPEND is as GOMP_task's.  */

void
GOMP_taskwait_depend_nowait (void **depend)
{
  GOMP_task (nothing, NULL, NULL, 0, 1, true, GOMP_TASK_FLAG_DEPEND, depend, 0,
	     NULL);
}
#endif

/* Whether the innermost task is of a construct task, taskloop or target.  */

#ifdef GOMP_LACKS_omp_in_explicit_task
int
omp_in_explicit_task (void)
{
  struct gomp_task *task = gomp_thread ()->task;

  return task && task->kind != GOMP_TASK_IMPLICIT;
}

int32_t
omp_in_explicit_task_ (void)
{
  return omp_in_explicit_task ();
}
#endif
