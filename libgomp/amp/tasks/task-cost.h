/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How long the tasks of each construct take, by samples.  This shows which
   tasks are shorter than the time that it costs to queue them.  */

#ifndef GOMP_AMP_TASK_COST_H
#define GOMP_AMP_TASK_COST_H 1

#include <stdbool.h>
#include <stdint.h>
#include "options/options.h"
#include "sites/sites.h"
#include "tasks/task-list.h"

#pragma GCC visibility push(hidden)

/* The tasks of a construct on one level of recursion.  Each level has a cache
   line of its own, since other threads read and write the next levels.  */
struct gomp_amp_task_cost
{
  /* The number of sampled tasks, up to GOMP_AMP_ENOUGH_SAMPLES.  */
  unsigned samples;
  /* Means in nanoseconds, in which each sample weighs an eighth.  MEAN is the
     time from a task's start to its end.  SHARE is this time without sleep,
     divided by the number of tasks: the task and those that its thread ran
     within it.  The type is long, since every target reads and writes that at
     once; a longer sample counts as the greatest value of it.  */
  unsigned long mean, share;
  /* The usual time: the mean, but with each sample limited to a multiple of the
     usual time before it.  A few tasks of a tree have most of the tree below
     them.  */
  unsigned long usual;
} __attribute__ ((aligned (64)));

/* The last level stands for all deeper ones, too.  */
#define GOMP_AMP_TASK_LEVELS 32

/* The record of a construct's site.  The function that the construct's tasks
   run identifies the site.  */
struct gomp_amp_task_costs
{
  struct gomp_amp_task_cost level[GOMP_AMP_TASK_LEVELS];
};

/* A mean is used if it has at least this many samples.  */
#define GOMP_AMP_ENOUGH_SAMPLES 16

/* The calling thread's data for sampling.  */
struct gomp_amp_task_clock
{
  /* The number of tasks that it runs before the next sample.  */
  unsigned until_sample;
  /* The number of tasks that it has begun, and the nanoseconds that it has
     slept in waits for tasks.  */
  unsigned begun;
  unsigned long long slept;
};
extern __thread struct gomp_amp_task_clock gomp_amp_task_clock;

/* Whether tasks are fifo, or a tool watches them.  Set once, before there are
   any tasks.  */
extern bool gomp_amp_timed_tasks;

/* gomp_amp_call_task if a tool watches.  CALL calls the function in the
   end.  */
extern bool gomp_ompt_on;
extern void gomp_ompt_call_task (void (*call) (void (*) (void *), void *),
				 void (*fn) (void *), void *data);

/* Call FN with DATA.  Time it if little is known of such tasks or if a sample
   is due.  */
extern void gomp_amp_call_own_task (void (*fn) (void *), void *data);

#pragma GCC visibility pop

/* The record of the tasks that run FN and have LEVEL explicit tasks above them;
   NULL if there is none yet.  */
static inline struct gomp_amp_task_cost *
gomp_amp_task_cost (void (*fn) (void *), unsigned level)
{
  const struct gomp_amp_site *site = gomp_amp_find_site ((const void *) fn);
  struct gomp_amp_task_costs *costs;

  if (site == NULL)
    return NULL;
  costs = gomp_amp_site_record (site, GOMP_AMP_SITE_TASKS);
  if (costs == NULL)
    return NULL;
  if (level >= GOMP_AMP_TASK_LEVELS)
    level = GOMP_AMP_TASK_LEVELS - 1;
  return &costs->level[level];
}

/* Run a task: call its function FN with its DATA.  */
static inline void
gomp_amp_call_known_task (void (*fn) (void *), void *data)
{
  if (!gomp_amp_fifo_p ())
    fn (data);
  else
    gomp_amp_call_own_task (fn, data);
}

/* Run a task that a thread at a barrier has taken from a queue.  A tool has
   changed the task's function if tasks are not fifo.  */
static inline void
gomp_amp_call_task (void (*fn) (void *), void *data)
{
  if (__builtin_expect (!gomp_amp_timed_tasks, 1))
    {
      fn (data);
      return;
    }
  if (gomp_ompt_on && gomp_amp_fifo_p ())
    gomp_ompt_call_task (gomp_amp_call_known_task, fn, data);
  else
    gomp_amp_call_known_task (fn, data);
}

/* gomp_amp_task_cost, but NULL if too few tasks were sampled.  Relaxed, here
   and below: a value of a moment ago is as good.  */
static inline const struct gomp_amp_task_cost *
gomp_amp_known_cost (void (*fn) (void *), unsigned level)
{
  const struct gomp_amp_task_cost *cost = gomp_amp_task_cost (fn, level);

  if (cost == NULL
      || (__atomic_load_n (&cost->samples, MEMMODEL_RELAXED)
	  < GOMP_AMP_ENOUGH_SAMPLES))
    return NULL;
  return cost;
}

/* Fine-grained tasks take at most this many times GOMP_TASK_QUEUE_NS.  */
#define GOMP_AMP_FINE_TASK 64

/* The longest fine-grained task, in nanoseconds.  */
static inline unsigned long
gomp_amp_fine_ns (void)
{
  return GOMP_AMP_FINE_TASK * gomp_amp_options.task_queue_ns;
}

/* Whether the tasks of COST usually take less than NS nanoseconds, including
   the tasks that they create and wait for.  */
static inline bool
gomp_amp_tasks_usually (const struct gomp_amp_task_cost *cost,
			unsigned long ns)
{
  return (cost != NULL
	  && __atomic_load_n (&cost->usual, MEMMODEL_RELAXED) < ns);
}

/* Whether the tasks of COST are known to take less than it costs to queue
   them.  */
static inline bool
gomp_amp_tasks_short (const struct gomp_amp_task_cost *cost)
{
  return (cost != NULL
	  && (__atomic_load_n (&cost->mean, MEMMODEL_RELAXED)
	      < gomp_amp_options.task_queue_ns));
}

/* Whether queueing costs a good part of what the tasks of COST take, without
   the tasks that they create.  In a recursive construct, a task can take as
   long as the program and yet do little itself.  */
static inline bool
gomp_amp_tasks_fine (const struct gomp_amp_task_cost *cost)
{
  return (cost != NULL
	  && (__atomic_load_n (&cost->share, MEMMODEL_RELAXED)
		 / GOMP_AMP_FINE_TASK
	      < gomp_amp_options.task_queue_ns));
}

/* Whether the tasks of COST may be short: nothing shows that they take much
   longer than it costs to queue them.  */
static inline bool
gomp_amp_tasks_maybe_short (const struct gomp_amp_task_cost *cost)
{
  return (gomp_amp_options.task_queue_ns != 0
	  && (cost == NULL
	      || (__atomic_load_n (&cost->mean, MEMMODEL_RELAXED) / 64
		  < gomp_amp_options.task_queue_ns)));
}

#endif /* GOMP_AMP_TASK_COST_H */
