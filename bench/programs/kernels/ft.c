/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A spectral solver in the manner of NPB's FT: each step transforms a cube of complex numbers along
   its three axes, multiplies every mode by a phase, and transforms back: seven loops over blocks of
   lines (short iterations, many loops), with a barrier after each.

   Verified by undoing: one serial step with the opposite phases for all steps together must give
   the initial cube again, at every point.  */

#include "bench.h"

#include <math.h>
#include <stdio.h>

enum
{
  /* Lines transformed side by side, so that the butterflies of a stage vectorise.  */
  LANES = 8,
  LOG2_MAX = 9,
  N_MAX = 1 << LOG2_MAX
};

struct complex_number
{
  double re, im;
};

/* LANES lines of up to N_MAX numbers, element by element.  */
struct lines
{
  double re[N_MAX][LANES], im[N_MAX][LANES];
};

/* The cube and what its transforms need.  Index (z * n + y) * n + x.  */
struct cube
{
  long n, log2n;
  struct complex_number *at;
  /* Roots of unity e^(-2 pi i j / n), and the bit-reversed indices.  */
  struct complex_number root[N_MAX / 2];
  int reversed[N_MAX];
};

enum axis
{
  AXIS_X,
  AXIS_Y,
  AXIS_Z
};

/* Decimation in time on LANES lines at once, whose elements are in bit-reversed order.  The inverse
   transform, which divides by n as well, takes the conjugate roots.  */
static void
transform_lines (const struct cube *cube, struct lines *l, int inverse)
{
  long n = cube->n;
  for (long half = 1; half < n; half *= 2)
    for (long j = 0; j < half; j++)
      {
	struct complex_number w = cube->root[j * (n / 2 / half)];
	double wi = inverse ? -w.im : w.im;
	for (long a = j; a < n; a += 2 * half)
	  {
	    long b = a + half;
	    for (int v = 0; v < LANES; v++)
	      {
		double re = l->re[b][v] * w.re - l->im[b][v] * wi;
		double im = l->re[b][v] * wi + l->im[b][v] * w.re;
		l->re[b][v] = l->re[a][v] - re;
		l->im[b][v] = l->im[a][v] - im;
		l->re[a][v] += re;
		l->im[a][v] += im;
	      }
	  }
      }
}

/* Transform block BLOCK of LANES neighbouring lines along AXIS.  */
static void
transform_block (struct cube *cube, enum axis axis, long block, int inverse)
{
  static _Thread_local struct lines l;
  long n = cube->n;
  long plane = block / (n / LANES), first = block % (n / LANES) * LANES;
  /* Planes are stacked along z, or along y if the lines run along z.  */
  long plane_stride = axis == AXIS_Z ? n : n * n;
  long element_stride = axis == AXIS_X ? 1 : axis == AXIS_Y ? n : n * n;
  long line_stride = axis == AXIS_X ? n : 1;
  double scale = inverse ? 1.0 / n : 1.0;
  struct complex_number *base = cube->at + plane * plane_stride + first * line_stride;

  for (long e = 0; e < n; e++)
    for (int v = 0; v < LANES; v++)
      {
	struct complex_number c = base[cube->reversed[e] * element_stride + v * line_stride];
	l.re[e][v] = c.re;
	l.im[e][v] = c.im;
      }
  transform_lines (cube, &l, inverse);
  for (long e = 0; e < n; e++)
    for (int v = 0; v < LANES; v++)
      base[e * element_stride + v * line_stride]
	= (struct complex_number){ scale * l.re[e][v], scale * l.im[e][v] };
}

/* Multiply the modes of block BLOCK of LANES rows by e^(i t |k|^2), K counted from -n/2.  */
static void
evolve_block (struct cube *cube, long block, double t)
{
  long n = cube->n;
  const struct complex_number bend = { cos (2 * t), sin (2 * t) };
  for (long line = block * LANES; line < (block + 1) * LANES; line++)
    {
      struct complex_number *row = cube->at + line * n;
      /* |k|^2 is a sum of squares: with the phase of x advanced by its two differences, no sine is
	 needed inside.  */
      double kx = -(double) (n / 2), ky = line % n - n / 2, kz = line / n - n / 2;
      double angle = t * (kx * kx + ky * ky + kz * kz), step = t * (2 * kx + 1);
      struct complex_number phase = { cos (angle), sin (angle) }, turn = { cos (step), sin (step) };
      for (long x = 0; x < n; x++)
	{
	  struct complex_number c = row[x];
	  row[x].re = c.re * phase.re - c.im * phase.im;
	  row[x].im = c.re * phase.im + c.im * phase.re;
	  double re = phase.re * turn.re - phase.im * turn.im;
	  phase.im = phase.re * turn.im + phase.im * turn.re;
	  phase.re = re;
	  re = turn.re * bend.re - turn.im * bend.im;
	  turn.im = turn.re * bend.im + turn.im * bend.re;
	  turn.re = re;
	}
    }
}

static void
step_in_parallel (struct cube *cube, double t)
{
  static const enum axis there[] = { AXIS_X, AXIS_Y, AXIS_Z }, back[] = { AXIS_Z, AXIS_Y, AXIS_X };
  long blocks = cube->n * cube->n / LANES;
#pragma omp parallel
  {
    for (int pass = 0; pass < 3; pass++)
      {
#pragma omp for
	for (long block = 0; block < blocks; block++)
	  transform_block (cube, there[pass], block, 0);
      }
#pragma omp for
    for (long block = 0; block < blocks; block++)
      evolve_block (cube, block, t);
    for (int pass = 0; pass < 3; pass++)
      {
#pragma omp for
	for (long block = 0; block < blocks; block++)
	  transform_block (cube, back[pass], block, 1);
      }
  }
}

static void
step_serially (struct cube *cube, double t)
{
  long blocks = cube->n * cube->n / LANES;
  for (enum axis axis = AXIS_X; axis <= AXIS_Z; axis++)
    for (long block = 0; block < blocks; block++)
      transform_block (cube, axis, block, 0);
  for (long block = 0; block < blocks; block++)
    evolve_block (cube, block, t);
  for (int axis = AXIS_Z; axis >= AXIS_X; axis--)
    for (long block = 0; block < blocks; block++)
      transform_block (cube, axis, block, 1);
}

/* The initial value of point I: fixed pseudo-random numbers from -1 to 1.  */
static struct complex_number
initial_value (long i)
{
  unsigned long x = (i + 1) * 0x9e3779b97f4a7c15UL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
  x ^= x >> 27;
  return (struct complex_number){ (x >> 32) * 0x1p-31 - 1, (x & 0xffffffff) * 0x1p-31 - 1 };
}

static struct cube *
new_cube (long log2n)
{
  struct cube *cube = bench_allocate (1, sizeof *cube);
  long n = 1L << log2n;
  cube->n = n;
  cube->log2n = log2n;
  cube->at = bench_allocate (n * n * n, sizeof *cube->at);
  for (long j = 0; j < n / 2; j++)
    cube->root[j] = (struct complex_number){ cos (2 * M_PI * j / n), -sin (2 * M_PI * j / n) };
  for (long e = 0; e < n; e++)
    for (long bit = 0; bit < log2n; bit++)
      cube->reversed[e] |= ((e >> bit) & 1) << (log2n - 1 - bit);
  for (long i = 0; i < n * n * n; i++)
    cube->at[i] = initial_value (i);
  return cube;
}

int
main (int argc, char **argv)
{
  long log2n = 7, steps = 4;
  const double t = 1e-3;
  bench_options (argc, argv, "Solve a linear wave equation by 3-D Fourier transforms.",
      { "log2n", &log2n, 3, LOG2_MAX, "log2 of the cube's edge", NULL },
      { "steps", &steps, 1, 1000, "time steps", NULL });

  struct cube *cube = new_cube (log2n);

  bench_start ();
  for (long s = 0; s < steps; s++)
    step_in_parallel (cube, t);
  bench_stop ();

  double before = 0, worst = 0;
  for (long i = 0; i < cube->n * cube->n * cube->n; i++)
    before = fmax (before, hypot (cube->at[i].re - initial_value (i).re,
				  cube->at[i].im - initial_value (i).im));
  step_serially (cube, -t * steps);
  for (long i = 0; i < cube->n * cube->n * cube->n; i++)
    worst = fmax (worst, hypot (cube->at[i].re - initial_value (i).re,
				cube->at[i].im - initial_value (i).im));
  printf ("ft: moved the cube by up to %.3g; undone, an error of %.3g is left\n", before, worst);
  /* The first condition keeps a run that did nothing from passing.  */
  bench_verify (before > 0.01 && worst < 1e-9);
  return bench_result (NULL);
}
