/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs to create a task and to run it: one thread, or all, create tasks of a given length,
   and all run them at the barrier that follows.

   Verified by what the tasks count.  */

#include "bench.h"

#include <omp.h>
#include <stdio.h>
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

struct load
{
  long tasks, turns, order;
  struct bench_tally *tallies;
};

static inline void
run_task (const struct load *load)
{
  for (long t = 0; t < load->turns; t++)
    __asm__ volatile("" ::: "memory");
  load->tallies[omp_get_thread_num ()].count++;
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

int
main (int argc, char **argv)
{
  struct load load = { .tasks = 100000 };
  long creators = ONE, samples = 9;
  bench_options (argc, argv, "Measure what it costs to create and run a task.",
      { "tasks", &load.tasks, 1, 1L << 32, "tasks created", NULL },
      { "turns", &load.turns, 0, 1L << 32, "turns of an empty loop in each", NULL },
      { "creators", &creators, 0, 0, "threads that create tasks", creator_words },
      { "order", &load.order, 0, 0, "whether each waits for the one before", order_words },
      { "samples", &samples, 1, 1001, "measurements, of which the median counts", NULL });

  int threads = omp_get_max_threads ();
  load.tallies = bench_tallies ();
  double *sample = bench_allocate (samples, sizeof *sample);

  double total = 0;
  for (long s = 0; s < samples; s++)
    {
      double start = bench_now ();
      run_all (&load, creators);
      sample[s] = bench_now () - start;
      total += sample[s];
    }

  /* With all as creators, what does not divide is left out.  */
  long expected = creators == ALL ? load.tasks / threads * threads : load.tasks;
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  char extra[128];
  snprintf (extra, sizeof extra, "ns_per_task=%.1f peak_kib=%ld",
	    1e9 * bench_median (sample, samples) / (expected > 0 ? expected : 1), usage.ru_maxrss);
  return bench_print_result (total, bench_sum (load.tallies) == expected * samples, extra);
}
