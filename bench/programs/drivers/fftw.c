/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms a cube by Debian's FFTW with its OpenMP threads, as many times as the argument says,
   and prints some of the values.  The prototypes stand here because the package with FFTW's headers
   is not unpacked.  */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex_value[2];
typedef struct fftw_plan_s *plan;
extern int fftw_init_threads (void);
extern void fftw_plan_with_nthreads (int);
extern plan fftw_plan_dft_3d (int, int, int, complex_value *, complex_value *, int, unsigned);
extern void fftw_execute (plan);

enum
{
  SIDE = 128,
  FORWARD = -1,
  ESTIMATE = 1 << 6
};

int
main (int argc, char **argv)
{
  int times = argc > 1 ? atoi (argv[1]) : 1;
  size_t count = (size_t) SIDE * SIDE * SIDE;
  complex_value *from = malloc (count * sizeof *from);
  complex_value *to = malloc (count * sizeof *to);
  if (!from || !to || !fftw_init_threads ())
    return 1;
  fftw_plan_with_nthreads (omp_get_max_threads ());
  plan transform = fftw_plan_dft_3d (SIDE, SIDE, SIDE, from, to, FORWARD, ESTIMATE);
  for (size_t i = 0; i < count; i++)
    {
      from[i][0] = (double) (i * 2654435761u % 1000) / 1000;
      from[i][1] = 0;
    }
  for (int i = 0; i < times; i++)
    fftw_execute (transform);
  for (size_t i = 0; i < count; i += count / 16 + 1)
    printf ("%.17g %.17g\n", to[i][0], to[i][1]);
  return 0;
}
