/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worksharing loops that epcc measures, under the schedule that OMP_SCHEDULE names.

   After EPCC's schedbench: Bull, "Measuring synchronisation and scheduling overheads in OpenMP",
   EWOMP 1999.  */

#include "epcc.h"

/* Loops of N iterations for each thread.  */
static void
loops (struct epcc_load *load, long n)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp for schedule(runtime)
      for (long i = 0; i < n * load->threads; i++)
	epcc_work (load);
    }
}

void
epcc_loop (struct epcc_load *load)
{
  loops (load, 1);
}

void
epcc_loop_long (struct epcc_load *load)
{
  loops (load, 1 + EPCC_ITERATIONS);
}

void
epcc_loop_nowait (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp for schedule(runtime) nowait
      for (long i = 0; i < load->threads; i++)
	epcc_work (load);
    }
}
