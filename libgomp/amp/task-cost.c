/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Samples how long tasks take.  */

#include <limits.h>
#include "libgomp.h"
#include "task-cost.h"
#include "clock.h"
#include "task-tail.h"

struct gomp_amp_task_cost gomp_amp_task_costs[GOMP_AMP_TASK_COSTS];
__thread struct gomp_amp_task_clock gomp_amp_task_clock;
bool gomp_amp_own_tasks;

/* One task in so many is timed, in the mean; all, if they take so long that
   this is nothing, or little is known of them.  */
#define SAMPLE_PERIOD 16
#define LONG_TASK 20000

/* Of how many nanoseconds a task may always count in the usual time.  */
#define SHORTEST 100

/* Call FN with DATA, take the time, which COST gets under KEY, and choose when
   to do so again.  */

static void
sample_task (void (*fn) (void *), void *data, uintptr_t key,
	     struct gomp_amp_task_cost *cost)
{
  static __thread unsigned random_state = 1;
  struct gomp_amp_task_clock *clock = &gomp_amp_task_clock;
  struct gomp_amp_task_clock before = *clock;
  unsigned long long since = gomp_amp_clock (), ns, slept;
  unsigned long taken, mean, share, old_share, usual, most;
  unsigned samples = 0;

  /* At random intervals.  In a program whose every n-th task is longer than the
     others, regular intervals could time none of these, or only these.  */
  random_state = random_state * 1664525 + 1013904223;
  clock->until_sample = (random_state >> 16) % (2 * SAMPLE_PERIOD - 1);
  fn (data);
  ns = gomp_amp_clock () - since;
  taken = ns < ULONG_MAX ? ns : ULONG_MAX;
  slept = clock->slept - before.slept;
  /* Its own beginning was counted before.  */
  share = ((slept < taken ? taken - slept : 0)
	   / (clock->begun - before.begun + 1));
  if (gomp_amp_tail_to_big_p ())
    gomp_amp_note_task (taken);

  /* Relaxed, and not as one: a lost sample does not matter, nor does a mean
     that is for a moment taken for another construct's.  */
  mean = usual = taken;
  if (__atomic_load_n (&cost->key, MEMMODEL_RELAXED) == key)
    {
      samples = __atomic_load_n (&cost->samples, MEMMODEL_RELAXED);
      mean = __atomic_load_n (&cost->mean, MEMMODEL_RELAXED);
      mean = mean - mean / 8 + taken / 8;
      usual = __atomic_load_n (&cost->usual, MEMMODEL_RELAXED);
      most = 4 * usual + SHORTEST;
      usual = usual - usual / 8 + (taken < most ? taken : most) / 8;
      old_share = __atomic_load_n (&cost->share, MEMMODEL_RELAXED);
      share = old_share - old_share / 8 + share / 8;
    }
  if (samples < GOMP_AMP_ENOUGH_SAMPLES)
    samples++;
  if (taken >= LONG_TASK)
    clock->until_sample = 0;
  __atomic_store_n (&cost->mean, mean, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->usual, usual, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->share, share, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->samples, samples, MEMMODEL_RELAXED);
  __atomic_store_n (&cost->key, key, MEMMODEL_RELAXED);
}

void
gomp_amp_call_own_task (void (*fn) (void *), void *data)
{
  uintptr_t key = gomp_amp_task_key (fn, gomp_thread ()->task->amp_level);
  struct gomp_amp_task_cost *cost = gomp_amp_task_cost (key);

  gomp_amp_task_clock.begun++;
  /* Relaxed, as in sample_task.  */
  if (gomp_amp_task_clock.until_sample-- != 0
      && __atomic_load_n (&cost->key, MEMMODEL_RELAXED) == key
      && (__atomic_load_n (&cost->samples, MEMMODEL_RELAXED)
	  >= GOMP_AMP_ENOUGH_SAMPLES))
    fn (data);
  else
    sample_task (fn, data, key, cost);
}
