/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Tells programs the class of a thread and the schedule of routed loops
   (ompx_amp.h).  */

/* For sched_getcpu.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include "libgomp.h"
#include "../include/ompx_amp.h"
#include "cpu.h"

int
ompx_amp_get_thread_class (void)
{
  return gomp_amp_current_class (gomp_thread ());
}

void
ompx_amp_get_routed_schedule (int *kind, int *chunk, int *arg)
{
  long size;
  int resolved = gomp_amp_runtime_kind (gomp_icv (false), true, &size);
  int second = 0;

  resolved = gomp_amp_team_kind (gomp_thread ()->ts.team, resolved, &size);
  int plain = resolved & ~GOMP_AMP_SCHEDULE_ROUTED;
  if (plain == GFS_AMP_EVEN)
    plain = GFS_AID_DYNAMIC;
  /* aid_dynamic times M together with m.  */
  if (plain == GFS_AID_HYBRID || (plain == GFS_AID_DYNAMIC && size > 0))
    second = gomp_amp_schedule_effective_arg (resolved, size);
  if (kind != NULL)
    *kind = plain;
  if (chunk != NULL)
    *chunk = size;
  if (arg != NULL)
    *arg = second;
}
