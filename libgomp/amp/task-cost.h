/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How long the tasks of each construct take, by samples, to tell those that are
   shorter than what it costs to queue them.  */

#ifndef GOMP_AMP_TASK_COST_H
#define GOMP_AMP_TASK_COST_H 1

#include <stdbool.h>
#include <stdint.h>
#include "options.h"
#include "task-list.h"
#include "task-wake.h"

#pragma GCC visibility push(hidden)

/* A construct, or several whose functions share a place.  */
struct gomp_amp_task_cost
{
  /* Whose tasks were sampled last.  */
  void (*fn) (void *);
  /* How many of them there were, up to GOMP_AMP_ENOUGH_SAMPLES.  */
  unsigned samples;
  /* The mean in nanoseconds, of which samples make up an eighth each.  A long,
     as every target reads and writes that at once; a longer sample counts as its
     greatest value.  */
  unsigned long mean;
} __attribute__ ((aligned (64)));

/* So many samples make a mean.  */
#define GOMP_AMP_ENOUGH_SAMPLES 16

#define GOMP_AMP_TASK_COSTS 64
extern struct gomp_amp_task_cost gomp_amp_task_costs[GOMP_AMP_TASK_COSTS];

/* How many tasks the calling thread runs before the next sample.  */
extern __thread unsigned gomp_amp_until_sample;

/* Call FN with DATA, take the time, and choose when to do so again.  */
extern void gomp_amp_sample_task (void (*fn) (void *), void *data);

#pragma GCC visibility pop

static inline struct gomp_amp_task_cost *
gomp_amp_task_cost (void (*fn) (void *))
{
  /* Functions begin at multiples of 16.  */
  return &gomp_amp_task_costs[((uintptr_t) fn >> 4) % GOMP_AMP_TASK_COSTS];
}

/* Run a task: call its function FN with its DATA.  */
static inline void
gomp_amp_call_task (void (*fn) (void *), void *data)
{
  if ((!gomp_amp_fifo_p () && !gomp_amp_tail_to_big_p ())
      || gomp_amp_until_sample-- != 0)
    fn (data);
  else
    gomp_amp_sample_task (fn, data);
}

/* How many nanoseconds tasks that run FN take in the mean; UNKNOWN if there were
   too few.  Relaxed: a guess of a moment ago, or of another construct, is as
   good.  */
static inline unsigned long
gomp_amp_task_mean (void (*fn) (void *), unsigned long unknown)
{
  const struct gomp_amp_task_cost *cost = gomp_amp_task_cost (fn);

  if (__atomic_load_n (&cost->fn, MEMMODEL_RELAXED) != fn
      || (__atomic_load_n (&cost->samples, MEMMODEL_RELAXED)
	  < GOMP_AMP_ENOUGH_SAMPLES))
    return unknown;
  return __atomic_load_n (&cost->mean, MEMMODEL_RELAXED);
}

/* Whether they are known to be shorter than what it costs to queue them.  */
static inline bool
gomp_amp_task_short (void (*fn) (void *))
{
  return gomp_amp_task_mean (fn, ~0UL) < gomp_amp_options.task_queue_ns;
}

#endif /* GOMP_AMP_TASK_COST_H */
