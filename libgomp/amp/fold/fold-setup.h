/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether outermost teams are folded, which is decided at start-up.  */

#ifndef GOMP_AMP_FOLD_SETUP_H
#define GOMP_AMP_FOLD_SETUP_H 1

#include <stdbool.h>
#include <stdio.h>
#include "fold/fold-follow.h"
#include "fold/fold-plan.h"

#pragma GCC visibility push(hidden)

/* Whether outermost teams are folded.  Set once, at start-up.  */
extern bool gomp_fold_on;

/* gomp_managed_threads is larger by this then, so that every wait takes the way
   of an oversubscribed process, and no other wait needs a test.  */
#define GOMP_FOLD_BIAS (1UL << 30)

/* Whether anything stands behind the moments of regions, threads and waits
   (moments.h): folded teams, the daemon or a tool.  Set once, at start-up.  */
extern bool gomp_amp_moments_on;

/* Called once at start-up, before places are made: choose the workers and the
   number of threads by GOMP_AMP_FOLD and OMP_NUM_THREADS.  */
extern void gomp_fold_init (void);

/* Print to STREAM how teams are folded or why not, and what GOMP_AMP_FOLD=auto
   does: two lines of OMP_DISPLAY_ENV.  */
extern void gomp_fold_display (FILE *stream);

/* The workers of every folded team, of small ones the first.  Constant from
   start-up on.  */
extern struct gomp_fold_plan gomp_fold_workers;

/* Whether a team of IDS ids gains by being folded.  One that has no more than
   an id for each worker that may run does not: the kernel may move a thread to
   a core that is done, and we would forbid that.  Unless its size is ours.  */
static inline bool
gomp_fold_worth (unsigned ids)
{
  return ids > gomp_fold_allowed ()->count || ids == gomp_fold_workers.ids;
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_SETUP_H */
