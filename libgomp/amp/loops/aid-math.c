/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Speedup factors, allotments and timed chunks of the AID schedules.

   Each divisor is made non-zero before the division, and no result is infinite:
   a program may have unmasked floating-point exceptions.  */

#include "loops/aid-math.h"
#include "base/assert.h"

/* The slowest class of which TALLY has a thread; CLASSES if there is none.  */

static unsigned
slowest (unsigned classes, const struct gomp_aid_tally *tally)
{
  unsigned c = 0;
  while (c < classes && tally[c].threads == 0)
    c++;
  return c;
}

static double
clamp (double value, double max)
{
  if (value > max)
    return max;
  if (value * max < 1)
    return 1 / max;
  return value;
}

/* VALUE, which is not negative, as an integer no greater than MAX.  */

static unsigned long long
to_count (double value, unsigned long long max)
{
  return value >= (double) max ? max : (unsigned long long) value;
}

/* A measured sum as a divisor.  0 counts as 1: a time that the clock could not
   resolve, or a class that has run nothing.  */

static double
positive (unsigned long long sum)
{
  return sum ? sum : 1;
}

/* The time per iteration of A over that of B.  Both are known.  */

static double
ratio (const struct gomp_aid_tally *a, const struct gomp_aid_tally *b,
       double max)
{
  /* A quotient of two quotients, with one division.  */
  return clamp ((double) a->ns * positive (b->iterations)
		/ (positive (a->iterations) * b->ns), max);
}

void
gomp_aid_speedups (unsigned classes, const struct gomp_aid_tally *tally,
		   double max, double *sf)
{
  unsigned base = slowest (classes, tally);
  GOMP_AMP_ASSERT (max >= 1);
  for (unsigned c = 0; c < classes; c++)
    if (tally[c].threads == 0)
      sf[c] = 0;
    else if (c == base || tally[c].ns == 0 || tally[base].ns == 0)
      sf[c] = 1;
    else
      sf[c] = ratio (&tally[base], &tally[c], max);
}

void
gomp_aid_settle (unsigned long long first_ns, unsigned long long first,
		 unsigned long long *ns, unsigned long long *iterations)
{
  /* Times per iteration, each multiplied by both numbers of iterations.  */
  double before = (double) first_ns * *iterations;
  double after = (double) *ns * first;

  if (after > GOMP_AID_OUTLIER * before)
    {
      *ns = first_ns;
      *iterations = first;
    }
  else if (before <= GOMP_AID_OUTLIER * after)
    {
      *ns += first_ns;
      *iterations += first;
    }
}

void
gomp_aid_shares (unsigned classes, const struct gomp_aid_tally *tally,
		 const double *sf, unsigned long long ni, unsigned percent,
		 unsigned long long *share)
{
  double sum = 0;
  GOMP_AMP_ASSERT (percent <= 100);
  for (unsigned c = 0; c < classes; c++)
    sum += tally[c].threads * sf[c];
  double k = sum > 0 ? (double) ni * percent / (100 * sum) : 0;
  for (unsigned c = 0; c < classes; c++)
    share[c] = tally[c].threads ? to_count (sf[c] * k, ni) : 0;
}

void
gomp_aid_adjust (unsigned classes, const struct gomp_aid_tally *tally,
		 double max, double *r)
{
  unsigned base = slowest (classes, tally);
  GOMP_AMP_ASSERT (max >= 1);
  if (base == classes)
    return;
  for (unsigned c = base + 1; c < classes; c++)
    if (tally[c].threads && tally[c].ns && tally[base].ns)
      r[c] = ratio (&tally[base], &tally[c], max);
}

unsigned long long
gomp_aid_phase (unsigned classes, const struct gomp_aid_tally *tally,
		const double *r, unsigned long long m,
		unsigned long long *share)
{
  unsigned long long all = 0;
  for (unsigned c = 0; c < classes; c++)
    {
      unsigned long long sum;
      share[c] = to_count (r[c] * (double) m + 0.5, ~0ULL);
      if (share[c] == 0)
	share[c] = 1;
      if (__builtin_mul_overflow (share[c], tally[c].threads, &sum)
	  || __builtin_add_overflow (all, sum, &all))
	all = ~0ULL;
    }
  return all;
}

unsigned long long
gomp_aid_major (unsigned classes, const struct gomp_aid_tally *tally,
		const double *r, unsigned long long ni,
		unsigned long long sample_ns)
{
  unsigned base = slowest (classes, tally);
  if (base == classes)
    return 1;

  double sum = 0;
  unsigned threads = 0;
  for (unsigned c = 0; c < classes; c++)
    {
      sum += tally[c].threads * r[c];
      threads += tally[c].threads;
    }
  double time = positive (tally[base].ns) / positive (tally[base].iterations);
  double chunk = gomp_aid_timed_chunk (tally[base].ns, tally[base].iterations,
				       threads);
  double m = 5 * chunk;
  if (m * time < sample_ns)
    m = sample_ns / time;
  if (m * sum * 16 > (double) ni)
    m = (double) ni / (sum * 16);
  return to_count (m < chunk ? chunk : m, ~0ULL);
}

unsigned long long
gomp_aid_time (unsigned long long ns, unsigned long long iterations,
	       unsigned long long max)
{
  GOMP_AMP_ASSERT (ns < 1ULL << 54 && max >= 1);
  unsigned long long time = ns * GOMP_AID_TICK / (iterations ? iterations : 1);
  if (time > max)
    return max;
  return time == 0 && ns != 0 ? 1 : time;
}

unsigned long long
gomp_aid_timed_chunk (unsigned long long ns, unsigned long long iterations,
		      unsigned threads)
{
  unsigned long long work = (unsigned long long) GOMP_AID_REMOVAL_NS
			    * GOMP_AID_REMOVAL_SHARE;
  unsigned long long others = (unsigned long long) GOMP_AID_POOL_NS
			      * GOMP_AID_POOL_SHARE * threads;
  unsigned long long product;
  if (work < others)
    work = others;
  if (ns == 0)
    return iterations ? iterations : 1;
  if (__builtin_mul_overflow (iterations, work, &product)
      || __builtin_add_overflow (product, ns - 1, &product))
    return iterations;
  product /= ns;
  return product ? product : 1;
}
