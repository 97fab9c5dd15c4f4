/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's iter.c with events where threads take iterations.  */

#include "libgomp.h"

#define gomp_iter_static_next upstream_static_next
#define gomp_iter_dynamic_next upstream_dynamic_next
#define gomp_iter_guided_next upstream_guided_next
#include <iter.c>
#undef gomp_iter_static_next
#undef gomp_iter_dynamic_next
#undef gomp_iter_guided_next

int
gomp_iter_static_next (long *pstart, long *pend)
{
  gomp_event_loop_begin ();
  return upstream_static_next (pstart, pend);
}

bool
gomp_iter_dynamic_next (long *pstart, long *pend)
{
  gomp_event_take (gomp_thread ()->ts.work_share);
  return upstream_dynamic_next (pstart, pend);
}

bool
gomp_iter_guided_next (long *pstart, long *pend)
{
  gomp_event_take (gomp_thread ()->ts.work_share);
  return upstream_guided_next (pstart, pend);
}
