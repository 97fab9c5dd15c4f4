/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Samples how long tasks take.  */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "libgomp.h"
#include "tasks/task-cost.h"
#include "base/clock.h"

__thread struct gomp_amp_task_clock gomp_amp_task_clock;
bool gomp_amp_timed_tasks;

/* In the mean, one task in SAMPLE_PERIOD is timed.  All tasks are timed if they
   take at least LONG_TASK nanoseconds, since timing costs little compared to
   that, or if little is known of them.  */
#define SAMPLE_PERIOD 16
#define LONG_TASK 20000

/* A task always counts for up to this many nanoseconds in the usual time.  */
#define SHORTEST 100

/* At most this many constructs have a record, which takes 2 KiB.  Nothing is
   known of the tasks of further constructs.  */
#define MAX_CONSTRUCTS 1024

/* gomp_amp_task_cost for the first task of a construct.  NULL if memory is
   short or there are too many constructs.  */

static struct gomp_amp_task_cost * __attribute__ ((noinline))
new_cost (void (*fn) (void *), unsigned level)
{
  static unsigned constructs;
  struct gomp_amp_task_costs *costs;
  struct gomp_amp_site *site;

  /* Relaxed: each of several threads that come at once may exceed it by
     one.  */
  if (__atomic_load_n (&constructs, MEMMODEL_RELAXED) >= MAX_CONSTRUCTS)
    return NULL;
  site = gomp_amp_site ((const void *) fn);
  if (site == NULL
      || posix_memalign ((void **) &costs, __alignof__ (*costs), sizeof *costs))
    return NULL;
  memset (costs, 0, sizeof *costs);
  if (gomp_amp_publish_record (site, GOMP_AMP_SITE_TASKS, costs) == costs)
    __atomic_fetch_add (&constructs, 1, MEMMODEL_RELAXED);
  else
    free (costs);
  return gomp_amp_task_cost (fn, level);
}

/* TAKEN nanoseconds are a sample of the tasks of COST.  SHARE is the part of
   the sample that falls to each task.  Relaxed, and not as one update: a lost
   sample does not matter.  */

static void
add_sample (struct gomp_amp_task_cost *cost, unsigned long taken,
	    unsigned long share)
{
  unsigned samples = __atomic_load_n (&cost->samples, MEMMODEL_RELAXED);
  unsigned long mean = taken, usual = taken, old_share, most;

  if (samples != 0)
    {
      mean = __atomic_load_n (&cost->mean, MEMMODEL_RELAXED);
      mean = mean - mean / 8 + taken / 8;
      usual = __atomic_load_n (&cost->usual, MEMMODEL_RELAXED);
      most = 4 * usual + SHORTEST;
      usual = usual - usual / 8 + (taken < most ? taken : most) / 8;
      old_share = __atomic_load_n (&cost->share, MEMMODEL_RELAXED);
      share = old_share - old_share / 8 + share / 8;
    }
  __atomic_store_n (&cost->mean, mean, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->usual, usual, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->share, share, MEMMODEL_RELAXED);
  if (samples < GOMP_AMP_ENOUGH_SAMPLES)
    __atomic_store_n (&cost->samples, samples + 1, MEMMODEL_RELAXED);
}

/* Call FN with DATA and time it.  If COST is not NULL, it gets the time.
   Choose when to do so again.  */

static void
sample_task (void (*fn) (void *), void *data, struct gomp_amp_task_cost *cost)
{
  static __thread unsigned random_state = 1;
  struct gomp_amp_task_clock *clock = &gomp_amp_task_clock;
  struct gomp_amp_task_clock before = *clock;
  unsigned long long since = gomp_amp_clock (), ns, slept;
  unsigned long taken, share;

  /* At random intervals.  Otherwise, if every n-th task of a program is longer
     than the others, none of these might be timed, or only these.  */
  random_state = random_state * 1664525 + 1013904223;
  clock->until_sample = (random_state >> 16) % (2 * SAMPLE_PERIOD - 1);
  fn (data);
  ns = gomp_amp_clock () - since;
  taken = ns < ULONG_MAX ? ns : ULONG_MAX;
  slept = clock->slept - before.slept;
  /* This task itself was counted before the call.  */
  share = slept < taken ? taken - slept : 0;
  share /= clock->begun - before.begun + 1;
  if (cost != NULL)
    add_sample (cost, taken, share);
  if (taken >= LONG_TASK)
    clock->until_sample = 0;
}

void
gomp_amp_call_own_task (void (*fn) (void *), void *data)
{
  unsigned level = gomp_thread ()->task->amp_level;
  struct gomp_amp_task_cost *cost = gomp_amp_task_cost (fn, level);
  bool due = gomp_amp_task_clock.until_sample-- == 0;

  gomp_amp_task_clock.begun++;
  if (__builtin_expect (cost == NULL, 0))
    cost = new_cost (fn, level);
  if (!due
      && (cost == NULL
	  || (__atomic_load_n (&cost->samples, MEMMODEL_RELAXED)
	      >= GOMP_AMP_ENOUGH_SAMPLES)))
    fn (data);
  else
    sample_task (fn, data, cost);
}
