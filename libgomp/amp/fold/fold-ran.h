/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How the last region of a pool was run, for other rooms that report it.  */

#ifndef GOMP_AMP_FOLD_RAN_H
#define GOMP_AMP_FOLD_RAN_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_deal;
struct gomp_thread;

struct gomp_fold_ran
{
  /* Neither: each id was a thread that ran for itself.  */
  bool called, turns;
  /* Otherwise on so many workers.  */
  unsigned workers;
  /* What is known of a called region none of whose ids became threads, or NULL.
     MEASURED: this run was.  */
  const struct gomp_fold_deal *deal;
  bool measured;
};

/* Of the outermost region of IDS ids that THR, the calling thread, has just
   ended.  */
extern struct gomp_fold_ran gomp_fold_how_ran (const struct gomp_thread *thr,
					       unsigned ids);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_RAN_H */
