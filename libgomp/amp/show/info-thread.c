/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reports the class, the share and the worker of a thread, and the schedule of
   routed loops, to programs (ompx_amp.h).  */

/* For sched_getcpu.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include "libgomp.h"
#include "../../include/ompx_amp.h"
#include "machine/cpu.h"
#include "fold/fold.h"
#include "loops/loop-kind.h"

int
ompx_amp_get_thread_class (void)
{
  return gomp_amp_current_class (gomp_thread ());
}

double
ompx_amp_get_share (void)
{
  const struct gomp_thread *thr = gomp_thread ();
  const struct gomp_team *team = thr->ts.team;

  if (team == NULL || thr->place == 0 || gomp_amp_classes_forced ()
      || !gomp_amp_asymmetric (team))
    return 1;
  return gomp_amp_share_of_place (&team->amp_places, team->nthreads,
				  thr->place - 1);
}

void
ompx_amp_get_routed_schedule (int *kind, int *chunk, int *arg)
{
  const struct gomp_team *team = gomp_thread ()->ts.team;
  struct gomp_amp_loop_kind loop
    = gomp_amp_kind_in_team (team,
			     gomp_amp_chosen_kind (gomp_amp_routed_icv (team),
						   true));
  unsigned traits = gomp_amp_traits_of (loop.kind);
  int plain = loop.kind & ~GOMP_AMP_SCHEDULE_CHOOSER;
  int second = 0;

  if (plain == GFS_AMP_EVEN)
    plain = GFS_AID_DYNAMIC;
  /* aid_dynamic times M together with m.  */
  if ((traits & GOMP_AMP_TAIL)
      || ((traits & GOMP_AMP_PHASES) && loop.chunk > 0))
    second = gomp_amp_schedule_effective_arg (loop.kind, loop.chunk);
  if (kind != NULL)
    *kind = plain;
  if (chunk != NULL)
    *chunk = loop.chunk;
  if (arg != NULL)
    *arg = second;
}

int
ompx_amp_get_num_workers (void)
{
  unsigned worker;

  return gomp_fold_find_worker (&worker);
}

int
ompx_amp_get_worker_num (void)
{
  unsigned worker;

  return gomp_fold_find_worker (&worker) != 0 ? (int) worker : -1;
}
