/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs to create a task and to run it: one thread, or all, create tasks of a given length,
   and all run them at the barrier that follows.

   Verified by what the tasks count.  */

#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum creators
{
  ONE,
  ALL
};
static const char *const creator_words[] = { "one", "all", NULL };

enum order
{
  FREE,
  CHAIN
};
static const char *const order_words[] = { "free", "chain", NULL };

/* The tasks that a thread ran, on a cache line of its own.  */
struct tally
{
  _Alignas (64) long tasks;
};

struct load
{
  long tasks, turns, order;
  struct tally *tallies;
};

static inline void
run_task (const struct load *load)
{
  for (long t = 0; t < load->turns; t++)
    __asm__ volatile("" ::: "memory");
  load->tallies[omp_get_thread_num ()].tasks++;
}

static void
create_tasks (const struct load *load, long count)
{
  /* Nothing is stored there, only its address counts.  */
  char link __attribute__ ((unused));
  for (long i = 0; i < count; i++)
    if (load->order == CHAIN)
      {
#pragma omp task default(none) firstprivate(load) depend(inout : link)
	run_task (load);
      }
    else
      {
#pragma omp task default(none) firstprivate(load)
	run_task (load);
      }
}

static void
run_all (const struct load *load, long creators)
{
#pragma omp parallel default(none) firstprivate(load, creators)
  if (creators == ALL)
    create_tasks (load, load->tasks / omp_get_num_threads ());
  else
    {
#pragma omp single
      create_tasks (load, load->tasks);
    }
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

int
main (int argc, char **argv)
{
  struct load load = { .tasks = 100000 };
  long creators = ONE, samples = 9;
  const struct bench_option options[]
    = { { "tasks", &load.tasks, 1, 1L << 32, "tasks created", NULL },
	{ "turns", &load.turns, 0, 1L << 32, "turns of an empty loop in each", NULL },
	{ "creators", &creators, 0, 0, "threads that create tasks", creator_words },
	{ "order", &load.order, 0, 0, "whether each waits for the one before", order_words },
	{ "samples", &samples, 1, 1001, "measurements, of which the median counts", NULL },
	{ 0 } };
  bench_options (argc, argv, "Measure what it costs to create and run a task.", options);

  int threads = omp_get_max_threads ();
  load.tallies = aligned_alloc (_Alignof (struct tally), threads * sizeof *load.tallies);
  double *sample = bench_allocate (samples, sizeof *sample);
  if (load.tallies == NULL)
    abort ();
  for (int t = 0; t < threads; t++)
    load.tallies[t].tasks = 0;

  double total = 0;
  for (long s = 0; s < samples; s++)
    {
      double start = bench_now ();
      run_all (&load, creators);
      sample[s] = bench_now () - start;
      total += sample[s];
    }
  qsort (sample, samples, sizeof *sample, compare);

  /* With all as creators, what does not divide is left out.  */
  long expected = creators == ALL ? load.tasks / threads * threads : load.tasks, done = 0;
  for (int t = 0; t < threads; t++)
    done += load.tallies[t].tasks;
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  char extra[128];
  snprintf (extra, sizeof extra, "ns_per_task=%.1f peak_kib=%ld",
	    1e9 * sample[samples / 2] / (expected > 0 ? expected : 1), usage.ru_maxrss);
  free (sample);
  free (load.tallies);
  return bench_result (total, done == expected * samples, extra);
}
