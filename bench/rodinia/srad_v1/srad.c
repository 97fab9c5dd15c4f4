/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SRAD, version 1 of Rodinia's: removes speckle from an ultrasound image by diffusion that stops at
   edges, with neighbours by arrays of indices and statistics of the whole image by a reduction.

   Source: Yu and Acton, "Speckle reducing anisotropic diffusion", IEEE Transactions on Image
   Processing 11 (2002), section IV; the shape of the program: Che et al., "Rodinia", IISWC 2009.

   Verified by a serial routine, at every point, to 1e-9.  */

#include "bench.h"
#include "speckle.h"

#include <math.h>

/* The image, by rows, what the neighbours of each point differ from it by, the coefficient of
   diffusion there, and the indices of neighbouring rows and columns.  */
struct srad
{
  long rows, columns;
  double *image, *north, *south, *west, *east, *coefficient;
  long *above, *below, *left, *right;
};

static void
set_up (struct srad *s, double *image, long rows, long columns)
{
  long points = rows * columns;
  *s = (struct srad){ .rows = rows, .columns = columns, .image = image };
  s->north = bench_allocate (points, sizeof *s->north);
  s->south = bench_allocate (points, sizeof *s->south);
  s->west = bench_allocate (points, sizeof *s->west);
  s->east = bench_allocate (points, sizeof *s->east);
  s->coefficient = bench_allocate (points, sizeof *s->coefficient);
  s->above = bench_allocate (rows, sizeof *s->above);
  s->below = bench_allocate (rows, sizeof *s->below);
  s->left = bench_allocate (columns, sizeof *s->left);
  s->right = bench_allocate (columns, sizeof *s->right);
  for (long y = 0; y < rows; y++)
    {
      s->above[y] = y > 0 ? y - 1 : 0;
      s->below[y] = y < rows - 1 ? y + 1 : y;
    }
  for (long x = 0; x < columns; x++)
    {
      s->left[x] = x > 0 ? x - 1 : 0;
      s->right[x] = x < columns - 1 ? x + 1 : x;
    }
}

/* The squared coefficient of variation of the image.  */
static double
statistic (const struct srad *s)
{
  long points = s->rows * s->columns;
  const double *image = s->image;
  double sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
  for (long i = 0; i < points; i++)
    {
      sum += image[i];
      squares += image[i] * image[i];
    }
  double mean = sum / points;
  return (squares / points - mean * mean) / (mean * mean);
}

static void
find_coefficients (const struct srad *s, double q0_squared)
{
  long rows = s->rows, columns = s->columns;
#pragma omp parallel for
  for (long y = 0; y < rows; y++)
    for (long x = 0; x < columns; x++)
      {
	long at = y * columns + x;
	double value = s->image[at];
	double north = s->image[s->above[y] * columns + x] - value;
	double south = s->image[s->below[y] * columns + x] - value;
	double west = s->image[y * columns + s->left[x]] - value;
	double east = s->image[y * columns + s->right[x]] - value;
	double squares = north * north + south * south + west * west + east * east;
	s->coefficient[at] = speckle_coefficient ((north + south + west + east) / value,
						  squares / (value * value), q0_squared);
	s->north[at] = north;
	s->south[at] = south;
	s->west[at] = west;
	s->east[at] = east;
      }
}

static void
diffuse (const struct srad *s, double lambda)
{
  long rows = s->rows, columns = s->columns;
  const double *c = s->coefficient;
#pragma omp parallel for
  for (long y = 0; y < rows; y++)
    for (long x = 0; x < columns; x++)
      {
	long at = y * columns + x;
	double divergence = c[at] * (s->north[at] + s->west[at])
			    + c[s->below[y] * columns + x] * s->south[at]
			    + c[y * columns + s->right[x]] * s->east[at];
	s->image[at] += lambda / 4 * divergence;
      }
}

/* Images are compressed: the diffusion works on what their logarithm is taken of.  */
static void
extract (double *image, long points)
{
#pragma omp parallel for
  for (long i = 0; i < points; i++)
    image[i] = exp (image[i]);
}

static void
compress (double *image, long points)
{
#pragma omp parallel for
  for (long i = 0; i < points; i++)
    image[i] = log (image[i]);
}

int
main (int argc, char **argv)
{
  long rows = 502, columns = 458, repeats = 150, lambda_percent = 50;
  bench_options (argc, argv, "Remove speckle from an image, by statistics of all of it.",
      { "rows", &rows, 2, 1L << 15, "rows of the image", NULL },
      { "columns", &columns, 2, 1L << 15, "columns of the image", NULL },
      { "lambda", &lambda_percent, 1, 100, "size of a step, in percent", NULL },
      { "repeats", &repeats, 1, 100000, "steps of diffusion", NULL });

  double lambda = lambda_percent / 100.;
  long points = rows * columns;
  double *image = speckle_image (rows, columns);
  double *reference = speckle_image (rows, columns);
  struct srad s;
  set_up (&s, image, rows, columns);

  bench_start ();
  extract (image, points);
  for (long step = 0; step < repeats; step++)
    {
      find_coefficients (&s, statistic (&s));
      diffuse (&s, lambda);
    }
  compress (image, points);
  bench_stop ();

  for (long i = 0; i < points; i++)
    {
      image[i] = exp (image[i]);
      reference[i] = exp (reference[i]);
    }
  speckle_reduce (reference, rows, columns, rows, columns, lambda, repeats);
  bench_verify (speckle_equal (image, reference, points));

  return bench_result (NULL);
}
