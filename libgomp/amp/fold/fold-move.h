/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Moves ids of a folded team from worker to worker, by measured times, where
   all of its threads have met.  For fold*.c only.

   A batch is some barriers long.  Each id has a stopwatch, which runs while its
   thread does.  At the end of a batch the last thread at the barrier asks
   fold-learn.c for ranges, before the others may go on.  If there are better
   ones it makes a new team of them, and the ids leave the old one as they do
   when the size of teams changes: so to move ids needs no protocol of its own.
   Each id that is parked is woken for that, which costs some 10 us an id.  That
   is why one set of ranges is for all regions of a program and all barriers of
   a region, and not one for each of them.  */

#ifndef GOMP_AMP_FOLD_MOVE_H
#define GOMP_AMP_FOLD_MOVE_H 1

#include <stdbool.h>
#include "base/clock.h"
#include "fold/fold-pool.h"
#include "options/options.h"

#pragma GCC visibility push(hidden)

/* What stopwatches count, in nanoseconds: of 32 bits they overflow after 137
   seconds, which is longer than a batch is of interest.  */
#define GOMP_FOLD_TICK_NS 64

static inline unsigned long
gomp_fold_ticks (void)
{
  return gomp_amp_clock () / GOMP_FOLD_TICK_NS;
}

/* A stopwatch is a number of ticks and, in the lowest bit, whether it runs.  If
   so the number is less by the time at which it was started.  All of it is one
   word, so that others can read it at any time.  Relaxed: nothing else is read
   by what it says.  */

static inline void
gomp_fold_start_watch (struct gomp_fold_thread *me)
{
  unsigned long watch = me->stopwatch;

  if (!(watch & 1))
    __atomic_store_n (&me->stopwatch,
		      (watch / 2 - gomp_fold_ticks ()) * 2 + 1,
		      __ATOMIC_RELAXED);
}

static inline void
gomp_fold_stop_watch (struct gomp_fold_thread *me)
{
  unsigned long watch = me->stopwatch;

  if (watch & 1)
    __atomic_store_n (&me->stopwatch, (watch / 2 + gomp_fold_ticks ()) * 2,
		      __ATOMIC_RELAXED);
}

/* The ticks that THREAD has run for, modulo half of what the type holds.  */

static inline unsigned long
gomp_fold_read_watch (const struct gomp_fold_thread *thread)
{
  unsigned long watch = __atomic_load_n (&thread->stopwatch, __ATOMIC_RELAXED);

  return (watch & 1 ? watch / 2 + gomp_fold_ticks () : watch / 2) << 1 >> 1;
}

/* How many of these it has run for since it was THEN.  0 if it went back since,
   as the clocks of two CPUs may differ.  */

static inline unsigned long
gomp_fold_watch_since (const struct gomp_fold_thread *thread,
		       unsigned long then)
{
  long since = (long) ((gomp_fold_read_watch (thread) - then) << 1) >> 1;

  return since > 0 ? since : 0;
}

/* Whether the times of TEAM are measured.  */

static inline bool
gomp_fold_measured_p (const struct gomp_fold_team *team)
{
  return (team->workers > 1
	  && gomp_amp_options.fold_ranges != GOMP_AMP_RANGES_FIXED);
}

/* Store in FIRST the ranges with which teams of FOLD of IDS ids on WORKERS
   workers are to begin.  */
extern void gomp_fold_begin_ranges (const struct gomp_fold_pool *fold,
				    unsigned ids, unsigned workers,
				    unsigned *first);

extern void gomp_fold_free_moves (struct gomp_fold_pool *fold);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_MOVE_H */
