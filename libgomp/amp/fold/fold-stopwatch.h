/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Stopwatches of threads, which others may read at any time.  */

#ifndef GOMP_AMP_FOLD_STOPWATCH_H
#define GOMP_AMP_FOLD_STOPWATCH_H 1

#include "base/clock.h"

/* What stopwatches count, in nanoseconds: of 32 bits they overflow after 137
   seconds, which is longer than a batch is of interest.  */
#define GOMP_FOLD_TICK_NS 64

static inline unsigned long
gomp_fold_ticks (void)
{
  return gomp_amp_clock () / GOMP_FOLD_TICK_NS;
}

/* A number of ticks and, in the lowest bit, whether the stopwatch runs.  If so
   the number is less by the time at which it was started.  One word, written by
   one thread.  Relaxed: nothing else is read by what it says.  */
struct gomp_fold_stopwatch
{
  unsigned long word;
};

/* The calling thread's WATCH, which stands still, runs from now on.  Returns
   the time.  */

static inline unsigned long
gomp_fold_start_stopwatch (struct gomp_fold_stopwatch *watch)
{
  unsigned long word = watch->word, now = gomp_fold_ticks ();

  if (!(word & 1))
    __atomic_store_n (&watch->word, (word / 2 - now) * 2 + 1,
		      __ATOMIC_RELAXED);
  return now;
}

/* The calling thread's WATCH, which stands still, has run for so many TICKS
   more.  */

static inline void
gomp_fold_add_to_stopwatch (struct gomp_fold_stopwatch *watch, long ticks)
{
  __atomic_store_n (&watch->word, (watch->word / 2 + ticks) * 2,
		    __ATOMIC_RELAXED);
}

/* It stands still from now on.  */

static inline void
gomp_fold_stop_stopwatch (struct gomp_fold_stopwatch *watch)
{
  unsigned long word = watch->word;

  if (word & 1)
    __atomic_store_n (&watch->word, (word / 2 + gomp_fold_ticks ()) * 2,
		      __ATOMIC_RELAXED);
}

/* The ticks that any thread's WATCH has run for, modulo half of what the type
   holds.  */

static inline unsigned long
gomp_fold_read_stopwatch (const struct gomp_fold_stopwatch *watch)
{
  unsigned long word = __atomic_load_n (&watch->word, __ATOMIC_RELAXED);

  return (word & 1 ? word / 2 + gomp_fold_ticks () : word / 2) << 1 >> 1;
}

/* How many of these it has run for since it was THEN.  0 if it went back since,
   as the clocks of two CPUs may differ.  */

static inline unsigned long
gomp_fold_stopwatch_since (const struct gomp_fold_stopwatch *watch,
			   unsigned long then)
{
  long since = (long) ((gomp_fold_read_stopwatch (watch) - then) << 1) >> 1;

  return since > 0 ? since : 0;
}

#endif /* GOMP_AMP_FOLD_STOPWATCH_H */
