/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What routing a loop costs: nanoseconds a loop, for the loops of routecost-loops.inc and every
   number of iterations.

   Compiled twice: as routecost, in which the compiler routes every loop to the run-time library,
   and as routecost-inline, in which a plain compiler turns the same loops into inline static
   code.  */

#include "routecost.h"

#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  /* The longest loop, and an element more, which no loop may touch.  */
  LONGEST = 1000000,
  SIZE = LONGEST + 1,
  /* What starting a loop takes, in iterations; of account only for how many loops a sample has.  */
  START = 500,
  SAMPLES_MAX = 99,
  /* Room for the words of an option.  */
  WORDS_MAX = 16,
  /* Room for the words about a loop, and how many loops there may be words about.  */
  FIELD = 96,
  FIELDS_MAX = 1000,
  UNTOUCHED = -1
};

static const char every[] = "every";

#define ELEMENT(COUNT, ARG) COUNT,
static const long counts[] = { ROUTECOST_COUNTS (ELEMENT, ) };

static int y[SIZE], x[SIZE + 8], where[SIZE];
static float real_y[SIZE], real_x[SIZE];
static const struct data data = { y, x, where, real_y, real_x, 3, 1 };

/* Set up the arrays for a loop over N elements.  */
static void
prepare (enum effect effect, long n)
{
  for (long i = 0; i <= n; i++)
    {
      y[i] = effect == ADDS_C ? 0 : UNTOUCHED;
      real_y[i] = 0;
      real_x[i] = i % 8;
      where[i] = i ^ 5;
    }
  for (long i = 0; i <= n + 7; i++)
    x[i] = i % 8;
  routecost_sum = 0;
}

/* Whether the arrays are what CALLS runs of a loop over N elements make of them.  All sums are
   small enough to be exact.  */
static int
right (enum effect effect, long n, long calls)
{
  long sum = 0;
  for (long i = 0; i < n; i++)
    {
      sum += x[i];
      switch (effect)
	{
	case ADDS_C:
	  if (y[i] != calls * data.c)
	    return 0;
	  break;
	case ADDS_PRODUCT:
	  if (real_y[i] != calls * data.real_c * real_x[i])
	    return 0;
	  break;
	case STORES_INDEX:
	  if (y[i] != i * data.c)
	    return 0;
	  break;
	case STORES_GATHERED:
	  if (y[i] != x[where[i]])
	    return 0;
	  break;
	case SUMS:
	  break;
	}
    }
  return (y[n] == (effect == ADDS_C ? 0 : UNTOUCHED) && real_y[n] == 0
	  && routecost_sum == (effect == SUMS ? calls * sum : 0));
}

/* The length of a row of a plane of N elements that is about as high as it is wide.  */
static long
width_of (long n)
{
  long rows = 1;
  for (long r = 1; r * r <= n; r++)
    if (n % r == 0)
      rows = r;
  return n > 0 ? n / rows : 1;
}

/* Run LOOPS loops in a team, SAMPLES + 1 times; the seconds that each time took but the first one,
   which starts the threads' caches and spin counts, go to SECONDS.  That loops without a barrier
   all add to the same elements is right only if the schedule gives a thread the same ones each
   time.  */
static void
sample_in_team (loop_function *run, long n, long width, long loops, long samples, double *seconds)
{
#pragma omp parallel
  for (long s = -1; s < samples; s++)
    {
#pragma omp barrier
      double start = bench_now ();
      for (long l = 0; l < loops; l++)
	run (&data, n, width);
      /* Ends a sample of loops without barriers; to the others it adds the cost of one.  */
#pragma omp barrier
      if (s >= 0 && omp_get_thread_num () == 0)
	seconds[s] = bench_now () - start;
    }
}

/* The same for loops that have a team of their own.  */
static void
sample_serially (loop_function *run, long n, long width, long loops, long samples, double *seconds)
{
  for (long s = -1; s < samples; s++)
    {
      double start = bench_now ();
      for (long l = 0; l < loops; l++)
	run (&data, n, width);
      if (s >= 0)
	seconds[s] = bench_now () - start;
    }
}

/* What is found of a loop: seconds of all samples, nanoseconds a loop, how often it was run, and
   whether its results are right.  */
struct found
{
  double seconds, ns;
  long calls;
  int verified;
};

static struct found
measure (const struct loop *loop, long n, long work, long samples)
{
  long loops = work / (n + START) > 0 ? work / (n + START) : 1;
  double seconds[SAMPLES_MAX];
  struct found found = { .calls = (samples + 1) * loops };

  prepare (loop->effect, n);
  if (strcmp (loop->form, "parallel") == 0)
    sample_serially (loop->run, n, width_of (n), loops, samples, seconds);
  else
    sample_in_team (loop->run, n, width_of (n), loops, samples, seconds);
  found.verified = right (loop->effect, n, found.calls);
  for (long s = 0; s < samples; s++)
    found.seconds += seconds[s];
  found.ns = 1e9 * bench_median (seconds, samples) / loops;
  return found;
}

/* Add WORD to the null-terminated WORDS unless it is there.  */
static void
add_word (const char **words, const char *word)
{
  int i = 0;
  while (words[i] != NULL && strcmp (words[i], word) != 0)
    i++;
  if (i + 1 == WORDS_MAX)
    abort ();
  words[i] = word;
}

/* Whether WORD is one of those that OPTION stands for.  */
static int
chosen (const char *option, const char *word)
{
  return strcmp (option, every) == 0 || strcmp (option, word) == 0;
}

int
main (int argc, char **argv)
{
  const char *names[WORDS_MAX] = { every }, *forms[WORDS_MAX] = { every };
  for (const struct loop *loop = routecost_loops; loop->name != NULL; loop++)
    {
      add_word (names, loop->name);
      add_word (forms, loop->form);
    }
  long name = 0, form = 0, iterations = -1, work = 1000000, samples = 15;
  bench_options (argc, argv, "Measure what a loop costs, routed or not.",
      { "loop", &name, 0, 0, "what the loop does", names },
      { "form", &form, 0, 0, "in a team, there without a barrier, or with its own team", forms },
      { "iterations", &iterations, -1, LONGEST, "iterations of a loop; -1: from 0 to a million",
        NULL },
      { "work", &work, 0, 4 * LONGEST, "iterations a sample, of which starting a loop takes 500",
        NULL },
      { "samples", &samples, 1, SAMPLES_MAX, "samples, of which the median counts", NULL });

  static char extra[FIELD * FIELDS_MAX];
  size_t used = 0;
  double seconds = 0;
  int verified = 1;
  for (const struct loop *loop = routecost_loops; loop->name != NULL; loop++)
    for (size_t i = 0; i < (iterations < 0 ? sizeof counts / sizeof *counts : 1); i++)
      {
	long n = iterations < 0 ? counts[i] : iterations;
	if (!chosen (names[name], loop->name) || !chosen (forms[form], loop->form)
	    || (loop->only >= 0 && loop->only != n))
	  continue;
	struct found found = measure (loop, n, work, samples);
	verified = found.verified && verified;
	seconds += found.seconds;
	used += snprintf (extra + used, sizeof extra - used,
			  "%sns_%s_%s_%ld=%.2f calls_%s_%s_%ld=%ld",
			  used > 0 ? " " : "", loop->name, loop->form, n, found.ns, loop->name,
			  loop->form, n, found.calls);
      }
  if (used == 0)
    bench_refuse ("--iterations=%ld: no loop called %s has that many", iterations, names[name]);
  return bench_print_result (seconds, verified, extra);
}
