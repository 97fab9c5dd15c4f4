/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns from measured times which worker should own which ids of a folded
   team.  Pure arithmetic.  A time is work divided by speed, and neither is
   known.  Ids that changed their worker show the ratio of the two speeds: their
   work is the same before and after.  So the ids that crossed the boundary
   between two neighbours correct the ratio of their speeds, and the rest of a
   time is the id's work.  Workers are neighbours if their numbers are.  A probe
   is a move of one id over a boundary that is made only to learn.  The
   constants below and in fold-learn.c were chosen by the simulated programs of
   tests/fold-learn, whose results docs/folding-design.md has.  */

#ifndef GOMP_AMP_FOLD_LEARN_H
#define GOMP_AMP_FOLD_LEARN_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_learner
{
  unsigned ids, workers;
  /* The present ranges, as gomp_fold_cut's, and those of the beginning.  */
  unsigned *first, *home;
  /* The present estimate of each worker's speed, the fastest 1, and the speeds
     that were given at the start.  */
  double *speed;
  double *told;
  /* SPEED is a guess, which the first times correct.  */
  bool guess;
  /* The first times were implausible.  */
  bool doubted;
  /* By worker: a probe crossed the boundary before it.  */
  bool *probed;
  /* The time that probes may cost.  Infinite where no speeds were given.  */
  double allowance;
  /* How long the next batch is to be, in nanoseconds.  */
  unsigned long batch_ns;
  /* How many batches there were, and after how many PROBED is forgotten.  */
  unsigned batches, renewal;
  /* For how many batches nothing is learned, and for how many the next
     time.  */
  unsigned rest, pause;
  /* The part of the time that other ranges have to save.  At least
     GOMP_FOLD_GAIN.  */
  double gain;
  /* If the ranges were changed after the last batch, and not only to learn:
     when that ended, and when it would have ended with the present ones.
     Otherwise PROMISED is 0.  */
  double before, promised;
  /* In the last batch each id was run by its OWNER for TIME.  OWNER is valid if
     TIME is not 0.  */
  double *time;
  unsigned *owner;
  /* For one batch: the work of all ids before each one, and ranges.  */
  double *work;
  unsigned *next;
  unsigned long long *cut;
};

/* A learner for teams of IDS ids on WORKERS workers, both at least 1, of which
   worker w is believed to be SPEED[w] > 0 fast, in any unit.  If all are
   equally fast that is taken for a guess.  FIRST are the ranges to begin with.
   NULL if memory is short.  */
extern struct gomp_fold_learner *
gomp_fold_make_learner (unsigned ids, unsigned workers, const double *speed,
			const unsigned *first);

extern void gomp_fold_free_learner (struct gomp_fold_learner *learner);

/* In a batch each id ran for TIME[id] >= 0, on the worker that owns it.  TURN
   >= 0 is the time of the hand-overs that each id adds to its worker's, in the
   same unit.  Changes the ranges and returns true if with others the worker
   that ends last would end earlier, by GOMP_FOLD_GAIN of its time and by LEAST.
   It has to be more if earlier changes saved less than they promised.  */
extern bool gomp_fold_learn (struct gomp_fold_learner *learner,
			     const double *time, double turn, double least);

/* Ranges that are nearly even stay, for the sake of caches.  */
#define GOMP_FOLD_GAIN .03

/* In a short batch other programs may take this much of a core's time.  */
#define GOMP_FOLD_LEAST_NS 30000

/* A batch is to last so long, in nanoseconds.  Each one is twice as long as the
   one before: the first ones teach much, and later ranges have to be good for
   longer, as the phases of a program may differ.  Where speeds were given the
   first ranges are good ones, while the beginning of a program, which fills its
   caches, is no guide.  */
#define GOMP_FOLD_FIRST_GUESS_NS 200000
#define GOMP_FOLD_FIRST_BATCH_NS 2000000
#define GOMP_FOLD_LONGEST_BATCH_NS 20000000

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_LEARN_H */
