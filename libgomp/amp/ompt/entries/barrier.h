/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the waits of barrier.c.  */

#define gomp_team_barrier_wait(bar) \
  gomp_ompt_team_barrier ((bar), ompt_sync_region_barrier_explicit)
#define gomp_team_barrier_wait_cancel(bar) \
  gomp_ompt_team_barrier_cancel ((bar), ompt_sync_region_barrier_explicit)
