/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Virtual time: the interface of the lab's library for the schedules and for
   config/, which replaces the operating system.

   This is a discrete-event simulation with real computations.  A thread has a
   virtual clock.  A meeting is where threads can see each other's actions: a
   lock, a barrier, a removal from a loop's pool.  Between two meetings the
   thread's code runs as it is and advances its clock by the CPU time used,
   times the slowness of its core.  Meetings happen in the order of the clocks:
   before a meeting, a thread passes the baton to a thread with a lower clock.
   So one thread at a time runs, on any number of virtual cores.  */

#ifndef GOMP_VIRTUAL_H
#define GOMP_VIRTUAL_H 1

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include "fold/fold-kernel.h"

#pragma GCC visibility push(hidden)

/* Start virtual time as the environment specifies.  The calling thread is the
   first.  Until then the functions below do nothing.  Must be called once,
   after gomp_amp_init_options.  */
extern void gomp_virtual_start (void);

/* The calling thread is about to do something that other threads may see, or to
   look at what they did: the threads with lower clocks go first.  */
extern void gomp_virtual_meet (void);

/* The same, followed by a removal from POOL, an address that identifies the
   pool.  Only one thread at a time can use the pool's cache line.  */
extern void gomp_virtual_take (const void *pool);

/* A removal from POOL by a thread that has already met the others.  */
extern void gomp_virtual_take_met (const void *pool);

/* The calling thread has looked for something that another thread will do,
   without success.  Must be called in every turn of such a loop.  Returns after
   another thread's meeting, if a thread is ready for one.  */
extern void gomp_virtual_poll (void);

/* Like the system calls of these names: sleep if *ADDR is VAL, until woken;
   wake at most COUNT threads that sleep on ADDR.  They go on somewhat later
   than the waker.  */
extern void gomp_virtual_futex_wait (int *addr, int val);
extern void gomp_virtual_futex_wake (int *addr, int count);

/* The same for COUNT words of LIST: sleep until woken on one of them.  */
extern void gomp_virtual_futex_wait_any (const struct gomp_fold_word *list,
					 unsigned count);

/* Wake the thread that sleeps on ADDR.  If it is of the caller's core, that
   switches to it.  Returns false if there is none.  The calling thread need not
   be one of virtual time.  */
extern bool gomp_virtual_hand_over (int *addr);

/* What the thread TID does.  */
extern enum gomp_fold_activity gomp_virtual_activity (pid_t tid);

/* Like sched_getaffinity and sched_setaffinity, for virtual CPUs; SET is a
   cpu_set_t.  */
extern int gomp_virtual_getaffinity (pid_t tid, size_t size, void *set);
extern int gomp_virtual_setaffinity (pid_t tid, size_t size, const void *set);

/* The calling thread's clock in nanoseconds.  Every call advances it by at
   least a few, so that a loop that waits for a point in time ends.  */
extern unsigned long long gomp_virtual_now (void);

/* The CPU that the calling thread is on, 0 .. number of CPUs - 1.  */
extern int gomp_virtual_cpu (void);

/* The number of CPUs of the virtual machine.  */
extern unsigned gomp_virtual_cpus (void);

/* Like pthread_create, for a thread of virtual time.  */
extern int gomp_virtual_create_thread (pthread_t *handle,
				       const pthread_attr_t *attr,
				       void *(*start) (void *), void *data);

/* Whether the calling thread is a thread of virtual time.  */
extern bool gomp_virtual_joined (void);

/* The calling thread is about to start a team.  */
extern void gomp_virtual_region (void);

/* The calling thread runs iterations of a loop, with or without a work share;
   it has left its loop.  */
extern void gomp_virtual_loop_begin (void);
extern void gomp_virtual_loop_end (void);

/* The calling thread is about to create a task, which another thread may
   run.  */
static inline void
gomp_virtual_task (void)
{
  gomp_virtual_meet ();
}

/* The process ends: write the report.  */
extern void gomp_virtual_finish (void);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_H */
