/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Threads that sleep in a wait for tasks elsewhere than in a barrier, when
   GOMP_TASK_SCHEDULE=fifo, and what wakes them besides the end of the tasks
   that they wait for.  */

#ifndef GOMP_AMP_TASK_SLEEPERS_H
#define GOMP_AMP_TASK_SLEEPERS_H 1

#pragma GCC visibility push(hidden)

/* MORE of TEAM's threads sleep, or fewer.  With the task lock.  */
extern void gomp_amp_count_sleepers (struct gomp_team *team, int more);

/* TASK became ready in TEAM.  Wake those who sleep until tasks have ended that
   may hang on it, or else one that can run it.  With the task lock.  */
extern void gomp_amp_wake_sleepers (struct gomp_team *team,
				    struct gomp_task *task);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TASK_SLEEPERS_H */
