/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Locks for rare work: finding the classes, a loop's first call, recording
   factors, counting.  They are free in a child process, even if another thread
   of the parent held them at the fork.  */

#ifndef GOMP_AMP_FORK_LOCK_H
#define GOMP_AMP_FORK_LOCK_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* A thread that takes several takes them in this order.  */
enum gomp_amp_lock
{
  /* Guards the end of the process (process.c), and of a tool.  A fork does
     not wait for it: a child has its own end.  */
  GOMP_AMP_LOCK_FINISH,
  /* Guards the start of a tool (ompt/ompt-start.c), which loads libraries and
     runs their code.  A fork does not wait for it.  A child that is forked
     meanwhile has no tool.  */
  GOMP_AMP_LOCK_TOOL,
  /* Guards the finding of the machine, which may load hwloc and so wait for
     the loader's lock.  A fork does not wait for it, since the forking thread
     may hold the loader's lock.  A child finds the machine by itself.  Only
     code that a fork may interrupt half done is allowed under this lock.  */
  GOMP_AMP_LOCK_DETECTION,
  /* Guards the data of sf-file.c about loops.  A fork waits for it.  A thread
     that takes it has found the machine before.  */
  GOMP_AMP_LOCK_FACTORS,
  /* Guards the table of sites.  A fork waits for it.  Nothing else is locked
     under it.  */
  GOMP_AMP_LOCK_SITES,
  /* Guards the pointers to the machine and to the present allotment, the list
     of allotments, and whether hwloc is in use.  A fork waits for it, so that
     a child sees a store made under it together with everything stored before,
     or not at all.  Without the lock this would not hold, since fork does not
     copy all memory at one moment.  Held for a search through all allotments
     (at most 1024) at the longest; nothing under it waits or allocates.  */
  GOMP_AMP_LOCK_TABLE,
  /* Guards what fold-count.c counts.  A fork waits for it.  Held when a folded
     team is made, reset or given up, and at the end of the process; nothing
     else is locked under it.  */
  GOMP_AMP_LOCK_COUNTS,
  /* Guards the places of a process that is not bound at start-up, until its
     first thread is.  A fork waits for it.  Nothing else is locked under
     it.  */
  GOMP_AMP_LOCK_PLACES,
  GOMP_AMP_LOCKS
};

/* Take and release LOCK.  The holder may take it again: a signal handler may
   fork while the lock is held, and so may hwloc.  In the child the lock is
   free even then, and the release that matches the parent's take does
   nothing.  */
extern void gomp_amp_acquire (enum gomp_amp_lock lock);
extern void gomp_amp_release (enum gomp_amp_lock lock);

/* Have forks take and free them.  Called once, at start-up.  */
extern void gomp_amp_watch_forks (void);

/* Whether the calling thread holds any of them.  */
extern bool gomp_amp_holds_locks (void);

/* Whether it holds LOCK; for assertions.  */
extern bool gomp_amp_holds_lock (enum gomp_amp_lock lock);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FORK_LOCK_H */
