/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tasks that epcc measures.

   After EPCC's taskbench: Bull, Reid, McDonnell, "A Microbenchmark Suite for OpenMP Tasks", IWOMP
   2012.  Chains of dependences are an addition.  */

#include "epcc.h"

void
epcc_task_one (struct epcc_load *load)
{
#pragma omp parallel
#pragma omp single
  for (long r = 0; r < load->repetitions * load->threads; r++)
    {
#pragma omp task
      epcc_work (load);
    }
}

void
epcc_task_all (struct epcc_load *load)
{
#pragma omp parallel
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp task
      epcc_work (load);
    }
}

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

void
epcc_depend_one (struct epcc_load *load)
{
#pragma omp parallel
#pragma omp single
  for (long r = 0; r < load->repetitions; r++)
    {
#pragma omp task depend(inout : load->shared)
      epcc_work_alone (load, &load->shared);
    }
}

/* A chain is counted in the tally of the thread that made it, not of those that run its tasks.  */
void
epcc_depend_all (struct epcc_load *load)
{
#pragma omp parallel
  {
    long *delays = &load->tallies[omp_get_thread_num ()].count;
    for (long r = 0; r < load->repetitions; r++)
      {
#pragma omp task depend(inout : *delays)
	epcc_work_alone (load, delays);
      }
  }
}
