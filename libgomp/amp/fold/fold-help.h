/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether a worker of a folded team that has nothing left to run should take an
   id from another one.  Pure arithmetic.

   A worker runs one of its ids after the other.  Either the last one that has
   not begun is taken (stealing), or the one that runs (pulling), which pays
   only on a faster core.  */

#ifndef GOMP_AMP_FOLD_HELP_H
#define GOMP_AMP_FOLD_HELP_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* What a worker has to do.  Times are in any unit.  */
struct gomp_fold_load
{
  /* When it will be done, and how long each of its ids takes, 0 if it has
     none.  */
  double end, each;
  /* How fast it is, above 0.  */
  double speed;
};

enum gomp_fold_help
{
  GOMP_FOLD_NO_HELP,
  GOMP_FOLD_STEAL,
  GOMP_FOLD_PULL
};

/* Among more workers nobody helps: who is done looks at all others.  */
#define GOMP_FOLD_MOST_HELPERS 128

/* How GOMP_AMP_FOLD_HELP allows to help, besides not at all.  */
struct gomp_fold_helps
{
  bool steal, pull;
  /* What it costs to take an id, and how much it has to save.  */
  double cost, least;
};

/* A worker of SPEED is done at NOW.  Returns how it is to help the worker of
   LOAD.  Stores in *GAIN how much earlier the two are done.  */
extern enum gomp_fold_help
gomp_fold_judge_help (const struct gomp_fold_helps *how, double speed,
		      double now, const struct gomp_fold_load *load,
		      double *gain);

/* The worker HELPER of the COUNT ones of LOAD is done at NOW.  Returns how it
   is to help the one for which that gains most, and stores that in *OTHER.  */
extern enum gomp_fold_help
gomp_fold_choose_help (const struct gomp_fold_helps *how,
		       const struct gomp_fold_load *load, unsigned count,
		       unsigned helper, double now, unsigned *other);

/* Whether to steal from a worker that has LOAD to do in most phases may pay in
   one in which others are done early by chance.  */
extern bool gomp_fold_steals_may_pay (const struct gomp_fold_helps *how,
				      const struct gomp_fold_load *load);

/* When the last one of COUNT workers is done, if each that is done helps the
   one for which that gains most.  Changes LOAD.  */
extern double gomp_fold_end_with_help (const struct gomp_fold_helps *how,
				       struct gomp_fold_load *load,
				       unsigned count);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_HELP_H */
