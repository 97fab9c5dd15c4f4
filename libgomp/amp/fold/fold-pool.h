/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The data of folded teams, of their threads and of their pool; for fold*.c
   only.  fold.h explains the terms.  */

#ifndef GOMP_AMP_FOLD_POOL_H
#define GOMP_AMP_FOLD_POOL_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fold/fold-carry.h"
#include "fold/fold-region.h"
#include "fold/fold-stopwatch.h"
#include "base/width.h"
#include "options/options.h"

struct gomp_fold_allowed;

/* How teams of IDS ids are dealt to the workers of a pool.  Written by the
   thread that starts regions, and by the last one at a barrier.  */
struct gomp_fold_team
{
  /* Constant.  */
  struct gomp_fold_team *next;
  unsigned ids;

  /* ORDER: the id at each place, by the speeds of ALLOWED.  FIRST: the first
     place of each worker, and IDS.  OWNER: the worker of each id by the width
     of the present region; atomic, relaxed.  ALLOWED: the workers that may run.
     COUNT: where the team is counted, or NULL.  */
  unsigned *order, *first, *owner;
  const struct gomp_fold_allowed *allowed;
  struct gomp_fold_count *count;
};

/* A thread that has been an id of a folded team.  Never freed before its pool,
   as others may look at an id that has ended.  */
struct gomp_fold_thread
{
  struct gomp_fold_id id;

  /* Constant.  NUMBER: its thread number in outermost teams.  */
  struct gomp_fold_thread *next;
  struct gomp_fold_pool *fold;
  unsigned number;

  /* For the id only.  FAILURES: failed tests of locks.  WORKS: it is in a
     region, where the stopwatch runs while the id does.  BEGAN: when that was
     started.  */
  unsigned failures;
  bool works;
  unsigned long began;

  /* Written by the id, and read by the watching thread and by those that look
     at other ids.  STEPS: how often it began or ended to wait or yield; while
     this is odd a signal handler that yields does nothing.  STOPWATCH: how long
     it has run in regions.  */
  unsigned steps;
  struct gomp_fold_stopwatch stopwatch;

  /* Shared and atomic, of its kernel thread.  TID: the kernel's number of that,
     0 when it has ended.  BOUND: the worker whose CPU it is bound to, or -1.
     Set to a worker between gomp_fold_pause_watch and gomp_fold_resume_watch.
     The watching thread sets it to -1 when it unbinds the thread.  ENDED: the
     next thread of its number may have the record.  */
  int tid;
  int bound;
  bool ended;
  /* The thread pointer of the same.  */
  void *pointer;
};

/* A pool remembers this many regions that had no tasks.  */
#define GOMP_FOLD_QUIET 64

/* A pool's folded teams.  */
struct gomp_fold_pool
{
  /* Its workers, which are those of the plan, and how its ids run.  */
  struct gomp_fold_crew crew;

  /* For the thread that starts regions.  THREADS_USED: the threads of the last
     team, or 0; read by others.  LEAVING: threads that are to end, or have.
     MOVES: what fold-move.c knows of teams of each size, the last one first;
     also for the last thread at a barrier.  */
  unsigned threads_used;
  int leaving;
  struct gomp_fold_moves *moves;
  /* For gomp_fold_leaves_early.  LEAVE: threads may leave the end of the
     present region early; read by all.  QUIET: regions that had no tasks when
     they ran last, by where their functions are.  HAD_TASKS: some region
     had.  */
  bool leave, had_tasks;
  gomp_fold_region_fn quiet[GOMP_FOLD_QUIET];
  /* For fold-bind.c.  BOUND: the thread that starts regions has the mask of
     HOME, a worker; the watching thread reads both.  STRAYS: in how many of the
     next regions it gets that mask from the start.  */
  bool bound;
  unsigned home, strays;

  /* Written by the thread that starts regions, TEAM also by the last thread at
     a barrier, and read by others.  TEAM: how the present region is dealt, or
     the last one was; NULL if that is not folded.  FN: that region.  RUNS: a
     region runs.  TEAMS: all that were made.  */
  struct gomp_fold_team *team;
  gomp_fold_region_fn fn;
  bool runs;
  struct gomp_fold_team *teams;
  /* Written and read by the same: the width of the present region.  */
  enum gomp_width width;
  /* For the thread that starts regions.  REGION: the present one, or NULL.
     CHOOSES: this pool chooses its width.  BEGAN: when it began, 0 if it is not
     timed.  MAY: by width.  */
  struct gomp_fold_region *region;
  bool chooses, may[GOMP_WIDTHS];
  unsigned long long began;
  /* Shared and atomic, relaxed.  OVER: when a trial of another width has
     failed, 0 if there is none.  FAILED: it has, and its ids are not carried
     any more.  */
  unsigned long long over;
  bool failed;

  /* Shared and atomic.  ENDED: threads that have ended.  OFF: nothing is folded
     any more.  */
  struct gomp_fold_thread *threads;
  int ended;
  bool off;

  /* For the watching thread.  WATCHED: by worker.  TRIAL: the present one.
     AIDED: ids that were given a kernel thread early may run beside the
     carriers.  FOREIGN_LOOKS: looks in turn at which the program had bound a
     thread.  NEXT: the next pool.  */
  struct gomp_fold_watched *watched;
  struct gomp_fold_trial trial;
  bool aided;
  unsigned foreign_looks;
  struct gomp_fold_pool *next;
};

/* What the watching thread has seen of a worker.  SWITCHES, EARLY: at the last
   look, and when they were counted.  LOOKS: since it switched.  CPU_NS: the CPU
   time of its carrier at the first of these.  */
struct gomp_fold_watched
{
  unsigned switches, looks;
  unsigned counted_switches, counted_early;
  unsigned long long cpu_ns;
};

static inline enum gomp_fold_mode
gomp_fold_mode (const struct gomp_fold_pool *fold)
{
  return (enum gomp_fold_mode) __atomic_load_n (&fold->crew.mode,
						__ATOMIC_ACQUIRE);
}

/* The thread that C is the kernel thread of.  In virtual time each id keeps its
   own, and C's is that of the id that it runs.  */

static inline struct gomp_fold_thread *
gomp_fold_thread_of (const struct gomp_fold_carrier *c)
{
#ifdef GOMP_AMP_VIRTUAL
  struct gomp_fold_id *id = __atomic_load_n (&c->run, __ATOMIC_RELAXED);

  if (id != NULL)
    return (struct gomp_fold_thread *) id;
#endif
  return (struct gomp_fold_thread *)
	 ((char *) c - offsetof (struct gomp_fold_thread, id.own));
}

/* The number of the worker that THREAD's id is dealt to.  */

static inline unsigned
gomp_fold_dealt_to (const struct gomp_fold_thread *thread)
{
  return __atomic_load_n (&thread->id.worker, __ATOMIC_RELAXED)->number;
}

/* Whether the times of FOLD's ids are measured.  */

static inline bool
gomp_fold_measured_p (const struct gomp_fold_pool *fold)
{
  return (fold->crew.workers > 1
	  && gomp_amp_options.fold_ranges != GOMP_AMP_RANGES_FIXED);
}

#endif /* GOMP_AMP_FOLD_POOL_H */
