/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of ordered.c.  Upstream's GOMP_ordered_start is an
   alias of gomp_ordered_sync, which loops call too.  */

#include "ompt/entries/entry.h"

extern void gomp_ordered_sync (void);

void
GOMP_ordered_start (void)
{
  gomp_ompt_ordered (gomp_ordered_sync);
}

GOMP_OMPT_ENTRY (, void, GOMP_ordered_end, (void), (),
		 gomp_ompt_mutex (released, gomp_thread ()->ts.work_share,
				  ompt_mutex_ordered))

#define GOMP_ordered_start plain_GOMP_ordered_start
#define GOMP_ordered_end plain_GOMP_ordered_end
