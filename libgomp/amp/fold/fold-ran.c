/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the last region of a pool was run.  */

#include "libgomp.h"
#include "fold/fold-pool.h"
#include "fold/fold-ran.h"
#include "fold/fold-setup.h"

struct gomp_fold_ran
gomp_fold_how_ran (const struct gomp_thread *thr, unsigned ids)
{
  const struct gomp_thread_pool *pool = thr->thread_pool;
  const struct gomp_fold_pool *fold
    = gomp_fold_on && pool != NULL && thr->ts.level == 0 ? pool->amp_fold
      : NULL;
  const struct gomp_fold_team *team = fold != NULL ? fold->team : NULL;
  struct gomp_fold_ran ran = { .folded = false };

  if (team == NULL || team->ids != ids
      || gomp_fold_mode (fold) == GOMP_FOLD_FREE)
    return ran;
  ran.workers = fold->crew.workers;
  ran.folded = true;
  return ran;
}
