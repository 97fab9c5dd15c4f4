/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Samples how long tasks take.  */

#include "libgomp.h"
#include "task-cost.h"
#include "clock.h"

struct gomp_amp_task_cost gomp_amp_task_costs[GOMP_AMP_TASK_COSTS];
__thread unsigned gomp_amp_until_sample;

/* One task in so many is timed, in the mean.  */
#define SAMPLE_PERIOD 16

/* What a new construct's mean is made of, so that one short task is not enough
   to take it for one of short tasks.  */
#define FIRST_MEAN 1000

void
gomp_amp_sample_task (void (*fn) (void *), void *data)
{
  static __thread unsigned random_state = 1;
  struct gomp_amp_task_cost *cost = gomp_amp_task_cost (fn);
  unsigned long long since = gomp_amp_clock (), taken, mean = FIRST_MEAN;

  /* At random intervals, lest a program that creates every so many-th task
     longer than the others have none of those, or only those, timed.  */
  random_state = random_state * 1664525 + 1013904223;
  gomp_amp_until_sample = (random_state >> 16) % (2 * SAMPLE_PERIOD - 1);
  fn (data);
  taken = gomp_amp_clock () - since;

  /* Relaxed, and not as one: a lost sample does not matter, nor does a mean that
     is for a moment taken for another construct's.  */
  if (__atomic_load_n (&cost->fn, MEMMODEL_RELAXED) == fn)
    mean = __atomic_load_n (&cost->mean, MEMMODEL_RELAXED);
  mean = mean - mean / 8 + taken / 8;
  __atomic_store_n (&cost->mean, mean, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->fn, fn, MEMMODEL_RELAXED);
}
