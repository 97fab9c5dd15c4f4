/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How long the tasks of each construct take, by samples, to tell those that are
   shorter than what it costs to queue them.  */

#ifndef GOMP_AMP_TASK_COST_H
#define GOMP_AMP_TASK_COST_H 1

#include <stdbool.h>
#include <stdint.h>
#include "options.h"
#include "task-list.h"
#include "task-tail.h"

#pragma GCC visibility push(hidden)

/* The tasks of a construct on one level of recursion, or those of several
   constructs or levels that share a place.  */
struct gomp_amp_task_cost
{
  /* Which of them were sampled last, as gomp_amp_task_key.  */
  uintptr_t key;
  /* How many of them there were, up to GOMP_AMP_ENOUGH_SAMPLES.  */
  unsigned samples;
  /* Means in nanoseconds, of which samples make up an eighth each: of the time
     from a task's start to its end; and of what of that, without sleep, falls
     to each of the task and those that its thread ran within it.  Longs, as
     every target reads and writes these at once; a longer sample counts as
     their greatest value.  */
  unsigned long mean, share;
  /* The usual time: the same as the mean, but that a sample counts at most as
     some times what it was before.  A few tasks of a tree have most of it
     below them.  */
  unsigned long usual;
} __attribute__ ((aligned (64)));

/* So many samples make a mean.  */
#define GOMP_AMP_ENOUGH_SAMPLES 16

#define GOMP_AMP_TASK_COSTS 256
extern struct gomp_amp_task_cost gomp_amp_task_costs[GOMP_AMP_TASK_COSTS];

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

/* Call FN with DATA, and take the time if little is known of the task's kind
   or a sample is due.  */
extern void gomp_amp_call_own_task (void (*fn) (void *), void *data);

#pragma GCC visibility pop

/* Tasks that run FN and have LEVEL explicit tasks above them; levels from 31 on
   count as one.  */
static inline uintptr_t
gomp_amp_task_key (void (*fn) (void *), unsigned level)
{
  return (uintptr_t) fn * 32 + (level < 31 ? level : 31);
}

static inline struct gomp_amp_task_cost *
gomp_amp_task_cost (uintptr_t key)
{
  /* Functions begin at multiples of 16.  */
  return &gomp_amp_task_costs[(key / 512 + key * 37) % GOMP_AMP_TASK_COSTS];
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

/* What is known of the tasks that run FN on LEVEL; NULL if too few were
   sampled.  Here and below relaxed: a guess of a moment ago, or of another
   construct, is as good.  */
static inline const struct gomp_amp_task_cost *
gomp_amp_known_cost (void (*fn) (void *), unsigned level)
{
  uintptr_t key = gomp_amp_task_key (fn, level);
  const struct gomp_amp_task_cost *cost = gomp_amp_task_cost (key);

  if (__atomic_load_n (&cost->key, MEMMODEL_RELAXED) != key
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
