/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's iter_ull.c with events where threads take iterations.  */

#include "libgomp.h"

#define gomp_iter_ull_static_next upstream_ull_static_next
#define gomp_iter_ull_dynamic_next upstream_ull_dynamic_next
#define gomp_iter_ull_guided_next upstream_ull_guided_next
#include <iter_ull.c>
#undef gomp_iter_ull_static_next
#undef gomp_iter_ull_dynamic_next
#undef gomp_iter_ull_guided_next

int
gomp_iter_ull_static_next (gomp_ull *pstart, gomp_ull *pend)
{
  gomp_event_loop_begin ();
  return upstream_ull_static_next (pstart, pend);
}

bool
gomp_iter_ull_dynamic_next (gomp_ull *pstart, gomp_ull *pend)
{
  gomp_event_take (gomp_thread ()->ts.work_share);
  return upstream_ull_dynamic_next (pstart, pend);
}

bool
gomp_iter_ull_guided_next (gomp_ull *pstart, gomp_ull *pend)
{
  gomp_event_take (gomp_thread ()->ts.work_share);
  return upstream_ull_guided_next (pstart, pend);
}
