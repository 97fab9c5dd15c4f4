/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both versions of SRAD share: the image, the coefficient of diffusion and the reference.  */

#ifndef SPECKLE_H
#define SPECKLE_H 1

/* The coefficient of diffusion where the differences to the neighbours have the sum LAPLACIAN and
   the sum of squares SQUARES, both relative to the value there, and where speckle alone has the
   squared coefficient of variation Q0_SQUARED (Yu and Acton, 2002).  */
static inline double
speckle_coefficient (double laplacian, double squares, double q0_squared)
{
  double slope = 1 + laplacian / 4;
  double q_squared = (squares / 2 - laplacian * laplacian / 16) / (slope * slope);
  double c = 1 / (1 + (q_squared - q0_squared) / (q0_squared * (1 + q0_squared)));
  return c < 0 ? 0 : c > 1 ? 1 : c;
}

/* A synthetic ultrasound image, by rows, of values from 0 to 1: discs of tissue under speckle.  */
double *speckle_image (long rows, long columns);

/* Run STEPS steps of size LAMBDA on IMAGE, serially, with Q0_SQUARED of each from the first
   STATISTIC_ROWS and STATISTIC_COLUMNS.  */
void speckle_reduce (double *image, long rows, long columns, long statistic_rows,
		     long statistic_columns, double lambda, long steps);

/* Whether the COUNT values of A and B differ by at most 1e-9 of B's.  */
int speckle_equal (const double *a, const double *b, long count);

#endif
