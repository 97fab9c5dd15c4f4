/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the library's part of the process ends.

   Several threads may call exit at a time.  Until glibc 2.41 each of them takes
   the next handler, and the one that finds none left ends the process, whatever
   the others are doing.  So there are handlers for all of them (hold): the
   first one finishes, and the others wait.  */

#define _GNU_SOURCE 1
#include "base/exit.h"
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/fork-lock.h"
#include "base/write-signals.h"

/* How many threads may take a handler before one of them has added another one.
   The C library has room for 32 without memory from malloc.  */
#define HANDLERS 16

/* The process in which a thread has begun to finish, and in which it has done
   so: not a child that is forked meanwhile.  Stored under GOMP_AMP_LOCK_FINISH.
   Relaxed: a thread that sees an old value waits for the lock.  */
static pid_t begun, done;

static bool
here (const pid_t *process)
{
  return __atomic_load_n (process, __ATOMIC_RELAXED) == getpid ();
}

static void (*end_by) (void);

void
gomp_amp_end_by (void (*end) (void))
{
  GOMP_AMP_ASSERT (end_by == NULL);
  end_by = end;
}

static void __attribute__ ((destructor))
hold (void)
{
  /* A signal handler may call exit: in the thread that finishes, or in one that
     holds what the other one needs.  */
  if (here (&done) || (here (&begun) && gomp_amp_holds_locks ()))
    return;
  atexit (hold);
  gomp_amp_acquire (GOMP_AMP_LOCK_FINISH);
  if (!here (&begun))
    {
      struct gomp_amp_signals signals;

      __atomic_store_n (&begun, getpid (), __ATOMIC_RELAXED);
      gomp_amp_hold_signals (&signals);
      /* A unit test may have begun nothing.  */
      if (end_by != NULL)
	end_by ();
      gomp_amp_drop_signals (&signals);
      __atomic_store_n (&done, getpid (), __ATOMIC_RELAXED);
    }
  gomp_amp_release (GOMP_AMP_LOCK_FINISH);
}

void
gomp_amp_hold_exit (void)
{
  for (int i = 0; i < HANDLERS; i++)
    atexit (hold);
}
