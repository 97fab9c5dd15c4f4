/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which loops with schedule(static) can be scheduled otherwise: those of whose
   mapping to threads no conforming program can make use.

   OpenMP promises two things of schedule(static) without a chunk.  Equal loops
   of one parallel region map alike, so that one may use what the same thread
   has left for it in another, with or without a barrier between.  And each
   thread gets one contiguous range.  */

#ifndef AMP_STATIC_H
#define AMP_STATIC_H

/* Why a program may rely on the mapping of loop node LOOP of FLOW, the flow of
   REGION, in words that the place *WHERE follows if it is set; NULL if none
   can.  */
extern const char *amp_static_reliance (const amp_region &region,
					const amp_flow &flow, int loop,
					location_t *where);

#endif
