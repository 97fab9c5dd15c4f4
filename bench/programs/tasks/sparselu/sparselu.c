/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LU decomposition, without pivoting, of a sparse matrix of dense blocks, of which some are absent
   and some of these appear as fill-in: a task for each operation on a block, ordered by nothing but
   dependences on the blocks; or two loops a step with barriers between.

   Source: Duran et al., "Barcelona OpenMP Tasks Suite", ICPP 2009 (SparseLU).

   Verified by L (U x) = A x for random vectors, to 1e-14 times the rows and the largest element of
   A x, and against a serial decomposition row by row, to the bit: a block sees the same operations
   in the same order in both.  */

#include "sparselu.h"

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  SEED = 2012,
  VECTORS = 3
};


/* Create all tasks, in the order of the steps, which is the one that the dependences keep for every
   block.  */
static void
create_tasks (const struct matrix *a, const struct plan *p)
{
  long rows = a->rows;
  for (long k = 0; k < p->count; k++)
    {
      const struct step *s = &p->step[k];
      double *diagonal = block_at (a, k, k);
#pragma omp task default(none) firstprivate(diagonal, rows) depend(inout : *diagonal)
      factor_diagonal (diagonal, rows);
      for (long j = 0; j < s->right; j++)
	{
	  double *x = block_at (a, k, s->column[j]);
#pragma omp task default(none) firstprivate(diagonal, x, rows) \
  depend(in : *diagonal) depend(inout : *x)
	  factor_right (diagonal, x, rows);
	}
      for (long i = 0; i < s->below; i++)
	{
	  double *x = block_at (a, s->row[i], k);
#pragma omp task default(none) firstprivate(diagonal, x, rows) \
  depend(in : *diagonal) depend(inout : *x)
	  factor_below (diagonal, x, rows);
	}
      for (long i = 0; i < s->below; i++)
	for (long j = 0; j < s->right; j++)
	  {
	    double *left = block_at (a, s->row[i], k), *top = block_at (a, k, s->column[j]);
	    double *x = block_at (a, s->row[i], s->column[j]);
#pragma omp task default(none) firstprivate(left, top, x, rows) \
  depend(in : *left, *top) depend(inout : *x)
	    update (left, top, x, rows);
	  }
    }
}

static void
decompose_by_tasks (const struct matrix *a, const struct plan *p)
{
#pragma omp parallel default(none) firstprivate(a, p)
#pragma omp single
  create_tasks (a, p);
}

static void
decompose_by_loops (const struct matrix *a, const struct plan *p)
{
  long rows = a->rows;
#pragma omp parallel default(none) firstprivate(a, p, rows)
  for (long k = 0; k < p->count; k++)
    {
      const struct step *s = &p->step[k];
      const double *diagonal = block_at (a, k, k);
#pragma omp single
      factor_diagonal (block_at (a, k, k), rows);
#pragma omp for
      for (long b = 0; b < s->right + s->below; b++)
	if (b < s->right)
	  factor_right (diagonal, block_at (a, k, s->column[b]), rows);
	else
	  factor_below (diagonal, block_at (a, s->row[b - s->right], k), rows);
#pragma omp for collapse(2)
      for (long i = 0; i < s->below; i++)
	for (long j = 0; j < s->right; j++)
	  update (block_at (a, s->row[i], k), block_at (a, k, s->column[j]),
		  block_at (a, s->row[i], s->column[j]), rows);
    }
}

/* The same serially, by rows, each block from its first to its last operation before the next.  */
static void
decompose_by_rows (const struct matrix *a)
{
  for (long i = 0; i < a->count; i++)
    for (long j = 0; j < a->count; j++)
      {
	double *x = block_at (a, i, j);
	if (x == NULL)
	  continue;
	for (long k = 0; k < i && k < j; k++)
	  if (block_at (a, i, k) != NULL && block_at (a, k, j) != NULL)
	    update (block_at (a, i, k), block_at (a, k, j), x, a->rows);
	if (i == j)
	  factor_diagonal (x, a->rows);
	else if (i < j)
	  factor_right (block_at (a, i, i), x, a->rows);
	else
	  factor_below (block_at (a, j, j), x, a->rows);
      }
}

static int
same_bits (const struct matrix *a, const struct matrix *b)
{
  size_t bytes = a->rows * a->rows * sizeof (double);
  for (long i = 0; i < a->count * a->count; i++)
    if (a->block[i] != NULL && memcmp (a->block[i], b->block[i], bytes) != 0)
      return 0;
  return 1;
}

/* The part of a block that a product with a vector uses.  */
enum triangle
{
  ALL,
  /* The diagonal included.  */
  UPPER,
  /* Without the diagonal.  */
  LOWER
};

/* Add to Y the product of a part of matrix A, by blocks and within diagonal blocks, and X.  */
static void
add_product (const struct matrix *a, enum triangle part, const double *x, double *y)
{
  long rows = a->rows;
  for (long i = 0; i < a->count * rows; i++)
    for (long block = 0; block < a->count; block++)
      {
	const double *elements = block_at (a, i / rows, block);
	if (elements == NULL)
	  continue;
	for (long c = 0; c < rows; c++)
	  {
	    long j = block * rows + c;
	    if (part == ALL || (part == UPPER ? j >= i : j < i))
	      y[i] += elements[i % rows * rows + c] * x[j];
	  }
      }
}

/* Whether the factors in FACTORS, multiplied, are matrix A.  */
static int
product_agrees (const struct matrix *a, const struct matrix *factors)
{
  long size = a->count * a->rows;
  double *x = bench_allocate (4 * size, sizeof *x);
  double *a_x = x + size, *u_x = a_x + size, *lu_x = u_x + size;
  int agree = 1;
  for (int v = 0; v < VECTORS; v++)
    {
      for (long i = 0; i < size; i++)
	{
	  x[i] = 2 * bench_uniform (SEED, v * size + i) - 1;
	  a_x[i] = u_x[i] = 0;
	}
      add_product (a, ALL, x, a_x);
      add_product (factors, UPPER, x, u_x);
      memcpy (lu_x, u_x, size * sizeof *lu_x);
      add_product (factors, LOWER, u_x, lu_x);

      double largest = 0;
      for (long i = 0; i < size; i++)
	largest = fmax (largest, fabs (a_x[i]));
      for (long i = 0; i < size; i++)
	agree &= fabs (lu_x[i] - a_x[i]) <= 1e-14 * size * largest;
    }
  free (x);
  return agree;
}

/* How many operations on blocks the plan has, and how many blocks are fill-in.  */
static void
count_plan (const struct plan *p, long *operations, long *fill)
{
  *operations = *fill = 0;
  for (long k = 0; k < p->count; k++)
    *operations += (p->step[k].below + 1) * (p->step[k].right + 1);
  for (long i = 0; i < p->count * p->count; i++)
    *fill += p->filled[i] - p->given[i];
}

int
main (int argc, char **argv)
{
  long size = 40, block = 72, density = 10, with = BENCH_TASKS;
  bench_options (argc, argv, "Decompose a sparse matrix of blocks into triangular ones.",
      { "size", &size, 1, 500, "blocks in a row of the matrix", NULL },
      { "block", &block, 1, 1000, "rows of a block", NULL },
      { "density", &density, 0, 100, "blocks there at first, percent", NULL },
      { "with", &with, 0, 0, "what the work is shared out by", bench_ways });

  struct plan plan;
  struct matrix original, a, reference;
  plan_make (&plan, size, density);
  matrix_make (&original, &plan, plan.given, block);
  matrix_make (&a, &plan, plan.filled, block);
  matrix_make (&reference, &plan, plan.filled, block);

  bench_start ();
  if (with == BENCH_TASKS)
    decompose_by_tasks (&a, &plan);
  else
    decompose_by_loops (&a, &plan);
  bench_stop ();

  decompose_by_rows (&reference);
  bench_verify (same_bits (&a, &reference) && product_agrees (&original, &a));
  long operations, fill;
  count_plan (&plan, &operations, &fill);
  char extra[64];
  snprintf (extra, sizeof extra, "operations=%ld fill=%ld", operations, fill);
  return bench_result (extra);
}
