/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Decides what a loop runs as, where its start is no fast path: loops of
   GOMP_loop_start, and ordered loops.  */

#include "libgomp.h"
#include "loops/loop-kind.h"

bool gomp_amp_routed_options;

bool
gomp_amp_resolve_start (long *kind, long *chunk)
{
  long plain = *kind & ~GFS_MONOTONIC;
  /* Upstream's GFS_AUTO stands for nonmonotonic:runtime here.  */
  bool routed = plain == GFS_AUTO;

  if (plain != GFS_RUNTIME && !routed)
    return false;

  struct gomp_thread *thr = gomp_thread ();
  /* Upstream would resolve a routed loop by the ICV, which does not apply to it
     if GOMP_AMP_SCHEDULE is set.  */
  if (!routed && !(gomp_icv (false)->run_sched_var & GFS_AMP))
    return false;
  struct gomp_amp_loop_kind loop = gomp_amp_decide_loop (thr, routed);
  *kind = loop.kind;
  *chunk = loop.chunk;
  return true;
}

struct gomp_task_icv *
gomp_amp_ordered_icv (struct gomp_task_icv *icv, struct gomp_task_icv *copy)
{
  struct gomp_thread *thr = gomp_thread ();

  /* A doacross loop continues with GOMP_loop_runtime_next, which reads
     this.  */
  thr->ts.static_trip = 0;
  if (!(icv->run_sched_var & GFS_AMP))
    return icv;
  thr->ts.amp.why = GOMP_AMP_ORDERED;
  *copy = *icv;
  if (!(gomp_amp_traits_of (icv->run_sched_var)
	& (GOMP_AMP_PHASES | GOMP_AMP_TAIL)))
    copy->run_sched_var = GFS_STATIC;
  else
    {
      copy->run_sched_var = GFS_DYNAMIC;
      if (copy->run_sched_chunk_size == 0)
	copy->run_sched_chunk_size = 1;
    }
  return copy;
}
