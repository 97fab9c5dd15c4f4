/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The start of called regions.  fold-call.h explains the terms, and has the
   rules.  A region is called in three steps, in this order:

   1. Is it to be called?  Nothing is changed but what the pool knows.
   2. Announce it, when no thread looks at the last one any more: what it is,
      then that it is called, then that it runs.  From then on the watching
      thread looks at it.
   3. Deal its ids, which releases what it is; ring for the workers that have
      some; begin id 0.  */

#ifndef GOMP_AMP_FOLD_START_H
#define GOMP_AMP_FOLD_START_H 1

#include <stdbool.h>
#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

struct gomp_taskgroup;
struct gomp_team;

/* The calling thread has just become id 0 of TEAM, which is to run FN on DATA,
   with TASKGROUP, which may be NULL.  Returns whether that region is called:
   then its other threads need not be started.  */
extern bool gomp_fold_start_call (struct gomp_team *team,
				  gomp_fold_region_fn fn, void *data,
				  struct gomp_taskgroup *taskgroup);

/* For fold*.c only, from here on.  */

/* FOLD is about to have another team, whose threads have not joined it yet.  */
extern void gomp_fold_forget_joined (struct gomp_fold_pool *fold);

/* FOLD is about to be freed.  */
extern void gomp_fold_free_call (struct gomp_fold_pool *fold);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_START_H */
