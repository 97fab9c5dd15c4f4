/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The start and the blocks of schedule(runtime) loops over long and over
   unsigned long long.  */

#ifndef GOMP_AMP_LOOP_RUNTIME_H
#define GOMP_AMP_LOOP_RUNTIME_H 1

#include <stdbool.h>
#include "base/assert.h"

#pragma GCC visibility push(hidden)

/* The trip count of a loop from START to before END by INCR, which is not zero.
   It is exact for all bounds: the difference is unsigned, and nothing is added
   to it before the division.  */
static inline unsigned long long
gomp_amp_trips_ull (bool up, unsigned long long start, unsigned long long end,
		    unsigned long long incr)
{
  GOMP_AMP_ASSERT (incr != 0);
  if (up ? start >= end : start <= end)
    return 0;
  unsigned long long distance = up ? end - start : start - end;
  unsigned long long step = up ? incr : -incr;
  return __builtin_expect (step == 1, 1) ? distance : (distance - 1) / step + 1;
}

static inline unsigned long
gomp_amp_trips (long start, long end, long incr)
{
  bool up = incr > 0;
  GOMP_AMP_ASSERT (incr != 0);
  if (up ? start >= end : start <= end)
    return 0;
  unsigned long distance = up ? (unsigned long) end - start
			      : (unsigned long) start - end;
  unsigned long step = up ? (unsigned long) incr : -(unsigned long) incr;
  return __builtin_expect (step == 1, 1) ? distance : (distance - 1) / step + 1;
}

/* Whether the calling thread's loop is a static one without a work share, so
   that gomp_amp_static_next has to answer.  */
static inline bool
gomp_amp_static_p (const struct gomp_thread *thr)
{
  return thr->ts.static_trip == GOMP_AMP_STATIC;
}

/* Start a schedule(runtime) loop that the compiler did not route.  Its call
   returns to ADDRESS.  Returns whether there is work, in *ISTART and *IEND; or
   -1 if upstream's dynamic or guided was chosen, so that upstream has to start
   it.  */
extern int gomp_amp_loop_start (const void *address, long start, long end,
				long incr, long *istart, long *iend);
extern int gomp_amp_loop_ull_start (const void *address, bool up,
				    unsigned long long start,
				    unsigned long long end,
				    unsigned long long incr,
				    unsigned long long *istart,
				    unsigned long long *iend);

/* The next block of the calling thread's loop, which is an AID loop, or a
   static one without a work share.  */
extern bool gomp_amp_loop_next (long *istart, long *iend);
extern bool gomp_amp_loop_ull_next (unsigned long long *istart,
				    unsigned long long *iend);
extern bool gomp_amp_static_next (long *istart, long *iend);
extern bool gomp_amp_static_ull_next (unsigned long long *istart,
				      unsigned long long *iend);

#pragma GCC visibility pop

#endif /* GOMP_AMP_LOOP_RUNTIME_H */
