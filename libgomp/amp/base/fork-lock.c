/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Locks that are free in a child process.  */

#define _GNU_SOURCE 1
#include "base/fork-lock.h"
#include "base/assert.h"
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/syscall.h>

/* A mutex of the C library does not do: a signal handler that interrupts its
   holder has to know that, from the very instruction that takes the lock.  */
static struct lock
{
  /* The pthread_t of the thread that holds it, which a forked thread keeps, or
     0.  WAITED: another one may wait; pthread_t is a pointer, so that the bit
     is free.  */
  uintptr_t holder;
  /* How many times the holder has taken it once more.  */
  unsigned depth;
  /* Whether the holder could be cancelled before.  */
  int cancel;
} locks[GOMP_AMP_LOCKS];

#define WAITED ((uintptr_t) 1)

/* The kernel's operation OP on the half of LOCK's holder that has WAITED.  */

static void
futex (struct lock *lock, int op, unsigned val)
{
  char *half = (char *) &lock->holder;
  int error = errno;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  half += sizeof lock->holder - sizeof val;
#endif
  syscall (SYS_futex, half, op | FUTEX_PRIVATE_FLAG, val, NULL);
  errno = error;
}

/* Relaxed: only the calling thread itself can have stored its own number.  */

static bool
held_p (const struct lock *lock)
{
  return ((__atomic_load_n (&lock->holder, __ATOMIC_RELAXED) & ~WAITED)
	  == (uintptr_t) pthread_self ());
}

/* Take LOCK, but if WAITS is false only if no other thread holds it.  A holder
   that is cancelled, as where it opens a file, would keep it.  */

static void
take (struct lock *lock, bool waits)
{
  uintptr_t mine = (uintptr_t) pthread_self (), found = 0;
  int cancel;

  if (held_p (lock))
    {
      lock->depth++;
      return;
    }
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
  /* Acquire what the last holder has released.  */
  while (!__atomic_compare_exchange_n (&lock->holder, &found, mine, false,
				       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
	 && waits)
    {
      if ((found & WAITED) != 0
	  || __atomic_compare_exchange_n (&lock->holder, &found,
					  found | WAITED, false,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
	{
	  futex (lock, FUTEX_WAIT, (unsigned) (found | WAITED));
	  /* One thread is woken at a time.  Others may still wait.  */
	  mine |= WAITED;
	}
      found = 0;
    }
  if (held_p (lock))
    lock->cancel = cancel;
  else
    pthread_setcancelstate (cancel, NULL);
}

static bool holds_from (int first);

/* Whether the calling thread may take WHICH by the order of the locks: it has
   it already, or none that comes later, nor any of those under which nothing
   else is locked.  A signal handler that ends the process does not know what
   its thread has.  */

static inline bool
in_order_p (enum gomp_amp_lock which)
{
  int first = which < GOMP_AMP_LOCK_SITES ? which : GOMP_AMP_LOCK_SITES;

  return (held_p (&locks[which]) || !holds_from (first)
	  || which == GOMP_AMP_LOCK_FINISH
	  || held_p (&locks[GOMP_AMP_LOCK_FINISH]));
}

#ifdef GOMP_AMP_CHECKED
bool
gomp_amp_holds_lock (enum gomp_amp_lock which)
{
  return held_p (&locks[which]);
}
#endif

void
gomp_amp_acquire (enum gomp_amp_lock which)
{
  GOMP_AMP_ASSERT (in_order_p (which));
  take (&locks[which], true);
}

void
gomp_amp_release (enum gomp_amp_lock which)
{
  struct lock *lock = &locks[which];
  int cancel;

  if (!held_p (lock))
    return;
  if (lock->depth > 0)
    {
      lock->depth--;
      return;
    }
  cancel = lock->cancel;
  if (__atomic_exchange_n (&lock->holder, 0, __ATOMIC_RELEASE) & WAITED)
    futex (lock, FUTEX_WAKE, 1);
  pthread_setcancelstate (cancel, NULL);
}

/* Whether the calling thread holds any from FIRST on.  */

static bool
holds_from (int first)
{
  for (int i = first; i < GOMP_AMP_LOCKS; i++)
    if (held_p (&locks[i]))
      return true;
  return false;
}

bool
gomp_amp_holds_locks (void)
{
  return holds_from (0);
}

/* The first one for which a fork waits.  */
#define FIRST (GOMP_AMP_LOCK_DETECTION + 1)

static void
before_fork (void)
{
  /* A signal handler that forks has interrupted the holder of a lock, for which
     the holder of another one may wait.  The child's data under that may be
     half changed; its locks are free in any case.  */
  bool waits = !holds_from (FIRST);

  for (int i = FIRST; i < GOMP_AMP_LOCKS; i++)
    take (&locks[i], waits);
}

static void
after_fork (void)
{
  for (int i = GOMP_AMP_LOCKS - 1; i >= FIRST; i--)
    gomp_amp_release (i);
}

static void
begin_child (void)
{
  /* The last one that is seen was taken first.  */
  for (int i = GOMP_AMP_LOCKS - 1; i >= 0; i--)
    {
      if (held_p (&locks[i]))
	pthread_setcancelstate (locks[i].cancel, NULL);
      locks[i].holder = 0;
      locks[i].depth = 0;
    }
}

/* Registered before the handlers of any program that is linked with us.
   Handlers run in reverse order before a fork and in this order after it, so
   theirs run while no lock of ours is held.  If memory is too short to
   register, a child forked at the wrong moment may wait forever; no message
   can be printed this early.  */

void
gomp_amp_watch_forks (void)
{
  pthread_atfork (before_fork, after_fork, begin_child);
}
