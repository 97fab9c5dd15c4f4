/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The product of two square matrices by Strassen's recursion: a task for each of the seven products
   of a step, down to small blocks that are multiplied plainly.

   Sources: Strassen, "Gaussian Elimination is not Optimal", Numerische Mathematik 13, 1969; as a
   program of tasks: Duran et al., "Barcelona OpenMP Tasks Suite", ICPP 2009.

   The elements are whole numbers so small that nothing is ever rounded.  Verified without any
   tolerance: by Freivalds' check (R. Freivalds, "Fast Probabilistic Algorithms", MFCS 1979), C x =
   A (B x) for random vectors, and by random rows of the product, computed directly in integers.  */

#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  SEED = 1969,
  QUADRANTS = 4,
  PRODUCTS = 7,
  TEMPORARIES = PRODUCTS - QUADRANTS,
  /* With matrices of up to ROWS_MOST rows, L levels of recursion and leaves of R rows, nothing
     computed anywhere exceeds R 16^L LARGEST^2, which is below 2^51, nor anything in the check
     (ROWS_MOST LARGEST)^2 VECTOR_LARGEST, below 2^50.  */
  ROWS_MOST = 8192,
  LEAF_LEAST = 8,
  LARGEST = 15,
  VECTOR_LARGEST = 65535,
  VECTORS = 4,
  ROWS_CHECKED = 16
};

/* A square part of a matrix whose rows begin STRIDE elements apart.  */
struct part
{
  double *element;
  long stride;
};

/* Quadrant FIRST and SIGN times quadrant SECOND, or FIRST alone if SIGN is 0.  Quadrants are
   numbered by rows.  */
struct sum
{
  int first, second, sign;
};

/* One of a step's products.  It is written to quadrant PLACE of the result, which is otherwise not
   needed before all are there, or to temporary PLACE - QUADRANTS.  */
struct product
{
  struct sum left, right;
  int place;
};

static const struct product products[PRODUCTS] = {
  { .left = { 0, 3, 1 }, .right = { 0, 3, 1 }, .place = QUADRANTS },
  { .left = { 2, 3, 1 }, .right = { 0, 0, 0 }, .place = 2 },
  { .left = { 0, 0, 0 }, .right = { 1, 3, -1 }, .place = 1 },
  { .left = { 3, 0, 0 }, .right = { 2, 0, -1 }, .place = QUADRANTS + 1 },
  { .left = { 0, 1, 1 }, .right = { 3, 0, 0 }, .place = QUADRANTS + 2 },
  { .left = { 2, 0, -1 }, .right = { 0, 1, 1 }, .place = 3 },
  { .left = { 1, 3, -1 }, .right = { 2, 3, 1 }, .place = 0 },
};

/* Matrices of ROWS rows, of which the last may be padding, are halved LEVELS times, down to blocks
   of LEAF rows.  */
struct shape
{
  long rows, levels, leaf;
};

static struct shape
shape_for (long size, long leaf)
{
  struct shape s = { .leaf = size };
  for (; s.leaf > leaf; s.levels++)
    s.leaf = (s.leaf + 1) / 2;
  s.rows = s.leaf << s.levels;
  return s;
}

static struct part
whole (double *element, long rows)
{
  return (struct part){ element, rows };
}

static struct part
quadrant (struct part p, int number, long half)
{
  return (struct part){ p.element + number / 2 * half * p.stride + number % 2 * half, p.stride };
}

/* C = A B, whose parts are of ROWS rows each and do not overlap.  Four rows of B at a time, so
   that a row of C is loaded and stored a quarter as often.  */
static void
multiply_plainly (struct part c, struct part a, struct part b, long rows)
{
  for (long i = 0; i < rows; i++)
    {
      double *restrict to = c.element + i * c.stride;
      const double *left = a.element + i * a.stride;
      for (long j = 0; j < rows; j++)
	to[j] = 0;
      long k = 0;
      for (; k + 4 <= rows; k += 4)
	{
	  const double *restrict right = b.element + k * b.stride;
	  for (long j = 0; j < rows; j++)
	    to[j] += left[k] * right[j] + left[k + 1] * right[j + b.stride]
		     + left[k + 2] * right[j + 2 * b.stride]
		     + left[k + 3] * right[j + 3 * b.stride];
	}
      for (; k < rows; k++)
	for (long j = 0; j < rows; j++)
	  to[j] += left[k] * b.element[k * b.stride + j];
    }
}

/* The quadrants of P that S names; if there are two, added up in *MEMORY, which is moved on.  */
static struct part
factor (struct part p, struct sum s, long half, double **memory)
{
  struct part first = quadrant (p, s.first, half), second = quadrant (p, s.second, half);
  if (s.sign == 0)
    return first;
  struct part total = whole (*memory, half);
  *memory += half * half;
  double sign = s.sign;
  for (long i = 0; i < half; i++)
    for (long j = 0; j < half; j++)
      total.element[i * half + j]
	= first.element[i * first.stride + j] + sign * second.element[i * second.stride + j];
  return total;
}

/* Make C of the products, which are where their table says.  */
static void
combine (struct part c, const double *temporaries, long half)
{
  for (long i = 0; i < half; i++)
    {
      double *restrict above = c.element + i * c.stride;
      double *restrict below = c.element + (half + i) * c.stride;
      const double *restrict first = temporaries + i * half;
      const double *restrict fourth = first + half * half;
      const double *restrict fifth = fourth + half * half;
      for (long j = 0; j < half; j++)
	{
	  above[j] += first[j] + fourth[j] - fifth[j];
	  below[half + j] += first[j] - below[j] + above[half + j];
	  above[half + j] += fifth[j];
	  below[j] += fourth[j];
	}
    }
}

static void multiply (struct part c, struct part a, struct part b, long rows, long leaf);

/* C = the product P of quadrants of A and B, of HALF rows each.  That the sums are made here, in
   the product's own task, leaves only the smaller part of a step's additions to one thread.  */
static void
multiply_quadrants (struct part c, struct part a, struct part b, const struct product *p,
		    long half, long leaf)
{
  int summed = (p->left.sign != 0) + (p->right.sign != 0);
  double *sums = bench_allocate (summed * half * half, sizeof *sums), *memory = sums;
  struct part left = factor (a, p->left, half, &memory);
  struct part right = factor (b, p->right, half, &memory);
  multiply (c, left, right, half, leaf);
  free (sums);
}

static void
multiply (struct part c, struct part a, struct part b, long rows, long leaf)
{
  if (rows <= leaf)
    {
      multiply_plainly (c, a, b, rows);
      return;
    }
  long half = rows / 2;
  double *temporaries = bench_allocate (TEMPORARIES * half * half, sizeof *temporaries);
  for (const struct product *p = products; p < products + PRODUCTS; p++)
    {
      struct part to = p->place < QUADRANTS
			 ? quadrant (c, p->place, half)
			 : whole (temporaries + (p->place - QUADRANTS) * half * half, half);
#pragma omp task default(none) firstprivate(to, a, b, p, half, leaf)
      multiply_quadrants (to, a, b, p, half, leaf);
    }
#pragma omp taskwait
  combine (c, temporaries, half);
  free (temporaries);
}

static double *
make_matrix (uint64_t seed, long size, long rows)
{
  double *element = bench_allocate (rows * rows, sizeof *element);
  for (long i = 0; i < size; i++)
    for (long j = 0; j < size; j++)
      element[i * rows + j]
	= (double) (bench_random (seed, i * size + j) % (2 * LARGEST + 1)) - LARGEST;
  return element;
}

static void
apply (const double *matrix, const double *x, double *y, long rows)
{
  for (long i = 0; i < rows; i++)
    {
      y[i] = 0;
      for (long j = 0; j < rows; j++)
	y[i] += matrix[i * rows + j] * x[j];
    }
}

static int
vectors_agree (const double *c, const double *a, const double *b, long rows)
{
  double *x = bench_allocate (4 * rows, sizeof *x);
  double *b_x = x + rows, *a_b_x = b_x + rows, *c_x = a_b_x + rows;
  int agree = 1;
  for (int v = 0; v < VECTORS; v++)
    {
      for (long i = 0; i < rows; i++)
	x[i] = bench_random (SEED + 2, v * rows + i) % (VECTOR_LARGEST + 1);
      apply (b, x, b_x, rows);
      apply (a, b_x, a_b_x, rows);
      apply (c, x, c_x, rows);
      for (long i = 0; i < rows; i++)
	agree &= c_x[i] == a_b_x[i];
    }
  free (x);
  return agree;
}

static int
rows_agree (const double *c, const double *a, const double *b, long size, long rows)
{
  int64_t *row = bench_allocate (rows, sizeof *row);
  int agree = 1;
  for (int r = 0; r < ROWS_CHECKED; r++)
    {
      long i = bench_random (SEED + 3, r) % size;
      for (long j = 0; j < rows; j++)
	row[j] = 0;
      for (long k = 0; k < rows; k++)
	for (long j = 0; j < rows; j++)
	  row[j] += (int64_t) a[i * rows + k] * (int64_t) b[k * rows + j];
      for (long j = 0; j < rows; j++)
	agree &= c[i * rows + j] == (double) row[j];
    }
  free (row);
  return agree;
}

int
main (int argc, char **argv)
{
  long size = 1536, leaf = 96;
  bench_options (argc, argv, "Multiply two matrices by Strassen's recursion.",
      { "size", &size, 1, ROWS_MOST, "rows of the matrices", NULL },
      { "leaf", &leaf, LEAF_LEAST, 1024, "rows of the largest block multiplied plainly", NULL });

  struct shape shape = shape_for (size, leaf);
  long rows = shape.rows;
  double *a = make_matrix (SEED, size, rows), *b = make_matrix (SEED + 1, size, rows);
  double *c = bench_allocate (rows * rows, sizeof *c);

  bench_start ();
#pragma omp parallel default(none) firstprivate(a, b, c, rows, shape)
#pragma omp single
  multiply (whole (c, rows), whole (a, rows), whole (b, rows), rows, shape.leaf);
  bench_stop ();

  bench_verify (vectors_agree (c, a, b, rows) && rows_agree (c, a, b, size, rows));
  long tasks = 0;
  for (long level = 0; level < shape.levels; level++)
    tasks = PRODUCTS * (tasks + 1);
  char extra[32];
  snprintf (extra, sizeof extra, "tasks=%ld", tasks);
  return bench_result (extra);
}
