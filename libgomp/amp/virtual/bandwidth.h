/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Threads that share the memory's bandwidth.  For virtual/ only.

   A segment is what a thread runs between two meetings.  It is in flight from
   the thread's clock at the first of them to that at the second one.  How long
   that takes depends on the other segments in flight, and it is known when the
   segment has run for real: until then no thread with a later clock has gone
   on.  So the clocks of ready threads, which are the ends of their segments,
   change whenever a segment begins or ends.

   Without a cap or without a demand nothing of this happens.  */

#ifndef GOMP_VIRTUAL_BANDWIDTH_H
#define GOMP_VIRTUAL_BANDWIDTH_H 1

#include <stdio.h>
#include "baton.h"
#include "virtual.h"

#pragma GCC visibility push(hidden)

/* Whether there are caps, and code that demands bandwidth.  Constant once
   virtual time has started.  */
extern bool gomp_virtual_capped;

/* Read GOMP_AMP_VIRTUAL_BANDWIDTH.  DEMANDING: some code demands bandwidth.
   The virtual machine is known.  */
extern void gomp_virtual_init_bandwidth (bool demanding);

/* THREAD, the calling thread, has run for NS nanoseconds of its core's time
   alone: advance its clock by what that takes beside the others.  With the
   lock.  */
extern void gomp_virtual_run_beside (struct gomp_virtual_thread *thread,
				     double ns);

/* Threads begin to run, or stop: set all clocks accordingly.  With the
   lock.  */
extern void gomp_virtual_share_out (void);

/* THREAD goes on at its clock, the lowest of all: no thread's segment changes
   before it any more.  With the lock.  */
extern void gomp_virtual_flow (struct gomp_virtual_thread *thread);

/* The speed of THREAD, which runs now, as a fraction of its speed alone.  With
   the lock.  */
extern double gomp_virtual_rate (const struct gomp_virtual_thread *thread);

/* The calling thread is about to do what depends on its clock, or to change
   what it demands: its segment ends.  */
static inline void
gomp_virtual_end_segment (void)
{
  if (gomp_virtual_capped)
    gomp_virtual_meet ();
}

/* Print the member "memory" of the report, if there are caps.  */
extern void gomp_virtual_print_bandwidth (FILE *out);

/* Forget all segments.  For a child process, which has one thread.  */
extern void gomp_virtual_clear_bandwidth (void);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_BANDWIDTH_H */
