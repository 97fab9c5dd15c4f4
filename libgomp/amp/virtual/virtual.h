/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Virtual time: what the schedules, and the stand-ins for the operating system
   in config/, see of the lab's library.

   A simulation of discrete events whose computations are real.  A thread's
   clock is virtual; what it does between two meetings with other threads (a
   lock, a barrier, a removal from a loop's pool) runs as it is and advances its
   clock by the CPU time used, times the slowness of its core.  Meetings happen
   in the order of the clocks: before one, a thread passes the baton to one that
   has a lower clock.  So one thread at a time runs, on any number of virtual
   cores.  */

#ifndef GOMP_VIRTUAL_H
#define GOMP_VIRTUAL_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Start virtual time as the environment asks; the calling thread is the
   first.  Until then the functions below do nothing.  To be called once, after
   gomp_amp_init_options.  */
extern void gomp_virtual_start (void);

/* The calling thread is about to do what others may see, or to look at what
   they did: let those whose clocks are lower go first.  */
extern void gomp_virtual_meet (void);

/* The same, followed by a removal from POOL, an address that is the pool's
   own.  The pool's line of cache is one thread's at a time.  */
extern void gomp_virtual_take (const void *pool);

/* A removal from POOL by a thread that has met the others already.  */
extern void gomp_virtual_take_met (const void *pool);

/* The calling thread has looked for something that another thread will do,
   without success: to be called in every turn of such a loop.  Returns after
   some other thread has met the rest, if there is one that can.  */
extern void gomp_virtual_poll (void);

/* As the system calls of these names: sleep if *ADDR is VAL, until woken; wake
   at most COUNT threads that sleep on ADDR, which go on somewhat later than the
   waker.  */
extern void gomp_virtual_futex_wait (int *addr, int val);
extern void gomp_virtual_futex_wake (int *addr, int count);

/* The calling thread's clock, in nanoseconds; advances by at least a few with
   every call, so that a loop that waits for a moment ends.  */
extern unsigned long long gomp_virtual_now (void);

/* The CPU that the calling thread is on, 0 .. number of CPUs - 1.  */
extern int gomp_virtual_cpu (void);

/* The number of CPUs of the virtual machine.  */
extern unsigned gomp_virtual_cpus (void);

/* The calling thread is about to create another one, whose clock begins where
   its own is.  */
extern void gomp_virtual_new_thread (void);

/* The calling thread is about to start a team.  */
extern void gomp_virtual_region (void);

/* The calling thread runs iterations of its present work share; or of a loop
   without one; or it has left its loop.  */
extern void gomp_virtual_loop_begin (void);
extern void gomp_virtual_loop_end (void);

/* The calling thread is about to create a task, which others may run.  */
static inline void
gomp_virtual_task (void)
{
  gomp_virtual_meet ();
}

/* The process ends: write the report.  */
extern void gomp_virtual_finish (void);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_H */
