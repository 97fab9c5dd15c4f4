/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Threads that sleep until another thread wakes them.  */

#include <string.h>
#include "libgomp.h"
#include "clocks.h"
#include "virtual.h"

/* In nanoseconds: the time of one turn of a spinning loop on today's
   processors; the time after which such a loop sees a store; and the time of
   the system call that wakes sleepers, whether there are any or not.  */
#define SPIN_TURN 15
#define SEEN 200
#define WAKE_CALL 500

/* The sleepers, by the address that they sleep on.  With the lock.  */
#define BUCKETS 256
static struct gomp_virtual_thread *sleepers[BUCKETS];

static struct gomp_virtual_thread **
bucket_of (const int *addr)
{
  return &sleepers[(uintptr_t) addr / sizeof *addr * 2654435761u % BUCKETS];
}

/* The time from CLOCK, when SLEEPER is woken, until it goes on.  */

static double
wake_latency (const struct gomp_virtual_thread *sleeper, double clock)
{
  unsigned long long turns = gomp_spin_count_var;
  double asleep = gomp_amp_options.virtual_wake_ns;

  if (gomp_managed_threads > gomp_available_cpus)
    turns = gomp_throttled_spin_count_var;
  /* A waiting thread spins first, as in upstream's wait.h.  */
  if (clock - sleeper->clock <= turns * (double) SPIN_TURN && asleep > SEEN)
    return SEEN;
  return asleep;
}

void
gomp_virtual_futex_wait (int *addr, int val)
{
  struct gomp_virtual_thread *me = gomp_virtual_begin ();
  struct gomp_virtual_thread **last;

  if (me == NULL)
    return;
  /* A thread that changes *ADDR wakes us afterwards.  It needs the lock for
     that, so this thread is already among the sleepers then.  */
  if (__atomic_load_n (addr, MEMMODEL_RELAXED) != val)
    gomp_virtual_end (me);
  else
    {
      gomp_virtual_stop (me);
      me->state = GOMP_VIRTUAL_ASLEEP;
      me->futex = addr;
      me->next = NULL;
      for (last = bucket_of (addr); *last != NULL; last = &(*last)->next)
	;
      *last = me;
      gomp_virtual_pass (me);
    }
}

void
gomp_virtual_futex_wake (int *addr, int count)
{
  struct gomp_virtual_thread *me = gomp_virtual_begin ();
  struct gomp_virtual_thread **at = bucket_of (addr);
  struct gomp_virtual_thread *sleeper;

  if (me == NULL)
    return;
  while (count > 0 && (sleeper = *at) != NULL)
    if (sleeper->futex == addr)
      {
	*at = sleeper->next;
	count--;
	gomp_virtual_settle (sleeper);
	gomp_virtual_advance (sleeper,
			      me->clock + wake_latency (sleeper, me->clock));
	gomp_virtual_make_ready (sleeper);
      }
    else
      at = &sleeper->next;
  gomp_virtual_occupy (me, WAKE_CALL * gomp_virtual_slowness (me));
  /* A thread without the baton may have woken the only thread that can take
     it.  */
  gomp_virtual_release ();
  gomp_virtual_resume (me);
}

void
gomp_virtual_clear_sleepers (void)
{
  memset (sleepers, 0, sizeof sleepers);
}
