/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How files that include wait.h wait: as ids that are put down, in folded
   teams.  wait.h includes this after do_spin_as.  */

#ifndef GOMP_AMP_FOLD_WAIT_H
#define GOMP_AMP_FOLD_WAIT_H 1

#include "fold/fold-kernel.h"

/* Look whether *ADDR is still VAL, before a waiter's flag is published.  */
static inline int
do_spin (int *addr, int val)
{
  return do_spin_as (addr, val, GOMP_FOLD_SPIN);
}

/* Wait as long as *ADDR is VAL, after it is published.  */
static inline void
gomp_fold_futex_wait (int *addr, int val)
{
  if (__builtin_expect (!gomp_amp_moments_on, 1))
    futex_wait (addr, val);
  else if (gomp_amp_waits (addr, val, GOMP_FOLD_SLEEP, NULL) < 0)
    {
      gomp_fold_begin_sleep ();
      futex_wait (addr, val);
      gomp_fold_end_sleep ();
    }
}

/* A barrier wakes those that sleep whether there are any or not.  Where ids are
   carried there are none most of the time.  */
static inline void
gomp_fold_futex_wake (int *addr, int count)
{
  if (__builtin_expect (!gomp_fold_on, 1) || gomp_fold_any_sleep ())
    futex_wake (addr, count);
}

#define futex_wait gomp_fold_futex_wait
#define futex_wake gomp_fold_futex_wake

/* The calling thread spins on memory.  */
static inline void
gomp_fold_cpu_relax (void)
{
  if (__builtin_expect (gomp_fold_on, 0))
    gomp_fold_let_others_run ();
  else
    cpu_relax ();
}

#define cpu_relax gomp_fold_cpu_relax

#endif /* GOMP_AMP_FOLD_WAIT_H */
