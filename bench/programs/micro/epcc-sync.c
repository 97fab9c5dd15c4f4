/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The regions and the synchronisation that epcc measures.

   After EPCC's syncbench: Bull, "Measuring synchronisation and scheduling overheads in OpenMP",
   EWOMP 1999.  */

#include "epcc.h"

/* A delay that all threads count together; of two at the same time, only one.  */
static inline void
work_alone (struct epcc_load *load)
{
  long before = load->shared;
  epcc_delay (load->turns);
  load->shared = before + 1;
}

void
epcc_parallel (struct epcc_load *load)
{
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp parallel
      epcc_work (load);
    }
}

void
epcc_reduction (struct epcc_load *load)
{
  long delays = 0;
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp parallel reduction(+ : delays)
      {
	epcc_delay (load->turns);
	delays++;
      }
    }
  load->shared += delays;
}

void
epcc_barrier (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
      epcc_work (load);
#pragma omp barrier
    }
}

void
epcc_single (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp single
      work_alone (load);
    }
}

void
epcc_critical (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = omp_get_thread_num (); r < load->repetitions; r += load->threads)
    {
#pragma omp critical
      work_alone (load);
    }
}
