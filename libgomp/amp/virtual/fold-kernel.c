/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How threads of folded teams sleep, and where they run, in virtual time.

   Ids are picked up and put down by the production code, fold-carry.c.  Of a
   worker's ids one runs on the worker's virtual CPU.  An id that is down sleeps
   and uses no time.  One that is picked up goes on when its core has changed
   over.  Ids of loose kernel threads share the CPU, as all threads of one CPU
   do.

   The thread of fold-watch.c is not a thread of virtual time: it sleeps in real
   time.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libgomp.h"
#include "baton.h"
#include "fold/fold-kernel.h"
#include "virtual.h"

unsigned gomp_fold_sleepers;

static void
real_futex (int *addr, int op, int val)
{
  int error = errno;

  syscall (SYS_futex, addr, op, val, NULL);
  errno = error;
}

void
gomp_fold_sleep (int *addr, int val)
{
  if (gomp_virtual_joined ())
    gomp_virtual_futex_wait (addr, val);
  else
    real_futex (addr, FUTEX_WAIT_PRIVATE, val);
}

void
gomp_fold_sleep_any (const struct gomp_fold_word *list, unsigned count,
		     bool briefly)
{
  if (briefly)
    gomp_virtual_poll ();
  else
    gomp_virtual_futex_wait_any (list, count);
}

void
gomp_fold_wake (int *addr)
{
  if (!gomp_virtual_hand_over (addr))
    real_futex (addr, FUTEX_WAKE_PRIVATE, 1);
}

void
gomp_fold_relax (void)
{
  if (gomp_virtual_joined ())
    gomp_virtual_poll ();
}

void
gomp_fold_yield_cpu (void)
{
  gomp_fold_relax ();
}

void
gomp_fold_sleep_briefly (void)
{
  gomp_fold_relax ();
}

enum gomp_fold_activity
gomp_fold_look_up_activity (int tid)
{
  return gomp_virtual_activity (tid);
}
