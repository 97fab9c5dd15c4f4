/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the library's part of the process ends: once, and before the process is
   gone, whichever threads call exit.  */

#ifndef GOMP_AMP_EXIT_H
#define GOMP_AMP_EXIT_H 1

#pragma GCC visibility push(hidden)

/* Call END when the process ends.  Called once, at start-up.  */
extern void gomp_amp_end_by (void (*end) (void));

/* Something is to be written, or a tool to be ended, when the process ends: a
   thread that calls exit meanwhile has to wait for that.  Called at start-up,
   and when a tool is started.  */
extern void gomp_amp_hold_exit (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_EXIT_H */
