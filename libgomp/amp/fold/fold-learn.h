/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns from measured times what the ids of a folded team cost, and how fast
   its workers are.  Pure arithmetic.

   A time is the cost of an id by the speed of its worker, and neither is known.
   The terms:

     batch     the times that are learned from together.
     expected  what a time should have been, by what was known before.
     growth    how much longer than expected ids took that stayed on their
	       worker: the median of the workers.  The program has more to do.
     boundary  a place between two neighbouring workers.

   - Ids that have changed their worker show the ratio of two speeds, as their
     costs are the same before and after.  They have crossed boundaries: the
     speeds on one side of each are corrected against those on the other.
   - Of what is left, beyond the growth, half counts as a worker's speed and
     half as the costs of its ids.  If two workers exchange ids, and it was the
     speeds, both halves add up.
   - A worker whose ids should be trivial beside those of the busiest one shows
     little of its speed.
   - Speeds that are all the same when they are given are a guess.  The first
     times count as speeds.

   fold-ranges.h deals ids by what is learned, and tries what the times do not
   show.  The constants here and there were chosen by the simulated programs of
   tests/fold-learn, whose results docs/design/folding.md has.  */

#ifndef GOMP_AMP_FOLD_LEARN_H
#define GOMP_AMP_FOLD_LEARN_H 1

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Batches last so long, in nanoseconds, the first one excepted.  Each is twice
   as long as the one before: the first ones teach most, and what is learned
   later has to hold for longer, as the phases of a program may differ.  */
#define GOMP_FOLD_SHORTEST_BATCH_NS 200000
#define GOMP_FOLD_LONGEST_BATCH_NS 20000000

/* The speed, as a part of the fastest one's, of a worker that is to have no
   ids.  */
#define GOMP_FOLD_NO_SPEED 1e-9

/* What was measured of an id in the present batch: the sum of its times by the
   speeds of its workers, how many there are, and the worker of the last one.
   OWNER: the worker that ran it when it was measured before.  */
struct gomp_fold_timed
{
  double sum;
  unsigned count, worker, owner;
};

/* What the ids of a worker took in the present batch, and should have taken;
   the same of those that came from another worker; and, of ids that crossed the
   boundary before it, what they took after it or should have before it, and the
   reverse.  */
struct gomp_fold_shown
{
  double took, expected, came_took, came_expected, after, before;
};

struct gomp_fold_learner
{
  /* Constant.  TOLD: see SLOW.  */
  unsigned ids, workers;
  double *told;

  /* What is known.  KNOWN: anything is.  COST: by id, on the fastest worker; 1
     if nothing is known.  BEFORE: the sum of COST before each id, and of all.
     SLOW: by worker, one by its speed, the fastest 1; TOLD is the same as it
     was given.  SPEED: one by SLOW; gomp_fold_set_slow stores both.  GUESS: by
     worker, SLOW is a guess, which its next ids correct.
     DOUBTED: the first times were implausible, or speeds were given.  LIMIT:
     times that are so many times as long or short as they should be show no
     speeds; infinite if nothing is known.  */
  bool known, doubted;
  double limit;
  double *cost, *before, *slow, *speed;
  bool *guess;

  /* How long the present batch is to last, in nanoseconds.  */
  double batch_ns;
  /* The time that trials may cost.  */
  double allowance;

  /* TIMED: by id.  SHOWN: by worker.  BY, at the end of a batch: how much
     slower each worker is than was believed.  */
  struct gomp_fold_timed *timed;
  struct gomp_fold_shown *shown;
  double *by;
};

/* A learner for teams of IDS ids on WORKERS workers, both at least 1, of which
   worker w is believed to be SPEED[w] > 0 fast, in any unit.  Returns
   false if memory is short.  */
extern bool gomp_fold_init_learner (struct gomp_fold_learner *learner,
				    unsigned ids, unsigned workers,
				    const double *speed);

extern void gomp_fold_free_learner (struct gomp_fold_learner *learner);

/* Whether SPEED[w] is the same for all WORKERS workers that are to have
   ids.  */
extern bool gomp_fold_guess_p (unsigned workers, const double *speed);

/* Worker W of LEARNER is SLOW.  */

static inline void
gomp_fold_set_slow (struct gomp_fold_learner *learner, unsigned w, double slow)
{
  learner->slow[w] = slow;
  learner->speed[w] = 1 / slow;
}

/* Whether TIME shows something of speeds, if it should be USUAL.  */

static inline bool
gomp_fold_comparable (const struct gomp_fold_learner *learner, double time,
		      double usual)
{
  return time < usual * learner->limit && usual < time * learner->limit;
}

/* In the present batch ID took TIME on worker W.  Budget: 30 instructions.  */

static inline void
gomp_fold_add_time (struct gomp_fold_learner *learner, unsigned id, unsigned w,
		    double time)
{
  struct gomp_fold_timed *timed = &learner->timed[id];
  struct gomp_fold_shown *shown = &learner->shown[w];
  double usual = learner->cost[id] * learner->slow[w];

  timed->sum += time * learner->speed[w];
  timed->count++;
  timed->worker = w;
  if (!gomp_fold_comparable (learner, time, usual))
    return;
  shown->took += time;
  shown->expected += usual;
  if (__builtin_expect (timed->owner == w, 1))
    return;
  shown->came_took += time;
  shown->came_expected += usual;
}

/* The batch has ended: learn from it, and begin the next one.  Returns the
   growth, 0 if nothing was learned.  */
extern double gomp_fold_learn (struct gomp_fold_learner *learner);

/* The next batch is to be longer.  */
extern void gomp_fold_lengthen (struct gomp_fold_learner *learner);

/* Forget the speeds that were learned.  */
extern void gomp_fold_forget_speeds (struct gomp_fold_learner *learner);

/* SPENT has passed, of which trials may cost a part.  */
extern void gomp_fold_allow (struct gomp_fold_learner *learner, double spent);

/* Whether a trial may cost LOSS, less than 0 if it gains.  Then it is taken
   from the allowance.  */
extern bool gomp_fold_afford (struct gomp_fold_learner *learner, double loss);

/* Room for COUNT things of SIZE bytes, all zero.  Clears *ALL if memory is
   short.  */
extern void *gomp_fold_allocate (size_t count, size_t size, bool *all);

static inline double
gomp_fold_larger (double a, double b)
{
  return a > b ? a : b;
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_LEARN_H */
