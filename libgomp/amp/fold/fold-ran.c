/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the last region of a pool was run.  */

#include "libgomp.h"
#include "fold/fold-caller.h"
#include "fold/fold-ran.h"

struct gomp_fold_ran
gomp_fold_how_ran (const struct gomp_thread *thr, unsigned ids)
{
  const struct gomp_thread_pool *pool = thr->thread_pool;
  const struct gomp_fold_pool *fold
    = gomp_fold_on && pool != NULL && thr->ts.level == 0 ? pool->amp_fold
      : NULL;
  const struct gomp_fold_team *team = fold != NULL ? fold->team : NULL;
  struct gomp_fold_ran ran = { .called = false };

  if (team == NULL)
    return ran;
  ran.workers = team->workers;
  ran.called = __atomic_load_n (&fold->called, MEMMODEL_RELAXED);
  if (!ran.called)
    ran.turns = team->ids == ids && !gomp_fold_disbanded_p (team);
  else if (!__atomic_load_n (&fold->call->late, MEMMODEL_RELAXED))
    {
      ran.deal = fold->call->deal;
      ran.measured = fold->call->measured;
    }
  return ran;
}
