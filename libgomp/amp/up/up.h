/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The counter file of this process, for what shares the machine's cores among
   programs (docs/guide/several.md).  It is made if its directory exists when
   the library is loaded; otherwise nothing here is called.

   It is written at the end of a region, at most twenty times a second.

   It counts the outermost regions of the thread that starts the first one.  So
   all 64-bit counters have one writer at a time: that thread between regions,
   and the last thread at a barrier in them.  Factors are from any thread, each
   of them one relaxed store.  A reader finds numbers of different moments, and
   believes none of them.  */

#ifndef GOMP_AMP_UP_H
#define GOMP_AMP_UP_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_team;

/* Whether there is something to count for.  Set once, at start-up.  */
extern bool gomp_up_on;

/* Called once at start-up, after gomp_fold_init.  */
extern void gomp_up_init (void);

/* The calling thread has become id 0 of TEAM; the region of TEAM has ended.
   Some 25 ns each, if teams are folded.  Some microseconds where the file is
   written.  */
extern void gomp_up_region_begins (const struct gomp_team *team);
extern void gomp_up_region_ends (const struct gomp_team *team);

/* gomp_fold_batch_begins and gomp_fold_batch_ends of fold-move.h.  */
extern void gomp_up_batch_begins (void);
extern void gomp_up_batch_ends (unsigned workers, const double *slow,
				const unsigned *first, const double *time,
				unsigned tick_ns);

/* gomp_aid_measured of aid-loop.h.  */
extern void gomp_up_factors (unsigned classes, const double *r);

/* The process ends.  */
extern void gomp_up_finish (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_UP_H */
