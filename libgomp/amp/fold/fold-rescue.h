/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds called regions that do not go on, because an id waits outside of OpenMP
   for one that has not begun, and makes them late (fold-late.h).  */

#ifndef GOMP_AMP_FOLD_RESCUE_H
#define GOMP_AMP_FOLD_RESCUE_H 1

#include <stdbool.h>
#include "fold/fold-pool.h"

#pragma GCC visibility push(hidden)

/* The watching thread looks at FOLD's region, which is run by TEAM.  Returns
   whether it is called and not late, so that there are no turns to watch.  */
extern bool gomp_fold_look_at_call (struct gomp_fold_pool *fold,
				    struct gomp_fold_team *team);

/* The same.  Only those workers that are ALLOWED may run now: if the region is
   called the others take no id any more, and those that may run again come.  */
extern void gomp_fold_revoke (struct gomp_fold_pool *fold,
			      struct gomp_fold_team *team,
			      const struct gomp_fold_allowed *allowed);

/* The same.  The number of the thread that runs an id of worker W of FOLD's
   called region, and in *STEP that of the id; 0 if there is none.  */
extern int gomp_fold_running_caller (const struct gomp_fold_pool *fold,
				     unsigned w, unsigned *step);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_RESCUE_H */
