/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SRAD, version 2 of Rodinia's: removes speckle from an image in two loops over rows a step, after
   statistics of a small corner by one thread.

   Source: Yu and Acton, "Speckle reducing anisotropic diffusion", IEEE Transactions on Image
   Processing 11 (2002), section IV; the shape of the program: Che et al., "Rodinia", IISWC 2009.

   Verified by a serial routine, at every point, to 1e-9.  */

#include "bench.h"
#include "speckle.h"


enum
{
  /* The side of the corner whose statistics are taken.  */
  CORNER = 128
};

/* The squared coefficient of variation of the first SIDE rows and columns.  */
static double
statistic (const double *image, long size, long side)
{
  double sum = 0, squares = 0;
  for (long y = 0; y < side; y++)
    for (long x = 0; x < side; x++)
      {
	double value = image[y * size + x];
	sum += value;
	squares += value * value;
      }
  double mean = sum / (side * side);
  return (squares / (side * side) - mean * mean) / (mean * mean);
}

/* The differences of the neighbours of a point from it; a row or column beyond the border is equal
   to the one within.  */
struct differences
{
  double north, south, west, east;
};

static inline struct differences
differences_at (const double *image, long size, long y, long x)
{
  const double *at = image + y * size + x;
  return (struct differences){ .north = y > 0 ? at[-size] - *at : 0,
			       .south = y < size - 1 ? at[size] - *at : 0,
			       .west = x > 0 ? at[-1] - *at : 0,
			       .east = x < size - 1 ? at[1] - *at : 0 };
}

/* One step from IMAGE, of SIZE rows and columns, to NEXT; C has room for as many coefficients.  */
static void
diffuse (const double *image, double *next, double *c, long size, double q0_squared, double lambda)
{
#pragma omp parallel
  {
#pragma omp for
    for (long y = 0; y < size; y++)
      for (long x = 0; x < size; x++)
	{
	  double value = image[y * size + x];
	  struct differences d = differences_at (image, size, y, x);
	  double squares
	    = d.north * d.north + d.south * d.south + d.west * d.west + d.east * d.east;
	  c[y * size + x] = speckle_coefficient ((d.north + d.south + d.west + d.east) / value,
						 squares / (value * value), q0_squared);
	}

#pragma omp for
    for (long y = 0; y < size; y++)
      for (long x = 0; x < size; x++)
	{
	  long at = y * size + x;
	  struct differences d = differences_at (image, size, y, x);
	  double south_c = c[y < size - 1 ? at + size : at];
	  double east_c = c[x < size - 1 ? at + 1 : at];
	  double divergence = c[at] * (d.north + d.west) + south_c * d.south + east_c * d.east;
	  next[at] = image[at] + lambda / 4 * divergence;
	}
  }
}

int
main (int argc, char **argv)
{
  long size = 1024, repeats = 30, lambda_percent = 50;
  bench_options (argc, argv, "Remove speckle from an image, by statistics of a corner.",
      { "size", &size, 2, 1L << 15, "rows and columns of the image", NULL },
      { "lambda", &lambda_percent, 1, 100, "size of a step, in percent", NULL },
      { "repeats", &repeats, 1, 100000, "steps of diffusion", NULL });

  double lambda = lambda_percent / 100.;
  long points = size * size;
  long corner = size < CORNER ? size : CORNER;
  double *reference = speckle_image (size, size);
  double *image = speckle_image (size, size);
  double *next = bench_allocate (points, sizeof *next);
  double *c = bench_allocate (points, sizeof *c);

  bench_start ();
  for (long r = 0; r < repeats; r++)
    {
      diffuse (image, next, c, size, statistic (image, size, corner), lambda);
      double *old = image;
      image = next;
      next = old;
    }
  bench_stop ();

  speckle_reduce (reference, size, size, corner, corner, lambda, repeats);
  bench_verify (speckle_equal (image, reference, points));

  return bench_result (NULL);
}
