/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The data of folded teams, of their threads and of their pool; for fold*.c
   only.  fold.h explains the terms.  */

#ifndef GOMP_AMP_FOLD_POOL_H
#define GOMP_AMP_FOLD_POOL_H 1

#include <stdbool.h>
#include "fold/fold-stopwatch.h"
#include "fold/fold-turn.h"
#include "fold/fold-verdict.h"
#include "options/options.h"

/* A way to run teams of IDS ids on WORKERS workers.  */
struct gomp_fold_team
{
  /* Constant.  */
  struct gomp_fold_team *next;
  unsigned ids, workers;

  /* Constant while it has members.  FIRST: the first id of each worker, and IDS.
     TAKES_TURNS: some worker has several ids.  COUNT: where the team is counted,
     or NULL.  */
  unsigned *first;
  unsigned home;
  bool takes_turns;
  struct gomp_fold_count *count;

  /* Shared and atomic.  MEMBERS: threads that have joined and not left, and the
     watching thread while it looks.  DISBANDED: all workers are, or will be
     soon.  */
  unsigned members;
  bool disbanded;
  struct gomp_fold_worker *worker;
  struct gomp_fold_id **slot;
};

/* What a thread keeps.  Never freed before its pool, as others may look at an
   id that has left.  */
struct gomp_fold_thread
{
  struct gomp_fold_id id;
  struct gomp_fold_thread *next;
  struct gomp_fold_team *team;
  /* Its thread number in outermost teams.  */
  unsigned number;
  /* The worker whose CPU it is bound to; -1 if it is not.  Set to a worker
     between gomp_fold_hold_watch and gomp_fold_release_watch.  The watching
     thread reads it, and sets it to -1 when it unbinds the thread.  */
  int bound;
  /* The worker that it joined last.  The watching thread and threads of inner
     teams read it.  */
  int own;
  /* Its thread has ended; the next one of that number may have the record.  */
  bool ended;
  /* How many of its tests of locks have failed.  */
  unsigned failures;
  /* How often its thread began or ended to wait or yield.  If odd, a signal
     handler that yields does nothing.  Read by who watches.  */
  unsigned steps;
  /* How long its thread has run in regions.  */
  struct gomp_fold_stopwatch stopwatch;
  /* It is in a region, where the stopwatch runs while the thread does.  */
  bool works;
};

/* So many regions are remembered to have no tasks.  */
#define GOMP_FOLD_QUIET 64

/* What a pool keeps.  */
struct gomp_fold_pool
{
  /* Of the region that is being run, or was last.  NULL if that is not
     folded.  Changed by the thread that starts regions, read by the others.  */
  struct gomp_fold_team *team;
  /* That region.  */
  gomp_fold_region_fn fn;
  /* All that were made.  */
  struct gomp_fold_team *teams;
  /* What fold-move.c has learned of teams of each size, the last one first.  */
  struct gomp_fold_moves *moves;
  struct gomp_fold_thread *threads;
  /* Of gomp_fold_leaves_early: threads of the present region may leave its end
     early; regions that had no tasks when they ran last, by where their
     functions are; and whether any region had.  */
  bool leave;
  gomp_fold_region_fn quiet[GOMP_FOLD_QUIET];
  bool had_tasks;
  /* How many threads have ended, and how many are to end.  */
  int ended, leaving;
  /* The threads of the last team, or of none before the first one.  */
  unsigned threads_used;
  /* Whether the thread that started the region has the mask of a worker, which
     is HOME, and in how many of the next regions it gets that from the
     start.  */
  bool bound;
  unsigned home, strays;
  /* Nothing is folded any more: ids were woken early too often.  */
  bool off;
  /* What gomp_fold_end_run takes of the present run of FN; 0 if none.  WOKEN is
     set by the watching thread.  */
  unsigned long long began;
  bool woken;
  /* Of fold-watch.c: whether a region runs, the region of the last look and how
     many of its ids were woken early since the last fresh start, and the next
     pool that is watched.  */
  bool runs;
  gomp_fold_region_fn seen_fn;
  unsigned rescues;
  /* Its last look found a thread that is not bound as it should be.  */
  bool seen_foreign;
  struct gomp_fold_pool *next;
};

/* Whether the times of TEAM are measured.  */

static inline bool
gomp_fold_measured_p (const struct gomp_fold_team *team)
{
  return (team->workers > 1
	  && gomp_amp_options.fold_ranges != GOMP_AMP_RANGES_FIXED);
}

#endif /* GOMP_AMP_FOLD_POOL_H */
