/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Locks for rare work (finding the classes, a loop's first call, recording
   factors) that a child process finds free, whoever held them when it was
   forked.  */

#ifndef GOMP_AMP_FORK_LOCK_H
#define GOMP_AMP_FORK_LOCK_H 1

#pragma GCC visibility push(hidden)

/* In the order in which one thread may take several.  */
enum gomp_amp_lock
{
  /* Guards the finding of the classes, which may load hwloc and so wait for
     the loader's lock.  A fork does not wait for it: the forking thread may
     hold that.  A child finds the classes itself.  Only code that a fork may
     leave behind half done is allowed under it.  */
  GOMP_AMP_LOCK_DETECTION,
  /* Guards what sf-file.c knows of loops.  A fork waits for it.  Who takes it
     has asked for the classes before.  */
  GOMP_AMP_LOCK_FACTORS,
  /* Guards the pointer to the table of classes, and whether hwloc is at work.
     A fork waits for it: a child sees a store under it with all that was
     stored before, or not at all.  Without it, memory is not copied at one
     moment.  Held for a few instructions only.  */
  GOMP_AMP_LOCK_TABLE,
  GOMP_AMP_LOCKS
};

/* Take and release LOCK.  The thread that holds it may take it again: a
   handler of a signal that comes in the meantime may fork, and so may hwloc.
   In the child the lock is free even then, and the release that belongs to the
   parent's take does nothing.

   The mutexes are not of the recursive kind, since these know their holder by
   its kernel thread, and a child's is another.  */
extern void gomp_amp_acquire (enum gomp_amp_lock lock);
extern void gomp_amp_release (enum gomp_amp_lock lock);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FORK_LOCK_H */
