/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Static functions of task.c under our own names (task-hooks.inc).  All are
   called with the team's task lock.  */

#ifndef GOMP_AMP_TASK_HOOKS_H
#define GOMP_AMP_TASK_HOOKS_H 1

#include "base/assert.h"

/* Whether some thread has TEAM's task lock, for assertions.  Relaxed: if that
   is the calling thread, no other one stores 0.  */

static inline bool
gomp_amp_tasks_locked_p (struct gomp_team *team)
{
  return __atomic_load_n (&team->task_lock, MEMMODEL_RELAXED) != 0;
}

#pragma GCC visibility push(hidden)

/* TASK, a ready child of PARENT, is about to run.  Returns true if it was
   cancelled instead.  */
extern bool gomp_amp_start_task (struct gomp_task *task,
				 struct gomp_task *parent,
				 struct gomp_team *team);

/* TASK has run or was cancelled: release the tasks that depend on it, and
   remove it from its parent and its taskgroup.  Returns how many tasks became
   ready.  */
extern size_t gomp_amp_unlink_task (struct gomp_task *task,
				    struct gomp_team *team);

/* The device has ended its part of TASK.  */
extern void gomp_amp_end_target_task (struct gomp_team *team,
				      struct gomp_task *task);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_HOOKS_H */
