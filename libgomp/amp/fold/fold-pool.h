/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The data of folded teams, of their threads and of their pool; for fold*.c
   only.  fold.h explains the terms.  */

#ifndef GOMP_AMP_FOLD_POOL_H
#define GOMP_AMP_FOLD_POOL_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fold/fold-environment.h"
#include "fold/fold-region.h"
#include "fold/fold-stopwatch.h"
#include "fold/fold-turn.h"
#include "options/options.h"

/* What ended a team.  Disbanded: all of its workers are, or will be soon.
   Stale: other workers may run than when it was made.  */
#define GOMP_FOLD_TEAM_DISBANDED 1
#define GOMP_FOLD_TEAM_STALE 2

struct gomp_fold_allowed;

/* A way to run teams of IDS ids on WORKERS workers.  */
struct gomp_fold_team
{
  /* Constant.  */
  struct gomp_fold_team *next;
  unsigned ids, workers;

  /* Constant while it has members.  FIRST: the first id of each worker, and
     IDS.  ALLOWED: the workers that may run.  TAKES_TURNS: some worker has
     several ids.  COUNT: where the team is counted, or NULL.  */
  unsigned *first;
  const struct gomp_fold_allowed *allowed;
  unsigned home;
  bool takes_turns;
  struct gomp_fold_count *count;

  /* Shared and atomic.  MEMBERS: threads that have joined and not left, and the
     watching thread while it looks.  STATE: GOMP_FOLD_TEAM_*, 0 while nothing
     has ended it.  */
  unsigned members;
  unsigned state;
  struct gomp_fold_worker *worker;
  struct gomp_fold_id **slot;
};

/* A thread that has been an id of a folded team.  Never freed before its pool,
   as others may look at an id that has left.  */
struct gomp_fold_thread
{
  struct gomp_fold_id id;

  /* Constant.  NUMBER: its thread number in outermost teams.  */
  struct gomp_fold_thread *next;
  unsigned number;

  /* For its own thread only.  FAILURES: failed tests of locks.  WORKS: it is in
     a region, where the stopwatch runs while the thread does.  */
  struct gomp_fold_team *team;
  unsigned failures;
  bool works;
  /* At the start of its present region, or of its part of a called one.  */
  struct gomp_fold_environment environment;
  /* Of fold-call.c: its pool's called region while it runs a called id, or
     NULL.  */
  struct gomp_fold_call *call;

  /* Written by its thread, and read by the watching thread and by those that
     look at other ids.  OWN: the worker that it joined last.  STEPS: how often
     it began or ended to wait or yield; while this is odd a signal handler that
     yields does nothing.  STOPWATCH: how long it has run in regions.  */
  int own;
  unsigned steps;
  struct gomp_fold_stopwatch stopwatch;

  /* Shared and atomic.  BOUND: the worker whose CPU it is bound to, or -1.  Set
     to a worker between gomp_fold_hold_watch and gomp_fold_release_watch.  The
     watching thread sets it to -1 when it unbinds the thread.  ENDED: its
     thread has ended, and the next one of its number may have the record.  */
  int bound;
  bool ended;
};

/* A pool remembers this many regions that had no tasks.  */
#define GOMP_FOLD_QUIET 64

/* A pool's folded teams.  */
struct gomp_fold_pool
{
  /* For the thread that starts regions.  THREADS_USED: the threads of the last
     team, or 0.  LEAVING: threads that are to end, or have.  MOVES: what
     fold-move.c knows of teams of each size, the last one first; also for the
     last thread at a barrier.  */
  unsigned threads_used;
  int leaving;
  struct gomp_fold_moves *moves;
  /* The region that was not called last, and its ids.  */
  gomp_fold_region_fn turned_fn;
  unsigned turned_ids;
  /* For gomp_fold_leaves_early.  LEAVE: threads may leave the end of the
     present region early; read by all.  QUIET: regions that had no tasks when
     they ran last, by where their functions are.  HAD_TASKS: some region
     had.  */
  bool leave, had_tasks;
  gomp_fold_region_fn quiet[GOMP_FOLD_QUIET];
  /* For fold-bind.c.  BOUND: the thread that starts regions has the mask of
     HOME, a worker; the watching thread reads it.  STRAYS: in how many of the
     next regions it gets that mask from the start.  */
  bool bound;
  unsigned home, strays;
  /* The stack of the thread that starts regions: its lowest address, and its
     size.  */
  uintptr_t stack;
  size_t stack_size;

  /* Written by the thread that starts regions, TEAM and TEAMS also by the last
     thread at a barrier, and read by others.  TEAM runs the present region, or
     ran the last one; NULL if that is not folded.  FN: that region.  RUNS: a
     region runs.  TEAMS: all that were made.  */
  struct gomp_fold_team *team;
  gomp_fold_region_fn fn;
  bool runs;
  struct gomp_fold_team *teams;
  /* Written by the thread that starts regions, and read by others.  CALLED: the
     region is called.  CALL: what fold-call.c keeps; NULL until a region
     is.  */
  bool called;
  struct gomp_fold_call *call;

  /* Shared and atomic.  ENDED: threads that have ended.  OFF: nothing is folded
     any more.  */
  struct gomp_fold_thread *threads;
  int ended;
  bool off;

  /* For the watching thread.  TRIAL: the present one.  AIDED: ids that were
     woken early may run beside the turns.  FOREIGN_LOOKS: looks in turn at
     which the program had bound a thread.  NEXT: the next pool.  */
  struct gomp_fold_trial trial;
  bool aided;
  unsigned foreign_looks;
  struct gomp_fold_pool *next;
};

/* Relaxed: the ids of a team find out by its workers.  */

static inline bool
gomp_fold_disbanded_p (const struct gomp_fold_team *team)
{
  return (__atomic_load_n (&team->state, __ATOMIC_RELAXED)
	  & GOMP_FOLD_TEAM_DISBANDED);
}

/* Whether the times of TEAM are measured.  */

static inline bool
gomp_fold_measured_p (const struct gomp_fold_team *team)
{
  return (team->workers > 1
	  && gomp_amp_options.fold_ranges != GOMP_AMP_RANGES_FIXED);
}

#endif /* GOMP_AMP_FOLD_POOL_H */
