/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Barriers at which threads arrive in the order of their clocks, so that the
   last thread, which wakes the others, has the latest clock.  */

#ifndef GOMP_VIRTUAL_BARRIER_H
#define GOMP_VIRTUAL_BARRIER_H 1

#include "virtual/virtual.h"

#define gomp_barrier_wait_start gomp_barrier_wait_start_met
#define gomp_barrier_wait_cancel_start gomp_barrier_wait_cancel_start_met
#define gomp_barrier_wait_final_start gomp_barrier_wait_final_start_met
#include "config/linux/bar.h"
#undef gomp_barrier_wait_start
#undef gomp_barrier_wait_cancel_start
#undef gomp_barrier_wait_final_start

static inline gomp_barrier_state_t
gomp_barrier_wait_start (gomp_barrier_t *bar)
{
  gomp_virtual_loop_end ();
  gomp_virtual_meet ();
  return gomp_barrier_wait_start_met (bar);
}

static inline gomp_barrier_state_t
gomp_barrier_wait_cancel_start (gomp_barrier_t *bar)
{
  gomp_virtual_loop_end ();
  gomp_virtual_meet ();
  return gomp_barrier_wait_cancel_start_met (bar);
}

static inline gomp_barrier_state_t
gomp_barrier_wait_final_start (gomp_barrier_t *bar)
{
  gomp_virtual_loop_end ();
  gomp_virtual_meet ();
  return gomp_barrier_wait_final_start_met (bar);
}

#endif /* GOMP_VIRTUAL_BARRIER_H */
