/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conjugate gradients in the manner of NPB's CG: a fixed random sparse symmetric matrix, positive
   definite by diagonal dominance, multiplied with several vectors at a time; three loops over rows
   a step, with a barrier after each.

   Verified by the residuals of every step, which must be those of a serial solution (the method
   heals from an error that is not too large, in more steps), and by b - A x at the end.  */

#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  /* Right-hand sides solved together; a block of them is a row's vector.  */
  WIDTH = 32
};

/* The matrix by compressed rows, its diagonal apart.  */
struct matrix
{
  long rows;
  long *start;
  int *column;
  double *value, *diagonal;
};

typedef double block[WIDTH];

/* The state of the solver, a block a row, and the sums of a step, one a right-hand side.  */
struct solver
{
  struct matrix a;
  block *x, *r, *p, *q;
  block p_dot_q, r_dot_r;
};

static uint64_t
scrambled (uint64_t x)
{
  x = (x ^ (x >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* A fixed pseudo-random number from -1 to 1.  */
static double
random_value (uint64_t i)
{
  return (scrambled (i * UINT64_C (0x9e3779b97f4a7c15) + 1) >> 11) * 0x1p-52 - 1;
}

/* The right-hand side COLUMN at row ROW.  */
static double
right_hand_side (long row, int column)
{
  return random_value ((uint64_t) row * WIDTH + column + (UINT64_C (1) << 40));
}

/* Build a matrix of ROWS rows: PAIRS times each row, a random entry and its mirror image.  */
static void
build (struct matrix *a, long rows, long pairs)
{
  long count = 2 * rows * pairs;
  a->rows = rows;
  a->start = bench_allocate (rows + 1, sizeof *a->start);
  a->column = bench_allocate (count, sizeof *a->column);
  a->value = bench_allocate (count, sizeof *a->value);
  a->diagonal = bench_allocate (rows, sizeof *a->diagonal);
  long *filled = bench_allocate (rows, sizeof *filled);

  for (long e = 0; e < rows * pairs; e++)
    {
      a->start[e / pairs + 1]++;
      a->start[scrambled (e + 1) % rows + 1]++;
    }
  for (long i = 0; i < rows; i++)
    {
      a->start[i + 1] += a->start[i];
      filled[i] = a->start[i];
      a->diagonal[i] = 1;
    }
  for (long e = 0; e < rows * pairs; e++)
    {
      long i = e / pairs, j = scrambled (e + 1) % rows;
      double value = random_value (e);
      a->column[filled[i]] = j;
      a->value[filled[i]++] = value;
      a->column[filled[j]] = i;
      a->value[filled[j]++] = value;
      a->diagonal[i] += fabs (value);
      a->diagonal[j] += fabs (value);
    }
  free (filled);
}

/* Row I of A times V, into SUM.  */
static void
multiply_row (const struct matrix *a, long i, const block *v, double *restrict sum)
{
  for (int w = 0; w < WIDTH; w++)
    sum[w] = a->diagonal[i] * v[i][w];
  for (long e = a->start[i]; e < a->start[i + 1]; e++)
    {
      const double *restrict from = v[a->column[e]];
      for (int w = 0; w < WIDTH; w++)
	sum[w] += a->value[e] * from[w];
    }
}

/* Begin at x = 0.  */
static void
begin (struct solver *s)
{
  for (int w = 0; w < WIDTH; w++)
    s->r_dot_r[w] = 0;
  for (long i = 0; i < s->a.rows; i++)
    for (int w = 0; w < WIDTH; w++)
      {
	double b = right_hand_side (i, w);
	s->x[i][w] = 0;
	s->r[i][w] = b;
	s->p[i][w] = b;
	s->r_dot_r[w] += b * b;
      }
}

/* The loop bodies of a step, for row I: q = A p, adding p q to SUM; ...  */
static void
product_row (struct solver *s, long i, double *restrict sum)
{
  multiply_row (&s->a, i, s->p, s->q[i]);
  for (int w = 0; w < WIDTH; w++)
    sum[w] += s->p[i][w] * s->q[i][w];
}

/* ... a move by ALPHA along p, adding r r to SUM; ...  */
static void
move_row (struct solver *s, long i, const double *restrict alpha, double *restrict sum)
{
  for (int w = 0; w < WIDTH; w++)
    {
      s->x[i][w] += alpha[w] * s->p[i][w];
      s->r[i][w] -= alpha[w] * s->q[i][w];
      sum[w] += s->r[i][w] * s->r[i][w];
    }
}

/* ... and the next direction.  */
static void
turn_row (struct solver *s, long i, const double *restrict beta)
{
  for (int w = 0; w < WIDTH; w++)
    s->p[i][w] = s->r[i][w] + beta[w] * s->p[i][w];
}

/* One step for every right-hand side.  */
static void
step_in_parallel (struct solver *s)
{
  long rows = s->a.rows;
  block sum = { 0 }, old, alpha, beta;

#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (long i = 0; i < rows; i++)
      product_row (s, i, sum);

#pragma omp single
    for (int w = 0; w < WIDTH; w++)
      {
	old[w] = s->r_dot_r[w];
	alpha[w] = old[w] / sum[w];
	sum[w] = 0;
      }

#pragma omp for reduction(+ : sum)
    for (long i = 0; i < rows; i++)
      move_row (s, i, alpha, sum);

#pragma omp single
    for (int w = 0; w < WIDTH; w++)
      {
	s->r_dot_r[w] = sum[w];
	beta[w] = sum[w] / old[w];
      }

#pragma omp for
    for (long i = 0; i < rows; i++)
      turn_row (s, i, beta);
  }
}

static void
step_serially (struct solver *s)
{
  block product = { 0 }, square = { 0 }, alpha, beta;

  for (long i = 0; i < s->a.rows; i++)
    product_row (s, i, product);
  for (int w = 0; w < WIDTH; w++)
    alpha[w] = s->r_dot_r[w] / product[w];
  for (long i = 0; i < s->a.rows; i++)
    move_row (s, i, alpha, square);
  for (int w = 0; w < WIDTH; w++)
    {
      beta[w] = square[w] / s->r_dot_r[w];
      s->r_dot_r[w] = square[w];
    }
  for (long i = 0; i < s->a.rows; i++)
    turn_row (s, i, beta);
}

/* Solve by STEPS steps, noting r r after each in HISTORY.  Returns the seconds taken.  */
static double
solve (struct solver *s, void (*step) (struct solver *), long steps, block *history)
{
  begin (s);
  double start = bench_now ();
  for (long n = 0; n < steps; n++)
    {
      step (s);
      for (int w = 0; w < WIDTH; w++)
	history[n][w] = s->r_dot_r[w];
    }
  return bench_now () - start;
}

/* Whether the residuals shrank as in EXPECTED; those of mere rounding errors may differ.  */
static int
same_history (const block *history, const block *expected, long steps)
{
  for (long n = 0; n < steps; n++)
    for (int w = 0; w < WIDTH; w++)
      if (expected[n][w] > 1e-15
	  && !(fabs (history[n][w] - expected[n][w]) <= 1e-8 * expected[n][w]))
	return 0;
  return 1;
}

/* The largest |b - A x| of all right-hand sides.  */
static double
residual (const struct solver *s)
{
  double worst = 0;
  for (long i = 0; i < s->a.rows; i++)
    {
      block row;
      multiply_row (&s->a, i, (const block *) s->x, row);
      for (int w = 0; w < WIDTH; w++)
	worst = fmax (worst, fabs (right_hand_side (i, w) - row[w]));
    }
  return worst;
}

int
main (int argc, char **argv)
{
  long rows = 14000, pairs = 66, steps = 25, solves = 1;
  bench_options (argc, argv, "Solve a sparse linear system by conjugate gradients.",
      { "rows", &rows, 100, 1L << 24, "rows of the matrix", NULL },
      { "pairs", &pairs, 1, 1000, "half the mean number of entries of a row off its diagonal",
        NULL },
      { "steps", &steps, 25, 1000, "steps of a solve", NULL },
      { "solves", &solves, 1, 1000, "solves, each from zero", NULL });

  struct solver s;
  build (&s.a, rows, pairs);
  s.x = bench_allocate (rows, sizeof *s.x);
  s.r = bench_allocate (rows, sizeof *s.r);
  s.p = bench_allocate (rows, sizeof *s.p);
  s.q = bench_allocate (rows, sizeof *s.q);

  block *expected = bench_allocate (steps, sizeof *expected);
  block *history = bench_allocate (steps, sizeof *history);
  solve (&s, step_serially, steps, expected);
  double seconds = 0;
  int verified = 1;
  for (long n = 0; n < solves; n++)
    {
      seconds += solve (&s, step_in_parallel, steps, history);
      verified = same_history (history, expected, steps) && verified;
    }

  double left = residual (&s);
  printf ("cg: a residual of %.3g is left\n", left);
  return bench_print_result (seconds, verified && left < 1e-12, NULL);
}
