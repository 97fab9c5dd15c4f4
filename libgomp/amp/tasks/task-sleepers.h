/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Threads that sleep in a wait for tasks outside of a barrier, if
   GOMP_TASK_SCHEDULE=fifo, and what wakes them other than the end of the tasks
   that they wait for.  */

#ifndef GOMP_AMP_TASK_SLEEPERS_H
#define GOMP_AMP_TASK_SLEEPERS_H 1

#pragma GCC visibility push(hidden)

/* MORE threads of TEAM sleep; MORE may be negative.  With the task lock.  */
extern void gomp_amp_count_sleepers (struct gomp_team *team, int more);

/* TASK became ready in TEAM.  Wake the threads whose wait may depend on it, or
   else one that can run it.  With the task lock.  */
extern void gomp_amp_wake_sleepers (struct gomp_team *team,
				    struct gomp_task *task);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_SLEEPERS_H */
