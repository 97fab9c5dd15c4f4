/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits for tasks that epcc measures.

   After EPCC's taskbench: Bull, Reid, McDonnell, "A Microbenchmark Suite for OpenMP Tasks", IWOMP
   2012.  */

#include "epcc.h"

/* Here a task is counted by the thread that waits for it.  */
void
epcc_taskwait (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
      long delays = 0;
#pragma omp task shared(delays)
      {
	epcc_delay (load->turns);
	delays = 1;
      }
#pragma omp taskwait
      load->tallies[omp_get_thread_num ()].count += delays;
    }
}

void
epcc_taskgroup (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
      long delays = 0;
#pragma omp taskgroup
      {
#pragma omp task shared(delays)
	{
	  epcc_delay (load->turns);
	  delays = 1;
	}
      }
      load->tallies[omp_get_thread_num ()].count += delays;
    }
}
