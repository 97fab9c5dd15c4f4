/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The timing routines of OpenMP, in virtual time.  */

#include "libgomp.h"
#include "virtual/virtual.h"

double
omp_get_wtime (void)
{
  return gomp_virtual_now () / 1e9;
}

double
omp_get_wtick (void)
{
  return 1e-9;
}

ialias (omp_get_wtime)
ialias (omp_get_wtick)
