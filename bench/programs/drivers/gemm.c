/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiplies matrices by Debian's OpenBLAS with its OpenMP threads, as many times as the argument
   says, and prints some of the values.  The prototype stands here because the package with
   OpenBLAS's headers is not unpacked.  */

#include <stdio.h>
#include <stdlib.h>

extern void cblas_dgemm (int, int, int, int, int, int, double, const double *, int, const double *,
                         int, double, double *, int);

enum
{
  SIDE = 1200,
  ROW_MAJOR = 101,
  AS_IT_IS = 111
};

int
main (int argc, char **argv)
{
  int times = argc > 1 ? atoi (argv[1]) : 1;
  size_t count = (size_t) SIDE * SIDE;
  double *a = malloc (count * sizeof *a);
  double *b = malloc (count * sizeof *b);
  double *c = malloc (count * sizeof *c);
  if (!a || !b || !c)
    return 1;
  for (size_t i = 0; i < count; i++)
    {
      a[i] = (double) (i * 2654435761u % 1000) / 1000;
      b[i] = (double) (i * 40503u % 1000) / 1000;
    }
  for (int i = 0; i < times; i++)
    cblas_dgemm (ROW_MAJOR, AS_IT_IS, AS_IT_IS, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
  for (size_t i = 0; i < count; i += count / 16 + 1)
    printf ("%.17g\n", c[i]);
  return 0;
}
