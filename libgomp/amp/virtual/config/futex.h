/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Replaces the system's futexes: a thread that sleeps or spins passes the baton
   on.  */

#include "virtual/virtual.h"

static inline void
futex_wait (int *addr, int val)
{
  gomp_virtual_futex_wait (addr, val);
}

static inline void
futex_wake (int *addr, int count)
{
  gomp_virtual_futex_wake (addr, count);
}

static inline void
cpu_relax (void)
{
  gomp_virtual_poll ();
}
