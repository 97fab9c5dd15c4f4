/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid without tiles: particles stay in place, by their numbers, and their numbers are sorted
   into the cells of the whole box again in every step.  Neighbours come in the order of cells and,
   in a cell, of numbers, which is that of the tiles too: all sums are the same to the last bit.  */

#include "reference.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* COUNT particles; the numbers of those in cell C are MEMBER[FIRST[C]] up to
   MEMBER[FIRST[C + 1] - 1].  */
struct box
{
  const long *size;
  long count, *first, *member;
  struct particle *particle;
  double *density, (*acceleration)[DIMENSIONS];
};

static long
cell_of (const struct box *b, const struct particle *p)
{
  long x = (long) p->position[X], y = (long) p->position[Y], z = (long) p->position[Z];
  return (x * b->size[Z] + z) * b->size[Y] + y;
}

static void
sort (struct box *b)
{
  long cells = b->size[X] * b->size[Y] * b->size[Z];
  memset (b->first, 0, (cells + 1) * sizeof *b->first);
  for (long i = 0; i < b->count; i++)
    b->first[cell_of (b, &b->particle[i])]++;
  for (long c = 1; c <= cells; c++)
    b->first[c] += b->first[c - 1];
  for (long i = b->count - 1; i >= 0; i--)
    b->member[--b->first[cell_of (b, &b->particle[i])]] = i;
}

/* Store in NEAR the particles of the cells around that of I, and of itself; returns how many.  */
static long
neighbours_of (const struct box *b, long i, long *near)
{
  long count = 0;
  const double *at = b->particle[i].position;
  for (long x = (long) at[X] - 1; x <= (long) at[X] + 1; x++)
    for (long z = (long) at[Z] - 1; z <= (long) at[Z] + 1; z++)
      for (long y = (long) at[Y] - 1; y <= (long) at[Y] + 1; y++)
	if (x >= 0 && x < b->size[X] && y >= 0 && y < b->size[Y] && z >= 0 && z < b->size[Z])
	  {
	    long cell = (x * b->size[Z] + z) * b->size[Y] + y;
	    for (long m = b->first[cell]; m < b->first[cell + 1]; m++)
	      near[count++] = b->member[m];
	  }
  return count;
}

static void
step (struct box *b, long *near)
{
  sort (b);
  for (long i = 0; i < b->count; i++)
    {
      long count = neighbours_of (b, i, near);
      double sum = 0;
      for (long n = 0; n < count; n++)
	{
	  double squared = squared_distance (&b->particle[i], &b->particle[near[n]]);
	  if (squared < 1)
	    sum += sph_nearness (squared);
	}
      b->density[i] = sph_density_factor * sum;
    }
  for (long i = 0; i < b->count; i++)
    {
      long count = neighbours_of (b, i, near);
      memset (b->acceleration[i], 0, sizeof b->acceleration[i]);
      for (long n = 0; n < count; n++)
	sph_push (&b->particle[i], b->density[i], &b->particle[near[n]], b->density[near[n]],
		  b->acceleration[i]);
    }
  for (long i = 0; i < b->count; i++)
    sph_advance (&b->particle[i], b->acceleration[i], b->size);
}

/* Whether densities are the sums over all particles of mass times kernel, by the formula as it is
   printed, to 1e-12; of up to a few thousand particles, as far apart as that allows.  */
static int
densities_hold (const struct particle *particle, const double *density, long count)
{
  for (long i = 0; i < count; i += 1 + count / 4096)
    {
      double sum = 0;
      for (long j = 0; j < count; j++)
	{
	  double squared = 0;
	  for (int k = 0; k < DIMENSIONS; k++)
	    squared += pow (particle[i].position[k] - particle[j].position[k], 2);
	  if (squared <= 1)
	    sum += mass * 315 / (64 * M_PI) * pow (1 - squared, 3);
	}
      if (!(fabs (sum - density[i]) <= 1e-12 * sum))
	return 0;
    }
  return 1;
}

/* Whether accelerations add up to nothing, to 1e-12 of what their magnitudes do.  */
static int
momentum_holds (const struct box *b)
{
  for (int k = 0; k < DIMENSIONS; k++)
    {
      double sum = 0, magnitudes = 0;
      for (long i = 0; i < b->count; i++)
	{
	  sum += b->acceleration[i][k];
	  magnitudes += fabs (b->acceleration[i][k]);
	}
      if (!(fabs (sum) <= 1e-12 * magnitudes))
	return 0;
    }
  return 1;
}

int
reference_run (const long *size, struct particle *particle, double *density, long count, long steps)
{
  struct box b = { .size = size, .count = count, .particle = particle, .density = density };
  b.first = bench_allocate (size[X] * size[Y] * size[Z] + 1, sizeof *b.first);
  b.member = bench_allocate (count, sizeof *b.member);
  b.acceleration = bench_allocate (count, sizeof *b.acceleration);
  long *near = bench_allocate (count, sizeof *near);
  struct particle *before = bench_allocate (count, sizeof *before);

  memcpy (before, particle, count * sizeof *before);
  int holds = 1;
  for (long s = 0; s < steps; s++)
    {
      step (&b, near);
      holds = holds && momentum_holds (&b) && (s > 0 || densities_hold (before, density, count));
    }
  free (before);
  free (near);
  free (b.acceleration);
  free (b.member);
  free (b.first);
  return holds;
}
