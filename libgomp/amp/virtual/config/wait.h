/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Waits without spinning first: no other thread runs while this one spins.  */

#ifndef GOMP_WAIT_H
#define GOMP_WAIT_H 1

#include "libgomp.h"

/* The definitions of gomp_futex_wait and gomp_futex_wake need these.  */
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_PRIVATE_FLAG 128

#pragma GCC visibility push(hidden)

extern int gomp_futex_wait, gomp_futex_wake;

#include "futex.h"

/* Returns whether *ADDR is VAL.  */
static inline int
do_spin_as (int *addr, int val, enum gomp_fold_way way __attribute__ ((unused)))
{
  return __atomic_load_n (addr, MEMMODEL_RELAXED) == val;
}

#include "fold/fold-wait.h"

static inline void
do_wait (int *addr, int val)
{
  if (do_spin (addr, val))
    futex_wait (addr, val);
}

#pragma GCC visibility pop

#endif /* GOMP_WAIT_H */
