/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What OpenMP's constructs cost, but for loops (routecost) and queued tasks (taskcost): the time
   that they take beyond that of the delays in them, as one thread has run these just before; median
   and standard deviation over samples, in nanoseconds.

   After EPCC's microbenchmarks: Bull, "Measuring synchronisation and scheduling overheads in
   OpenMP", EWOMP 1999.  Verified by the number of delays that every run counted.  */

#include "epcc.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A construct, or rather what it costs.  */
struct construct
{
  const char *name;
  epcc_runner *run;
  /* Whether there is a delay in every repetition in all, or in each thread.  */
  enum { TOGETHER, EACH_THREAD } who;
  const char *meaning;
};

static const struct construct constructs[] = {
  { "parallel", epcc_parallel, EACH_THREAD, "a parallel region" },
  { "reduction", epcc_reduction, EACH_THREAD, "a parallel region with a reduction" },
  { "barrier", epcc_barrier, EACH_THREAD, "a barrier" },
  { "single", epcc_single, TOGETHER, "a single region, with its barrier" },
  { "critical", epcc_critical, TOGETHER, "a critical section, all threads at it" },
  { "taskwait", epcc_taskwait, EACH_THREAD, "a task and a taskwait in each thread" },
  { "taskgroup", epcc_taskgroup, EACH_THREAD, "a task in a taskgroup in each thread" },
};

enum
{
  CONSTRUCTS = sizeof constructs / sizeof constructs[0],
  /* Room in the result line for a construct's name and figure.  */
  FIELD = 40,
  CALIBRATIONS = 5
};

/* What the samples of a construct came to.  */
struct statistics
{
  double median, deviation;
};

void __attribute__ ((noipa))
epcc_delay (long turns)
{
  unsigned long x = turns;
  for (long i = 0; i < turns; i++)
    {
      x = x * 3 + 1;
      __asm__ volatile ("" : "+r"(x));
    }
}

/* The turns that take NS nanoseconds, by the fastest of some attempts.  */
static long
turns_for (long ns)
{
  const double enough = 1e-3;
  long turns = 1000;
  double fastest = 0;
  for (; fastest < enough; turns *= 2)
    for (int i = 0; i < CALIBRATIONS; i++)
      {
	double start = bench_now ();
	epcc_delay (turns);
	double seconds = bench_now () - start;
	fastest = i == 0 ? seconds : fmin (fastest, seconds);
      }
  return lrint (1e-9 * ns * (turns / 2) / fastest);
}

/* The delays alone, by one thread.  */
static void
reference (struct epcc_load *load)
{
  for (long r = 0; r < load->repetitions; r++)
    epcc_work (load);
}

/* The seconds that RUN takes.  Clears *VERIFIED unless it counts as many delays as EXPECTED.  */
static double
seconds_of (epcc_runner *run, struct epcc_load *load, long expected, int *verified)
{
  load->shared = 0;
  memset (load->tallies, 0, load->threads * sizeof *load->tallies);

  double start = bench_now ();
  run (load);
  double seconds = bench_now () - start;

  long delays = load->shared + bench_sum (load->tallies);
  if (delays != expected)
    {
      *verified = 0;
      printf ("%ld delays instead of %ld were counted\n", delays, expected);
    }
  return seconds;
}

/* One sample of C's cost, in nanoseconds.  Adds the time of C itself to *SECONDS.  */
static double
sample (const struct construct *c, struct epcc_load *load, double *seconds, int *verified)
{
  long delays = load->repetitions * (c->who == EACH_THREAD ? load->threads : 1);
  double own = seconds_of (reference, load, load->repetitions, verified);
  double taken = seconds_of (c->run, load, delays, verified);
  *seconds += taken;
  return 1e9 * (taken - own) / load->repetitions;
}

/* The median and standard deviation of the COUNT numbers in X, which it sorts.  */
static struct statistics
statistics_of (double *x, long count)
{
  double mean = 0, squares = 0;
  for (long i = 0; i < count; i++)
    mean += x[i] / count;
  for (long i = 0; i < count; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  return (struct statistics){ .median = bench_median (x, count),
			      .deviation = count > 1 ? sqrt (squares / (count - 1)) : 0 };
}

int
main (int argc, char **argv)
{
  const char *names[CONSTRUCTS + 2] = { "all" };
  for (int i = 0; i < CONSTRUCTS; i++)
    names[i + 1] = constructs[i].name;

  struct epcc_load load = { .threads = omp_get_max_threads (), .repetitions = 1000 };
  long what = 0, samples = 20, delay_ns = 100;
  bench_options (argc, argv, "Measure what OpenMP's constructs cost.",
      { "what", &what, 0, 0, "the construct to measure", names },
      { "samples", &samples, 1, 100000, "samples of each, after one that is dropped", NULL },
      { "repetitions", &load.repetitions, 1, 1000000, "delays a sample, in each thread", NULL },
      { "delay-ns", &delay_ns, 0, 1000000, "nanoseconds of work in a construct", NULL });

  load.tallies = bench_tallies ();
  double *costs = bench_allocate (samples, sizeof *costs);
  load.turns = turns_for (delay_ns);

  int verified = 1;
  double seconds = 0;
  char extra[CONSTRUCTS * FIELD] = "";
  int used = 0;
  printf ("%-12s %12s %12s\n", "", "median, ns", "deviation");
  for (int i = 0; i < CONSTRUCTS; i++)
    if (what == 0 || what == i + 1)
      {
	double dropped = 0;
	sample (&constructs[i], &load, &dropped, &verified);
	for (long s = 0; s < samples; s++)
	  costs[s] = sample (&constructs[i], &load, &seconds, &verified);
	struct statistics found = statistics_of (costs, samples);
	printf ("%-12s %12.1f %12.1f  %s\n", constructs[i].name, found.median, found.deviation,
		constructs[i].meaning);
	used += snprintf (extra + used, sizeof extra - used, "%s%s-ns=%.1f", used > 0 ? " " : "",
			  constructs[i].name, found.median);
      }
  return bench_print_result (seconds, verified, extra);
}
