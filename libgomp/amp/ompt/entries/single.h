/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of single.c.  The barrier of a construct with
   copyprivate closes it for the tool.  */

#include "ompt/entries/entry.h"

GOMP_OMPT_ENTRY (, bool, GOMP_single_start, (void), (),
		 if (gomp_ompt_p ())
		   return gomp_ompt_single (plain_GOMP_single_start ()))
GOMP_OMPT_ENTRY (, void, GOMP_single_copy_end, (void *data), (data),
		 gomp_ompt_work_ends ())

#define GOMP_single_start plain_GOMP_single_start
#define GOMP_single_copy_end plain_GOMP_single_copy_end

#define gomp_work_share_start(ordered) \
  gomp_ompt_single (gomp_work_share_start (ordered))
#define gomp_team_barrier_wait(bar) \
  gomp_ompt_team_barrier ((bar), ompt_sync_region_barrier_implicit_workshare)
