/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The discrete Fourier transform of complex numbers by halves: a task each for the transforms of
   the even and of the odd ones, and then, by tasks for halves of the halves, sums and differences
   of the two. Transforms and combinations up to a size are serial.

   Sources: Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series",
   Mathematics of Computation 19 (1965); Duran, Teruel, Ferrer, Martorell, Ayguade, "Barcelona
   OpenMP Tasks Suite", ICPP 2009 (FFT, after Cilk's).

   Verified by the definition at some frequencies, and by the sum of all squares, which is that of
   the input times their number (Parseval); to rounding.  */

#include "bench.h"

#include <complex.h>
#include <math.h>

enum
{
  SEED = 1965,
  FREQUENCIES = 8
};

typedef double complex number;

/* What all calls share: e^(-2 pi i k / N) for k < N / 2, and up to which sizes calls are
   serial.  */
struct plan
{
  const number *root;
  long size, cutoff;
};

static void
combine_serially (const struct plan *plan, number *out, long size, long from, long to)
{
  long step = plan->size / size;
  for (long k = from; k < to; k++)
    {
      number odd = plan->root[k * step] * out[k + size / 2], even = out[k];
      out[k] = even + odd;
      out[k + size / 2] = even - odd;
    }
}

static void
combine (const struct plan *plan, number *out, long size, long from, long to)
{
  if (to - from <= plan->cutoff)
    {
      combine_serially (plan, out, size, from, to);
      return;
    }
  long middle = (from + to) / 2;
#pragma omp task default(none) firstprivate(plan, out, size, from, middle)
  combine (plan, out, size, from, middle);
#pragma omp task default(none) firstprivate(plan, out, size, middle, to)
  combine (plan, out, size, middle, to);
#pragma omp taskwait
}

static void
transform_serially (const struct plan *plan, const number *in, long stride, number *out, long size)
{
  if (size == 1)
    {
      out[0] = in[0];
      return;
    }
  transform_serially (plan, in, 2 * stride, out, size / 2);
  transform_serially (plan, in + stride, 2 * stride, out + size / 2, size / 2);
  combine_serially (plan, out, size, 0, size / 2);
}

/* Transform every STRIDE-th of IN to SIZE numbers OUT.  */
static void
transform (const struct plan *plan, const number *in, long stride, number *out, long size)
{
  if (size <= plan->cutoff)
    {
      transform_serially (plan, in, stride, out, size);
      return;
    }
#pragma omp task default(none) firstprivate(plan, in, stride, out, size)
  transform (plan, in, 2 * stride, out, size / 2);
#pragma omp task default(none) firstprivate(plan, in, stride, out, size)
  transform (plan, in + stride, 2 * stride, out + size / 2, size / 2);
#pragma omp taskwait
  combine (plan, out, size, 0, size / 2);
}

static void
transform_in_parallel (const struct plan *plan, const number *in, number *out)
{
#pragma omp parallel default(none) firstprivate(plan, in, out)
#pragma omp single
  transform (plan, in, 1, out, plan->size);
}

static int
verify (const struct plan *plan, const number *in, const number *out)
{
  long size = plan->size;
  double before = 0, after = 0;
  for (long i = 0; i < size; i++)
    {
      before += creal (in[i] * conj (in[i]));
      after += creal (out[i] * conj (out[i]));
    }
  /* Also true if one of them is no number.  */
  if (!(fabs (after - before * size) <= 1e-9 * after))
    return 0;
  for (long f = 0; f < FREQUENCIES; f++)
    {
      long k = bench_random (SEED + 1, f) % size;
      number sum = 0;
      for (long i = 0; i < size; i++)
	sum += in[i] * cexp (-2 * M_PI * I * (double) (i * k % size) / size);
      if (!(cabs (sum - out[k]) <= 1e-9 * sqrt (after)))
	return 0;
    }
  return 1;
}

int
main (int argc, char **argv)
{
  long log2n = 17, cutoff = 128, repeats = 4;
  bench_options (argc, argv, "Transform complex numbers after Fourier by tasks.",
      { "log2n", &log2n, 1, 30, "logarithm of the number of values", NULL },
      { "cutoff", &cutoff, 1, 1L << 30, "up to which size calls are serial", NULL },
      { "repeats", &repeats, 1, 1000000, "times that they are transformed", NULL });

  long size = 1L << log2n;
  number *in = bench_allocate (size, sizeof *in), *out = bench_allocate (size, sizeof *out);
  number *root = bench_allocate (size / 2, sizeof *root);
  for (long i = 0; i < size; i++)
    in[i] = bench_uniform (SEED, 2 * i) - 0.5 + (bench_uniform (SEED, 2 * i + 1) - 0.5) * I;
  for (long k = 0; k < size / 2; k++)
    root[k] = cexp (-2 * M_PI * I * (double) k / size);
  struct plan plan = { root, size, cutoff };

  bench_start ();
  for (long r = 0; r < repeats; r++)
    transform_in_parallel (&plan, in, out);
  bench_stop ();
  bench_verify (verify (&plan, in, out));
  return bench_result (NULL);
}
