/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what ompx_amp.h's functions answer, one line each.  */

#include <omp.h>
#include <ompx_amp.h>
#include <stdio.h>

int
main (void)
{
  int cpus = ompx_amp_get_num_cpus ();
  int classes = ompx_amp_get_num_classes ();
  int kind, chunk, arg;

  printf ("source %s\n", ompx_amp_get_topology_source ());
  for (int cls = -1; cls <= classes; cls++)
    printf ("class %d %d\n", cls, ompx_amp_get_class_capacity (cls));
  for (int cpu = -1; cpu <= cpus; cpu++)
    printf ("cpu %d %d %d %d %d\n", cpu, ompx_amp_get_cpu_class (cpu),
	    ompx_amp_get_cpu_usable (cpu), ompx_amp_get_cpu_online (cpu),
	    ompx_amp_get_cpu_core (cpu));
  ompx_amp_get_routed_schedule (&kind, &chunk, &arg);
  printf ("alone %x %d %d\n", (unsigned) kind, chunk, arg);
  ompx_amp_get_routed_schedule (NULL, NULL, NULL);
#pragma omp parallel private (kind, chunk, arg)
  {
    ompx_amp_get_routed_schedule (&kind, &chunk, &arg);
#pragma omp for ordered schedule (static, 1)
    for (int i = 0; i < omp_get_num_threads (); i++)
#pragma omp ordered
      printf ("thread %d %d %.2f %x %d %d %d %d\n", i,
	      ompx_amp_get_thread_class (), ompx_amp_get_share (), (unsigned) kind, chunk, arg,
	      ompx_amp_get_num_workers (), ompx_amp_get_worker_num ());
  }
  return 0;
}
