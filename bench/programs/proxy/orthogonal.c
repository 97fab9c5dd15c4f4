/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors made orthogonal by Gram and Schmidt, twice: one reduction of an array, one of a
   number, and sums of vectors for each of them.

   Source: Giraud, Langou, Rozloznik, "The loss of orthogonality in the Gram-Schmidt
   orthogonalization process", 2005.

   Verified by all products of two vectors, and by those that they were made of, to 1e-12.  */

#include "proxy.h"

#include <math.h>
#include <string.h>

enum
{
  MOST_VECTORS = 64
};

/* Element i of vector k is Q[i * COUNT + k]; FACTOR[k * COUNT + j] is how much of j was in k.  */
struct basis
{
  long n, count;
  double *q, *factor;
};

/* Take out of vector K what is of those before it.  */
static void
project (struct basis *b, long k)
{
  double part[MOST_VECTORS] = { 0 };
#pragma omp parallel for reduction(+ : part)
  for (long i = 0; i < b->n; i++)
    for (long j = 0; j < k; j++)
      part[j] += b->q[i * b->count + j] * b->q[i * b->count + k];

#pragma omp parallel for
  for (long i = 0; i < b->n; i++)
    for (long j = 0; j < k; j++)
      b->q[i * b->count + k] -= part[j] * b->q[i * b->count + j];

  for (long j = 0; j < k; j++)
    b->factor[k * b->count + j] += part[j];
}

static void
normalize (struct basis *b, long k)
{
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < b->n; i++)
    sum += b->q[i * b->count + k] * b->q[i * b->count + k];
  double norm = sqrt (sum);
#pragma omp parallel for
  for (long i = 0; i < b->n; i++)
    b->q[i * b->count + k] /= norm;
  b->factor[k * b->count + k] = norm;
}

static int
right (const struct basis *b, const double *given)
{
  for (long k = 0; k < b->count; k++)
    for (long j = 0; j <= k; j++)
      {
	double product = 0;
	for (long i = 0; i < b->n; i++)
	  product += b->q[i * b->count + j] * b->q[i * b->count + k];
	if (!(fabs (product - (j == k)) < 1e-12))
	  return 0;
      }
  for (long i = 0; i < b->n; i++)
    for (long k = 0; k < b->count; k++)
      {
	double sum = 0;
	for (long j = 0; j <= k; j++)
	  sum += b->factor[k * b->count + j] * b->q[i * b->count + j];
	if (!(fabs (sum - given[i * b->count + k]) < 1e-12))
	  return 0;
      }
  return 1;
}

int
main (int argc, char **argv)
{
  struct basis b = { .n = 10000, .count = 16 };
  long repeats = 8;
  bench_options (argc, argv, "Make vectors orthogonal by Gram-Schmidt.",
      { "size", &b.n, MOST_VECTORS, 1L << 28, "elements of a vector", NULL },
      { "vectors", &b.count, 1, MOST_VECTORS, "vectors", NULL },
      { "repeats", &repeats, 1, 100000, "repetitions", NULL });

  long elements = b.n * b.count;
  double *given = bench_allocate (elements, sizeof *given);
  b.q = bench_allocate (elements, sizeof *b.q);
  for (long r = 0; r < repeats; r++)
    {
      for (long i = 0; i < elements; i++)
	given[i] = bench_uniform (r, i);
      memcpy (b.q, given, elements * sizeof *given);
      b.factor = bench_allocate (b.count * b.count, sizeof *b.factor);
      bench_start ();
      for (long k = 0; k < b.count; k++)
	{
	  project (&b, k);
	  project (&b, k);
	  normalize (&b, k);
	}
      bench_stop ();
      bench_verify (right (&b, given));
    }
  return bench_result (NULL);
}
