/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the last region of a pool was run, for other rooms that report it.  */

#ifndef GOMP_AMP_FOLD_RAN_H
#define GOMP_AMP_FOLD_RAN_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_thread;

struct gomp_fold_ran
{
  /* Its ids were run by workers.  If not, each was a thread that ran for
     itself.  */
  bool folded;
  unsigned workers;
};

/* Of the outermost region of IDS ids that THR, the calling thread, has just
   ended.  */
extern struct gomp_fold_ran gomp_fold_how_ran (const struct gomp_thread *thr,
					       unsigned ids);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_RAN_H */
