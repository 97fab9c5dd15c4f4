/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The end of the process.  */

#ifndef GOMP_AMP_FINISH_H
#define GOMP_AMP_FINISH_H 1

#pragma GCC visibility push(hidden)

/* Something is to be written, or a tool to be ended, when the process ends: a
   thread that calls exit meanwhile has to wait for that.  Called at start-up,
   and when a tool is started.  */
extern void gomp_amp_hold_exit (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FINISH_H */
