/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices of blocks: which blocks they have, what is in them, the operations on one.  */

#include "sparselu.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
  SEED = 2009
};

static const uint64_t seed_pattern = SEED, seed_element = SEED + 1;

void
plan_make (struct plan *p, long count, long density)
{
  p->count = count;
  p->given = bench_allocate (count * count, 1);
  p->filled = bench_allocate (count * count, 1);
  p->step = bench_allocate (count, sizeof *p->step);
  for (long i = 0; i < count; i++)
    for (long j = 0; j < count; j++)
      {
	long chance = bench_random (seed_pattern, i * count + j) % 100;
	p->given[i * count + j] = labs (i - j) <= 1 || chance < density;
      }
  memcpy (p->filled, p->given, count * count);

  for (long k = 0; k < count; k++)
    {
      struct step *s = &p->step[k];
      s->row = bench_allocate (count - k, sizeof *s->row);
      s->column = bench_allocate (count - k, sizeof *s->column);
      for (long i = k + 1; i < count; i++)
	{
	  if (p->filled[i * count + k])
	    s->row[s->below++] = i;
	  if (p->filled[k * count + i])
	    s->column[s->right++] = i;
	}
      for (long i = 0; i < s->below; i++)
	for (long j = 0; j < s->right; j++)
	  p->filled[s->row[i] * count + s->column[j]] = 1;
    }
}

void
matrix_make (struct matrix *a, const struct plan *p, const char *present, long rows)
{
  long count = p->count;
  double diagonal = 2 * sqrt (count * rows);
  a->count = count;
  a->rows = rows;
  a->block = bench_allocate (count * count, sizeof *a->block);
  for (long b = 0; b < count * count; b++)
    {
      if (!present[b])
	continue;
      double *block = a->block[b] = bench_allocate (rows * rows, sizeof *block);
      if (!p->given[b])
	continue;
      for (long e = 0; e < rows * rows; e++)
	block[e] = 2 * bench_uniform (seed_element, b * rows * rows + e) - 1;
      if (b / count == b % count)
	for (long i = 0; i < rows; i++)
	  block[i * rows + i] = diagonal;
    }
}

/* Subtract FACTOR times row FROM from row TO, from element FIRST on.  */
static inline void
subtract (double *restrict to, const double *restrict from, double factor, long first, long rows)
{
  for (long j = first; j < rows; j++)
    to[j] -= factor * from[j];
}

void
factor_diagonal (double *d, long rows)
{
  for (long k = 0; k < rows; k++)
    for (long i = k + 1; i < rows; i++)
      {
	d[i * rows + k] /= d[k * rows + k];
	subtract (d + i * rows, d + k * rows, d[i * rows + k], k + 1, rows);
      }
}

void
factor_right (const double *d, double *x, long rows)
{
  for (long i = 1; i < rows; i++)
    for (long k = 0; k < i; k++)
      subtract (x + i * rows, x + k * rows, d[i * rows + k], 0, rows);
}

void
factor_below (const double *d, double *x, long rows)
{
  for (long i = 0; i < rows; i++)
    for (long k = 0; k < rows; k++)
      {
	x[i * rows + k] /= d[k * rows + k];
	subtract (x + i * rows, d + k * rows, x[i * rows + k], k + 1, rows);
      }
}

void
update (const double *left, const double *top, double *x, long rows)
{
  for (long i = 0; i < rows; i++)
    for (long k = 0; k < rows; k++)
      subtract (x + i * rows, top + k * rows, left[i * rows + k], 0, rows);
}
