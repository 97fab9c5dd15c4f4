/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conjugate gradients for a sparse matrix, a stencil of 27 points in a cube: a step is a product of
   the matrix, three dot products and three sums of vectors, a parallel loop each.

   The system is that of HPCCG (Heroux, "Improving performance via mini-applications", 2009):
   27 on the diagonal, -1 beside it, and a right-hand side for which all elements are 1.

   Verified by every element of the solution, to 1e-8.  */

#include "proxy.h"

#include <math.h>

enum
{
  POINTS = 27
};

/* Row i has COUNT[i] nonzeros, in COLUMN and VALUE from i * POINTS on.  */
struct matrix
{
  long rows;
  int *count, *column;
  double *value;
};

static void
make_row (struct matrix *m, double *b, long side, long row)
{
  long x = row % side, y = row / side % side, z = row / side / side, count = 0;
  for (long k = 0; k < POINTS; k++)
    {
      long u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
      if (u < 0 || u >= side || v < 0 || v >= side || w < 0 || w >= side)
	continue;
      long column = (w * side + v) * side + u;
      m->column[row * POINTS + count] = column;
      m->value[row * POINTS + count++] = column == row ? POINTS : -1;
    }
  m->count[row] = count;
  b[row] = POINTS - (count - 1);
}

static void
make_system (struct matrix *m, double *b, long side)
{
#pragma omp parallel for
  for (long row = 0; row < m->rows; row++)
    make_row (m, b, side, row);
}

static void
multiply (const struct matrix *m, const double *x, double *y)
{
#pragma omp parallel for
  for (long i = 0; i < m->rows; i++)
    {
      double sum = 0;
      for (long k = i * POINTS; k < i * POINTS + m->count[i]; k++)
	sum += m->value[k] * x[m->column[k]];
      y[i] = sum;
    }
}

static double
dot (const double *x, const double *y, long n)
{
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* TO = X + FACTOR * Y.  */
static void
add (double *to, const double *x, double factor, const double *y, long n)
{
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    to[i] = x[i] + factor * y[i];
}

static void
solve (const struct matrix *m, const double *b, double *x, long steps)
{
  long n = m->rows;
  double *r = bench_allocate (n, sizeof *r), *p = bench_allocate (n, sizeof *p);
  double *q = bench_allocate (n, sizeof *q);
  add (r, b, 0, b, n);
  add (p, b, 0, b, n);
  double rho = dot (r, r, n);
  for (long s = 0; s < steps; s++)
    {
      multiply (m, p, q);
      double step = rho / dot (p, q, n);
      add (x, x, step, p, n);
      add (r, r, -step, q, n);
      double before = rho;
      rho = dot (r, r, n);
      add (p, r, rho / before, p, n);
      if (sqrt (dot (r, r, n)) < 1e-10)
	break;
    }
}

int
main (int argc, char **argv)
{
  long side = 16, steps = 50, repeats = 3;
  bench_options (argc, argv, "Solve a sparse system by conjugate gradients.",
      { "size", &side, 1, 1000, "points of an edge of the cube", NULL },
      { "steps", &steps, 1, 100000, "steps at most", NULL },
      { "repeats", &repeats, 1, 100000, "systems made and solved", NULL });

  long rows = side * side * side;
  struct matrix m = { .rows = rows, .count = bench_allocate (rows, sizeof (int)),
		      .column = bench_allocate (rows * POINTS, sizeof (int)),
		      .value = bench_allocate (rows * POINTS, sizeof (double)) };
  double *b = bench_allocate (rows, sizeof *b);
  for (long r = 0; r < repeats; r++)
    {
      double *x = bench_allocate (rows, sizeof *x);
      bench_start ();
      make_system (&m, b, side);
      solve (&m, b, x, steps);
      bench_stop ();
      for (long i = 0; i < rows; i++)
	bench_verify (fabs (x[i] - 1) < 1e-8);
    }
  return bench_result (NULL);
}
