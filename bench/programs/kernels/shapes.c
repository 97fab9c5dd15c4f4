/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop whose iterations cost what a distribution says, in calibrated nanoseconds of the fastest
   core: the loop that simulations of schedules are held against.  */

#include "bench.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

/* The generator that both the costs and the spinning are made of: X -> FACTOR * X + TERM, modulo
   2^64 (Knuth's MMIX).  */
#define FACTOR UINT64_C (6364136223846793005)
#define TERM UINT64_C (1442695040888963407)

enum { UNIFORM, RISING, FALLING, EXPONENTIAL, PARETO };

static const char *const shape_names[]
  = { [UNIFORM] = "uniform",	       [RISING] = "rising", [FALLING] = "falling",
      [EXPONENTIAL] = "exponential", [PARETO] = "pareto", NULL };

/* Tail index of the Pareto distribution: its mean is finite, its variance is not.  */
#define PARETO_INDEX 1.5

/* The next number of *STATE's sequence, at least 0 and below 1.  */
static double
uniform_number (uint64_t *state)
{
  *state = *state * FACTOR + TERM;
  return (*state >> 11) * 0x1p-53;
}

/* The cost of an iteration in SHAPE, at the quantile Q between 0 and 1, up to a factor that all
   iterations share.  */
static double
relative_cost (long shape, double q)
{
  switch (shape)
    {
    case RISING:
      return q;
    case FALLING:
      return 1 - q;
    case EXPONENTIAL:
      return -log1p (-q);
    case PARETO:
      return pow (1 - q, -1 / PARETO_INDEX);
    default:
      return 1;
    }
}

/* The costs of N iterations, whose mean is MEAN exactly.  Those of a distribution are its N
   quantiles, in the random order of SEED.  To be freed by the caller.  */
static double *
make_costs (long shape, long n, double mean, long seed)
{
  double *costs = bench_allocate (n, sizeof *costs);
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += costs[i] = relative_cost (shape, (i + 0.5) / n);
  for (long i = 0; i < n; i++)
    costs[i] *= mean * n / sum;
  uint64_t state = (uint64_t) seed;
  if (shape >= EXPONENTIAL)
    for (long i = n - 1; i > 0; i--)
      {
	long other = uniform_number (&state) * (i + 1);
	double cost = costs[i];
	costs[i] = costs[other];
	costs[other] = cost;
      }
  return costs;
}

/* STEPS dependent steps from I: what an iteration does.  */
static uint64_t __attribute__ ((noipa))
spin (uint64_t i, long steps)
{
  uint64_t x = i;
  for (long s = 0; s < steps; s++)
    x = x * FACTOR + TERM;
  return x ^ (x >> 29);
}

/* What spin returns, at the cost of log2 (STEPS).  */
static uint64_t
spin_result (uint64_t i, long steps)
{
  uint64_t factor = FACTOR, term = TERM, x = i;
  for (; steps > 0; steps >>= 1)
    {
      if (steps & 1)
	x = x * factor + term;
      term *= factor + 1;
      factor *= factor;
    }
  return x ^ (x >> 29);
}

/* Nanoseconds a step takes.  The least of several: whatever disturbs a measurement adds to it.  */
static double
calibrate (void)
{
  enum { STEPS = 200000, SAMPLES = 25 };
  double least = HUGE_VAL;
  for (int s = 0; s < SAMPLES; s++)
    {
      double start = bench_now ();
      spin (s, STEPS);
      least = fmin (least, 1e9 * (bench_now () - start) / STEPS);
    }
  return least;
}

/* The seconds that REPEATS loops take, of STEPS each iteration.  Thread N begins N times STAGGER
   steps later.  SUM gets what the steps end with.  */
static double
timed (const long *steps, long iterations, long repeats, long stagger, uint64_t *sum)
{
  uint64_t found = 0;
  double seconds = 0;
  /* The team is made before it is timed.  */
#pragma omp parallel reduction(+ : found)
  found += omp_get_num_threads () < 1;
  for (long r = 0; r < repeats; r++)
    {
      double start = bench_now ();
#pragma omp parallel reduction(+ : found)
      {
	/* Whatever it returns, the compiler cannot know.  */
	if (spin (0, stagger * omp_get_thread_num ()) == 1)
	  found++;
#pragma omp for
	for (long i = 0; i < iterations; i++)
	  found += spin (i, steps[i]);
      }
      seconds += bench_now () - start;
    }
  *sum = found;
  return seconds;
}

int
main (int argc, char **argv)
{
  long shape = UNIFORM, iterations = 2000, mean_ns = 20000, repeats = 1, seed = 1;
  long stagger_ns = 0, print_costs = 0;
  bench_options (argc, argv, "Run a loop whose iterations cost what a distribution says.",
      { "shape", &shape, 0, 0, "how iterations differ in cost", shape_names },
      { "iterations", &iterations, 1, 1L << 32, "iterations of the loop", NULL },
      { "mean-ns", &mean_ns, 1, 1L << 32, "mean cost of an iteration in nanoseconds", NULL },
      { "repeats", &repeats, 1, 1L << 40, "times the loop is run", NULL },
      { "seed", &seed, 1, 1L << 40, "order of the random costs", NULL },
      { "stagger-ns", &stagger_ns, 0, 1L << 32,
        "how long each thread computes before the loop, times its number: who comes first "
        "decides who is given guided's longest blocks", NULL },
      { "print-costs", &print_costs, 0, 1,
        "1: print the iterations' costs in nanoseconds and run nothing", NULL });

  double *costs = make_costs (shape, iterations, mean_ns, seed);
  if (print_costs)
    {
      for (long i = 0; i < iterations; i++)
	printf ("%.3f\n", costs[i]);
      return 0;
    }

  double step_ns = calibrate ();
  long *steps = bench_allocate (iterations, sizeof *steps);
  uint64_t once = 0;
  for (long i = 0; i < iterations; i++)
    {
      steps[i] = lround (costs[i] / step_ns);
      once += spin_result (i, steps[i]);
    }

  uint64_t sum;
  double seconds = timed (steps, iterations, repeats, lround (stagger_ns / step_ns), &sum);

  char extra[96];
  snprintf (extra, sizeof extra, "ns_per_loop=%.1f step_ns=%.4f", 1e9 * seconds / repeats, step_ns);
  return bench_print_result (seconds, sum == once * (uint64_t) repeats, extra);
}
