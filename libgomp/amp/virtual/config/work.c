/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's work.c with an event where a thread leaves a loop that has no
   barrier at its end.  */

#include "libgomp.h"

#define gomp_work_share_end_nowait upstream_work_share_end_nowait
#include <work.c>
#undef gomp_work_share_end_nowait

void
gomp_work_share_end_nowait (void)
{
  gomp_event_loop_end ();
  upstream_work_share_end_nowait ();
}
