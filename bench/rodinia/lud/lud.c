/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LU decomposition of a dense matrix in place, by blocks and without pivoting: in each step one
   diagonal block serially, then a loop over the blocks beside and below it and one over all that
   remain, so that loops shrink from step to step.

   Source: Che et al., "Rodinia: A Benchmark Suite for Heterogeneous Computing", IISWC 2009 (LUD),
   with its blocks of 16 rows.

   Verified by a serial decomposition without blocks, element by element, to 4e-7 times the
   rows: what rounding adds up to in as many random steps, at the size of the diagonal.  */

#include "bench.h"

#include <math.h>
#include <string.h>

enum
{
  /* Rows and columns of a block.  */
  BLOCK = 16,
  SEED = 14
};

typedef float block[BLOCK][BLOCK];

/* A matrix of SIZE rows, filled up to whole blocks by rows and columns of the unit matrix,
   which its factors have likewise.  */
struct matrix
{
  long size, rows;
  float *element;
};

static void
allocate (struct matrix *a, long size)
{
  a->size = size;
  a->rows = (size + BLOCK - 1) / BLOCK * BLOCK;
  a->element = bench_allocate (a->rows * a->rows, sizeof *a->element);
}

/* Random elements from -1 to 1, and a diagonal that outweighs their spectral radius, so that every
   pivot is large, yet each block's update far above rounding.  */
static void
fill (struct matrix *a)
{
  double diagonal = 2 * sqrt (a->size);
  for (long i = 0; i < a->rows; i++)
    for (long j = 0; j < a->rows; j++)
      {
	double value = i == j;
	if (i < a->size && j < a->size)
	  value = i == j ? diagonal : 2 * bench_uniform (SEED, i * a->size + j) - 1;
	a->element[i * a->rows + j] = value;
      }
}

static float *
block_at (const struct matrix *a, long row, long column)
{
  return a->element + (row * a->rows + column) * BLOCK;
}

static void
load (const struct matrix *a, long row, long column, block to)
{
  for (int i = 0; i < BLOCK; i++)
    memcpy (to[i], block_at (a, row, column) + i * a->rows, sizeof to[i]);
}

static void
store (const struct matrix *a, long row, long column, block from)
{
  for (int i = 0; i < BLOCK; i++)
    memcpy (block_at (a, row, column) + i * a->rows, from[i], sizeof from[i]);
}

/* Split the diagonal block of a step into its triangular factors.  */
static void
factor_diagonal (const struct matrix *a, long step)
{
  block d;
  load (a, step, step, d);
  for (int k = 0; k < BLOCK; k++)
    for (int i = k + 1; i < BLOCK; i++)
      {
	d[i][k] /= d[k][k];
	for (int j = k + 1; j < BLOCK; j++)
	  d[i][j] -= d[i][k] * d[k][j];
      }
  store (a, step, step, d);
}

/* A block beside the diagonal one: solve L X = block.  */
static void
factor_row (const struct matrix *a, long step, long column)
{
  block d, x;
  load (a, step, step, d);
  load (a, step, column, x);
  for (int i = 1; i < BLOCK; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; j < BLOCK; j++)
	x[i][j] -= d[i][k] * x[k][j];
  store (a, step, column, x);
}

/* A block below the diagonal one: solve X U = block.  */
static void
factor_column (const struct matrix *a, long step, long row)
{
  block d, x;
  load (a, step, step, d);
  load (a, row, step, x);
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < BLOCK; k++)
      {
	x[i][k] /= d[k][k];
	for (int j = k + 1; j < BLOCK; j++)
	  x[i][j] -= x[i][k] * d[k][j];
      }
  store (a, row, step, x);
}

/* Any other block: subtract the product of the step's block in its row and that in its column.  */
static void
update (const struct matrix *a, long step, long row, long column)
{
  block left, top, x;
  load (a, row, step, left);
  load (a, step, column, top);
  load (a, row, column, x);
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < BLOCK; k++)
      for (int j = 0; j < BLOCK; j++)
	x[i][j] -= left[i][k] * top[k][j];
  store (a, row, column, x);
}

static void
decompose (const struct matrix *a)
{
  long blocks = a->rows / BLOCK;
  for (long step = 0; step < blocks; step++)
    {
      factor_diagonal (a, step);
#pragma omp parallel
      {
#pragma omp for
	for (long i = step + 1; i < blocks; i++)
	  {
	    factor_row (a, step, i);
	    factor_column (a, step, i);
	  }
#pragma omp for collapse(2)
	for (long row = step + 1; row < blocks; row++)
	  for (long column = step + 1; column < blocks; column++)
	    update (a, step, row, column);
      }
    }
}

/* The same by Gaussian elimination, a column at a time.  */
static void
eliminate (const struct matrix *a)
{
  for (long k = 0; k < a->size; k++)
    for (long i = k + 1; i < a->size; i++)
      {
	const float *pivot = a->element + k * a->rows;
	float *row = a->element + i * a->rows;
	row[k] /= pivot[k];
	for (long j = k + 1; j < a->size; j++)
	  row[j] -= row[k] * pivot[j];
      }
}

static int
close_enough (const struct matrix *a, const struct matrix *b)
{
  double tolerance = 4e-7 * a->size;
  for (long i = 0; i < a->rows * a->rows; i++)
    if (!(fabs (a->element[i] - b->element[i]) <= tolerance))
      return 0;
  return 1;
}

int
main (int argc, char **argv)
{
  long size = 1280, repeats = 1;
  bench_options (argc, argv, "Decompose a dense matrix into triangular ones.",
      { "size", &size, 1, 20000, "rows of the matrix", NULL },
      { "repeats", &repeats, 1, 100000, "matrices decomposed", NULL });

  struct matrix original, a, reference;
  allocate (&original, size);
  allocate (&a, size);
  allocate (&reference, size);
  fill (&original);
  fill (&reference);

  for (long r = 0; r < repeats; r++)
    {
      memcpy (a.element, original.element, a.rows * a.rows * sizeof *a.element);
      bench_start ();
      decompose (&a);
      bench_stop ();
    }
  eliminate (&reference);
  bench_verify (close_enough (&a, &reference));
  return bench_result (NULL);
}
