/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blackscholes after PARSEC's: prices European options by the closed formula, over and over, by a
   loop a time, or by tasks, which need no barrier between one time and the next.

   Sources: Black and Scholes, "The Pricing of Options and Corporate Liabilities", 1973; the normal
   distribution by the polynomial 26.2.17 of Abramowitz and Stegun; the shape of the program: Bienia
   et al., "The PARSEC Benchmark Suite", PACT 2008, section 3; that of the tasks: Chasapis et al.,
   "PARSECSs: Evaluating the Impact of Task Parallelism in the PARSEC Benchmark Suite", ACM TACO
   2016.

   Verified by the same prices with libm's erfc, computed serially, within the polynomial's error,
   and by the parity of every call and its put.  */

#include "bench.h"

#include <math.h>

enum
{
  SEED = 1973,
  /* Random numbers of an option.  */
  DRAWS = 5
};

struct option
{
  double spot, strike, rate, volatility, years;
  int put;
};

/* Options I and I + COUNT / 2 are a call and a put of the same terms.  */
static void
make_options (struct option *options, long count)
{
  long pairs = count / 2;
  for (long i = 0; i < pairs; i++)
    {
      double u[DRAWS];
      for (int d = 0; d < DRAWS; d++)
	u[d] = bench_uniform (SEED, DRAWS * (uint64_t) i + d);
      options[i] = (struct option){ .spot = 20 + 100 * u[0],
				    .strike = 20 + 100 * u[1],
				    .rate = 0.02 + 0.08 * u[2],
				    .volatility = 0.1 + 0.5 * u[3],
				    .years = 0.1 + 0.9 * u[4] };
      options[pairs + i] = options[i];
      options[pairs + i].put = 1;
    }
}

/* The probability that a normal variable is at most X, with an error of up to 7.5e-8.  */
static double
normal (double x)
{
  static const double inverse_root_2pi = 0.39894228040143267794;
  static const double b[] = { 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429 };
  double t = 1 / (1 + 0.2316419 * fabs (x));
  double sum = 0;
  for (int i = 4; i >= 0; i--)
    sum = (sum + b[i]) * t;
  double tail = inverse_root_2pi * exp (-0.5 * x * x) * sum;
  return x < 0 ? tail : 1 - tail;
}

/* Inline, so that the loop is the same code as without the tasks beside it.  */
static inline double
price_of (const struct option *o)
{
  double spread = o->volatility * sqrt (o->years);
  double drift = (o->rate + 0.5 * o->volatility * o->volatility) * o->years;
  double d1 = (log (o->spot / o->strike) + drift) / spread;
  double d2 = d1 - spread;
  double discounted = o->strike * exp (-o->rate * o->years);
  if (o->put)
    return discounted * (1 - normal (d2)) - o->spot * (1 - normal (d1));
  return o->spot * normal (d1) - discounted * normal (d2);
}

/* Add the prices of all options to TOTAL.  */
static void
price_all (const struct option *options, double *total, long count)
{
#pragma omp parallel for
  for (long i = 0; i < count; i++)
    total[i] += price_of (&options[i]);
}

/* The same REPEATS times, by tasks of GRAIN options each.  A task waits for the one that had the
   same options the time before, and for no other.  */
static void
price_by_tasks (const struct option *options, double *total, long count, long repeats, long grain)
{
#pragma omp parallel default(none) firstprivate(options, total, count, repeats, grain)
#pragma omp single
  for (long r = 0; r < repeats; r++)
    for (long first = 0; first < count; first += grain)
      {
	long last = count - first < grain ? count : first + grain;
#pragma omp task default(none) firstprivate(options, total, first, last) \
  depend(inout : total[first])
	for (long i = first; i < last; i++)
	  total[i] += price_of (&options[i]);
      }
}

/* The price of O, by the exact distribution and from the value's definition as an expectation.  */
static double
reference_price (const struct option *o)
{
  double sign = o->put ? -1 : 1;
  double variance = o->volatility * o->volatility * o->years;
  double log_mean = log (o->spot) + o->rate * o->years - variance / 2;
  double d2 = (log_mean - log (o->strike)) / sqrt (variance);
  double exercised = 0.5 * erfc (-sign * d2 * sqrt (0.5));
  double received = 0.5 * erfc (-sign * (d2 + sqrt (variance)) * sqrt (0.5));
  return sign * (o->spot * received - o->strike * exp (-o->rate * o->years) * exercised);
}

static int
verify (const struct option *options, const double *total, long count, long repeats)
{
  long pairs = count / 2;
  for (long i = 0; i < count; i++)
    {
      const struct option *o = &options[i];
      double price = total[i] / repeats;
      if (!(fabs (price - reference_price (o)) <= 1e-7 * (o->spot + o->strike)))
	return 0;
      if (i >= pairs)
	{
	  double parity = o->spot - o->strike * exp (-o->rate * o->years);
	  if (!(fabs (total[i - pairs] / repeats - price - parity)
		<= 1e-10 * (o->spot + o->strike)))
	    return 0;
	}
    }
  return 1;
}

int
main (int argc, char **argv)
{
  long size = 32768, repeats = 200, grain = 2048, with = BENCH_LOOPS;
  bench_options (argc, argv, "Price European options by the formula of Black and Scholes.",
      { "size", &size, 1, 1L << 26, "terms, each of a call and a put", NULL },
      { "repeats", &repeats, 1, 1000000, "times that all are priced", NULL },
      { "with", &with, 0, 0, "what shares the work out", bench_ways },
      { "grain", &grain, 1, 1L << 27, "options of a task", NULL });

  long count = 2 * size;
  struct option *priced = bench_allocate (count, sizeof *priced);
  /* Sums over the repeats, so that a price left out of one of them shows.  */
  double *total = bench_allocate (count, sizeof *total);
  make_options (priced, count);

  bench_start ();
  if (with == BENCH_TASKS)
    price_by_tasks (priced, total, count, repeats, grain);
  else
    for (long r = 0; r < repeats; r++)
      price_all (priced, total, count);
  bench_stop ();

  bench_verify (verify (priced, total, count, repeats));
  return bench_result (NULL);
}
