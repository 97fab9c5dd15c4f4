/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which workers starve: their threads could run, and get no CPU.  Pure
   arithmetic, for the watching thread.  */

#ifndef GOMP_AMP_FOLD_STARVE_H
#define GOMP_AMP_FOLD_STARVE_H 1

#include <stdbool.h>

/* A worker gets no CPU if its thread made no progress in so many looks.  In 140
   ms a thread has a turn beside 40 others that are as urgent.  */
#define GOMP_FOLD_STARVED_LOOKS 7

/* It has no ids for so many looks, and for twice as many if that happens again.
   Each look at which it makes progress takes one away.  */
#define GOMP_FOLD_FIRST_REST 50
#define GOMP_FOLD_LONGEST_REST 3200

/* What has been seen of a worker.  TID and STEP: what its thread did at the
   last look, with CPU_NS of CPU time.  PROGRESS: it went on, or needed no CPU.
   NOTED: that is new.  LOOKS: since it did.  WORSE: those of them at which
   others did.  LEFT: for how many looks it has no ids, NEXT: for how
   many the next time, 0 if it never starved.  */
struct gomp_fold_seen
{
  int tid;
  unsigned step;
  unsigned long long cpu_ns;
  unsigned looks, worse, left, next;
  bool progress, noted;
};

/* Look at WORKER, which MAY have ids.  OTHERS: one made progress.  Looks at
   which none did do not count: the machine is as busy everywhere.  Returns
   whether it starves from now on, or has rested.  */

static inline bool
gomp_fold_look_at_seen (struct gomp_fold_seen *worker, bool may, bool others)
{
  if (worker->progress)
    worker->worse = 0;
  else
    worker->worse += worker->noted && others;
  worker->noted = false;
  if (worker->left != 0)
    return --worker->left == 0;
  if (worker->worse < GOMP_FOLD_STARVED_LOOKS || !may)
    {
      worker->next -= worker->progress && worker->next > GOMP_FOLD_FIRST_REST;
      return false;
    }
  worker->looks = worker->worse = 0;
  worker->left = worker->next != 0 ? worker->next : GOMP_FOLD_FIRST_REST;
  worker->next = worker->left * 2;
  if (worker->next > GOMP_FOLD_LONGEST_REST)
    worker->next = GOMP_FOLD_LONGEST_REST;
  return true;
}

#endif /* GOMP_AMP_FOLD_STARVE_H */
