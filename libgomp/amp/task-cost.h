/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How long the tasks of each construct take, by samples, to tell those that are
   shorter than what it costs to queue them.  */

#ifndef GOMP_AMP_TASK_COST_H
#define GOMP_AMP_TASK_COST_H 1

#include <stdbool.h>
#include <stdint.h>
#include "options.h"
#include "sites.h"
#include "task-list.h"
#include "task-tail.h"

#pragma GCC visibility push(hidden)

/* The tasks of a construct on one level of recursion.  A cache line of its own:
   others read and write the next levels.  */
struct gomp_amp_task_cost
{
  /* How many of them were sampled, up to GOMP_AMP_ENOUGH_SAMPLES.  */
  unsigned samples;
  /* Means in nanoseconds, of which each sample makes up an eighth.  MEAN is of
     the time from a task's start to its end.  SHARE is of the part of that,
     without sleep, that falls to each of the task and those that its thread ran
     within it.  Longs, as every target reads and writes these at once; a longer
     sample counts as their greatest value.  */
  unsigned long mean, share;
  /* The usual time: the same as the mean, but a sample counts at most as some
     times what it was before.  A few tasks of a tree have most of it below
     them.  */
  unsigned long usual;
} __attribute__ ((aligned (64)));

/* Levels from the last one on count as one.  */
#define GOMP_AMP_TASK_LEVELS 32

/* The record of a construct's site, which is known by the function that its
   tasks run.  */
struct gomp_amp_task_costs
{
  struct gomp_amp_task_cost level[GOMP_AMP_TASK_LEVELS];
};

/* So many samples make a mean.  */
#define GOMP_AMP_ENOUGH_SAMPLES 16

/* What the calling thread keeps for samples.  */
struct gomp_amp_task_clock
{
  /* How many tasks it runs before the next sample.  */
  unsigned until_sample;
  /* How many it has begun, and how long it has slept waiting for tasks.  */
  unsigned begun;
  unsigned long long slept;
};
extern __thread struct gomp_amp_task_clock gomp_amp_task_clock;

/* Whether any option says that tasks are not to be upstream's alone.  Set once,
   before there are any.  */
extern bool gomp_amp_own_tasks;

/* Call FN with DATA, and take the time if little is known of the task's kind or
   a sample is due.  */
extern void gomp_amp_call_own_task (void (*fn) (void *), void *data);

#pragma GCC visibility pop

/* The tasks that run FN and have LEVEL explicit tasks above them; NULL if none
   was sampled yet.  */
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

static inline bool
gomp_amp_tasks_p (void)
{
  return __builtin_expect (gomp_amp_own_tasks, 0);
}

/* Run a task: call its function FN with its DATA.  */
static inline void
gomp_amp_call_task (void (*fn) (void *), void *data)
{
  if (!gomp_amp_tasks_p ())
    fn (data);
  else
    gomp_amp_call_own_task (fn, data);
}

/* The same; NULL if too few were sampled.  Here and below relaxed: what was
   known a moment ago is as good.  */
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

/* Fine-grained tasks take at most so many times GOMP_TASK_QUEUE_NS.  */
#define GOMP_AMP_FINE_TASK 64

/* The same in nanoseconds.  */
static inline unsigned long
gomp_amp_fine_ns (void)
{
  return GOMP_AMP_FINE_TASK * gomp_amp_options.task_queue_ns;
}

/* Whether the tasks that COST is of are usually shorter than NS nanoseconds,
   with what they create and wait for.  */
static inline bool
gomp_amp_tasks_usually (const struct gomp_amp_task_cost *cost,
			unsigned long ns)
{
  return (cost != NULL
	  && __atomic_load_n (&cost->usual, MEMMODEL_RELAXED) < ns);
}

/* Whether they are known to be shorter than what it costs to queue them.  */
static inline bool
gomp_amp_tasks_short (const struct gomp_amp_task_cost *cost)
{
  return (cost != NULL
	  && (__atomic_load_n (&cost->mean, MEMMODEL_RELAXED)
	      < gomp_amp_options.task_queue_ns));
}

/* Whether the cost of queueing is a good part of what they take, without what
   they create: of a recursive construct a task can take as long as the program
   and yet do little itself.  */
static inline bool
gomp_amp_tasks_fine (const struct gomp_amp_task_cost *cost)
{
  return (cost != NULL
	  && (__atomic_load_n (&cost->share, MEMMODEL_RELAXED)
		 / GOMP_AMP_FINE_TASK
	      < gomp_amp_options.task_queue_ns));
}

/* Whether nothing says that they take much longer than it costs to queue
   them.  */
static inline bool
gomp_amp_tasks_maybe_short (const struct gomp_amp_task_cost *cost)
{
  return (gomp_amp_options.task_queue_ns != 0
	  && (cost == NULL
	      || (__atomic_load_n (&cost->mean, MEMMODEL_RELAXED) / 64
		  < gomp_amp_options.task_queue_ns)));
}

#endif /* GOMP_AMP_TASK_COST_H */
