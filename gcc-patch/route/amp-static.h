/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds loops with schedule(static) that may get another schedule: those whose
   mapping to threads no conforming program can use.

   OpenMP promises two things of schedule(static) without a chunk.  Equal loops
   of one parallel region have the same mapping, so that a loop may use what
   the same thread has left for it in another, with or without a barrier
   between.  And each thread gets one contiguous range.  */

#ifndef AMP_STATIC_H
#define AMP_STATIC_H

/* Why a program may rely on the mapping of loop node LOOP of FLOW, the flow of
   REGION; NULL if none can.  The result is a phrase.  If *WHERE is set, that
   place completes it.  */
extern const char *amp_static_reliance (const amp_region &region,
					const amp_flow &flow, int loop,
					location_t *where);

#endif
