/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows what an OpenMP program sees of the environment: the schedule, its
   threads and where they are bound; runs a loop; exits with 7.  */

#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#define ITERATIONS 20000

/* Call this in each iteration: a thread's second one lasts until every thread
   has come to its second, and so has finished a sample of one.  */

static void
meet (int *mine)
{
  static int arrived;

  if (++*mine != 2)
    return;
  __atomic_add_fetch (&arrived, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n (&arrived, __ATOMIC_ACQUIRE) < omp_get_num_threads ())
    sched_yield ();
}

int
main (void)
{
  static unsigned char seen[ITERATIONS];
  omp_sched_t kind;
  int chunk, wrong = 0;

  omp_get_schedule (&kind, &chunk);
  printf ("schedule %x %d\n", (unsigned) kind, chunk);

#pragma omp parallel
  {
    int mine = 0;

#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < omp_get_num_threads (); i++)
      {
#pragma omp ordered
	{
	  cpu_set_t set;

	  printf ("thread %d", i);
	  if (sched_getaffinity (0, sizeof set, &set) == 0)
	    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
	      if (CPU_ISSET (cpu, &set))
		printf (" %d", cpu);
	  putchar ('\n');
	}
      }
#pragma omp for schedule(runtime)
    for (int i = 0; i < ITERATIONS; i++)
      {
	seen[i]++;
	meet (&mine);
      }
  }
  for (int i = 0; i < ITERATIONS; i++)
    wrong += seen[i] != 1;
  printf ("wrong %d\n", wrong);
  return 7;
}
