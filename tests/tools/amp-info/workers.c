/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints which workers threads are on: outside of parallel regions, in a team,
   in an inner team, in a team of one.  */

#define _GNU_SOURCE
#include <omp.h>
#include <ompx_amp.h>
#include <sched.h>
#include <stdio.h>

static void
print_worker (void)
{
  printf ("worker %d of %d", ompx_amp_get_worker_num (),
	  ompx_amp_get_num_workers ());
}

static void
print_cpus (void)
{
  const char *separator = ", CPUs ";
  cpu_set_t set;

  sched_getaffinity (0, sizeof set, &set);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET (cpu, &set))
      {
	printf ("%s%d", separator, cpu);
	separator = ",";
      }
  putchar ('\n');
}

static void
alone (void)
{
  printf ("alone: ");
  print_worker ();
  print_cpus ();
}

int
main (void)
{
  alone ();
#pragma omp parallel
  {
    /* Threads go to their workers where they first wait.  */
#pragma omp barrier
#pragma omp barrier
#pragma omp for ordered schedule (static, 1)
    for (int i = 0; i < omp_get_num_threads (); i++)
#pragma omp ordered
      {
	printf ("team of %d: %d: ", omp_get_num_threads (), i);
	print_worker ();
	/* The initial thread, which may carry any id of its worker, is bound
	   only where it strays.  */
	if (ompx_amp_get_worker_num () == 0)
	  putchar ('\n');
	else
	  print_cpus ();
      }
#pragma omp master
/* As many threads as the outer team has.  */
#pragma omp parallel num_threads (3)
#pragma omp master
    {
      printf ("inner: ");
      print_worker ();
      putchar ('\n');
    }
  }
#pragma omp parallel num_threads (1)
  {
    printf ("team of 1: ");
    print_worker ();
    putchar ('\n');
  }
  alone ();
  return 0;
}
