/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Constructs that GCC 17 begins and ends by calls of their own: barriers,
   masked, single, scope and reductions.  Each is what the older entry point
   does; the ends are for tools.  */

#include "libgomp.h"
#include "libgomp_g.h"
#include "forward-lacks.h"
#include "ompt/ompt.h"

/* A base has all of them or none.  */
#ifdef GOMP_LACKS_GOMP_barrier_ext

/* KIND says which construct the barrier belongs to.  */

void
GOMP_barrier_ext (int kind __attribute__ ((unused)))
{
  GOMP_barrier ();
}

bool
GOMP_barrier_cancel_ext (int kind __attribute__ ((unused)))
{
  return GOMP_barrier_cancel ();
}

/* Whether the calling thread is number FILTER of its team.  */

bool
GOMP_has_masked_thread_num (int filter)
{
  return gomp_thread ()->ts.team_id == (unsigned) filter;
}

bool
GOMP_has_masked_thread_num_with_end (int filter)
{
  bool chosen = gomp_thread ()->ts.team_id == (unsigned) filter;

  if (chosen)
    gomp_ompt_masks (ompt_scope_begin);
  return chosen;
}

void
GOMP_masked_end (void)
{
  gomp_ompt_masks (ompt_scope_end);
}

bool
GOMP_single_start_with_end (void)
{
  return GOMP_single_start ();
}

void
GOMP_single_end (void)
{
  if (gomp_ompt_p ())
    gomp_ompt_end_work ();
}

/* REDUCTIONS is NULL if the construct has no task reduction.  Then the older
   compilers call nothing.  */

void
GOMP_scope_start_with_end (uintptr_t *reductions)
{
  if (reductions)
    GOMP_scope_start (reductions);
}

void
GOMP_scope_end (void)
{
}

/* Around the code that combines a thread's copies of reduction variables if no
   atomic operation does.  A lock of its own, as upstream's: the operators are a
   program's, and may contain atomic constructs, which GOMP_atomic_start
   guards.  */

static gomp_mutex_t reduction_lock;

void
GOMP_reduction_start (void)
{
  gomp_mutex_lock (&reduction_lock);
}

void
GOMP_reduction_end (void)
{
  gomp_mutex_unlock (&reduction_lock);
}
#endif
