/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images with speckle, and its reduction by a serial routine, the reference of both versions.

   Source: Yu and Acton, "Speckle reducing anisotropic diffusion", IEEE Transactions on Image
   Processing 11 (2002), section IV.  */

#include "speckle.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>

enum
{
  SEED = 2002,
  DISCS = 12
};

double *
speckle_image (long rows, long columns)
{
  double *image = bench_allocate (rows * columns, sizeof *image);
  for (long y = 0; y < rows; y++)
    for (long x = 0; x < columns; x++)
      {
	double tissue = 0.2;
	for (int d = 0; d < DISCS; d++)
	  {
	    double dy = y - rows * bench_uniform (SEED, 4 * d);
	    double dx = x - columns * bench_uniform (SEED, 4 * d + 1);
	    double radius = (rows + columns) * (0.02 + 0.08 * bench_uniform (SEED, 4 * d + 2));
	    if (dy * dy + dx * dx < radius * radius)
	      tissue = 0.1 + 0.7 * bench_uniform (SEED, 4 * d + 3);
	  }
	double noise = 0.7 + 0.6 * bench_uniform (SEED + 1, y * columns + x);
	image[y * columns + x] = fmin (1, tissue * noise);
      }
  return image;
}

static double
corner_statistic (const double *image, long columns, long height, long width)
{
  double sum = 0, squares = 0;
  for (long y = 0; y < height; y++)
    for (long x = 0; x < width; x++)
      {
	double value = image[y * columns + x];
	sum += value;
	squares += value * value;
      }
  double mean = sum / (height * width);
  return squares / (height * width) / (mean * mean) - 1;
}

void
speckle_reduce (double *image, long rows, long columns, long statistic_rows, long statistic_columns,
		double lambda, long steps)
{
  double *c = bench_allocate (rows * columns, sizeof *c);
  double *flow = bench_allocate (rows * columns, sizeof *flow);
  for (long step = 0; step < steps; step++)
    {
      double q0_squared = corner_statistic (image, columns, statistic_rows, statistic_columns);
      for (long i = 0; i < rows * columns; i++)
	{
	  long y = i / columns, x = i % columns;
	  double laplacian = 0, squares = 0;
	  for (int side = 0; side < 4; side++)
	    {
	      static const int down[] = { -1, 1, 0, 0 }, right[] = { 0, 0, -1, 1 };
	      long y2 = y + down[side], x2 = x + right[side];
	      /* Beyond the border the image goes on as it is there.  */
	      int outside = y2 < 0 || y2 == rows || x2 < 0 || x2 == columns;
	      double d = (outside ? 0 : image[y2 * columns + x2] - image[i]) / image[i];
	      laplacian += d;
	      squares += d * d;
	    }
	  c[i] = speckle_coefficient (laplacian, squares, q0_squared);
	  flow[i] = 0;
	}
      /* The coefficient of the lower or the right one of two neighbours governs their flow.  */
      for (long y = 0; y < rows; y++)
	for (long x = 0; x < columns; x++)
	  {
	    long i = y * columns + x, below = i + columns, beside = i + 1;
	    if (y + 1 < rows)
	      {
		double passed = c[below] * (image[below] - image[i]);
		flow[i] += passed;
		flow[below] -= passed;
	      }
	    if (x + 1 < columns)
	      {
		double passed = c[beside] * (image[beside] - image[i]);
		flow[i] += passed;
		flow[beside] -= passed;
	      }
	  }
      for (long i = 0; i < rows * columns; i++)
	image[i] += lambda / 4 * flow[i];
    }
  free (flow);
  free (c);
}

int
speckle_equal (const double *a, const double *b, long count)
{
  for (long i = 0; i < count; i++)
    if (!(fabs (a[i] - b[i]) <= 1e-9 * fabs (b[i])))
      return 0;
  return 1;
}
