/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Locks that are free in a child process.  Has the only fork handlers of the
   library, apart from the lab's.  */

#define _GNU_SOURCE 1
#include "base/fork-lock.h"
#include <pthread.h>
#include <stdbool.h>

static struct lock
{
  pthread_mutex_t mutex;
  /* The thread that holds it, or 0.  A forked thread keeps its pthread_t.  */
  pthread_t holder;
  /* How many times the holder has taken it.  */
  unsigned depth;
} locks[GOMP_AMP_LOCKS] = {
  [GOMP_AMP_LOCK_TOOL] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_DETECTION] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_FACTORS] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_SITES] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_TABLE] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_COUNTS] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_PLACES] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_VERDICTS] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
  [GOMP_AMP_LOCK_REPORT] = { .mutex = PTHREAD_MUTEX_INITIALIZER }
};

/* Relaxed: only the calling thread itself can have stored its own number.  */

static bool
held_p (const struct lock *lock)
{
  return __atomic_load_n (&lock->holder, __ATOMIC_RELAXED) == pthread_self ();
}

void
gomp_amp_acquire (enum gomp_amp_lock which)
{
  struct lock *lock = &locks[which];

  if (!held_p (lock))
    {
      pthread_mutex_lock (&lock->mutex);
      __atomic_store_n (&lock->holder, pthread_self (), __ATOMIC_RELAXED);
    }
  lock->depth++;
}

void
gomp_amp_release (enum gomp_amp_lock which)
{
  struct lock *lock = &locks[which];

  if (!held_p (lock) || --lock->depth > 0)
    return;
  __atomic_store_n (&lock->holder, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&lock->mutex);
}

static void
before_fork (void)
{
  for (int i = GOMP_AMP_LOCK_DETECTION + 1; i < GOMP_AMP_LOCKS; i++)
    gomp_amp_acquire (i);
}

static void
after_fork (void)
{
  for (int i = GOMP_AMP_LOCKS - 1; i > GOMP_AMP_LOCK_DETECTION; i--)
    gomp_amp_release (i);
}

static void
begin_child (void)
{
  for (int i = 0; i < GOMP_AMP_LOCKS; i++)
    {
      pthread_mutex_init (&locks[i].mutex, NULL);
      locks[i].holder = 0;
      locks[i].depth = 0;
    }
}

/* Registered before the handlers of any program that is linked with us.
   Handlers run in reverse order before a fork and in this order after it, so
   theirs run while no lock of ours is held.  If memory is too short to
   register, a child forked at the wrong moment may wait forever; no message
   can be printed this early.  */

static void __attribute__ ((constructor))
watch_forks (void)
{
  pthread_atfork (before_fork, after_fork, begin_child);
}
