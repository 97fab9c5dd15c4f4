/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result block of the NAS Parallel Benchmarks, for those in C.  */

#include "npb.h"
#include "bench.h"

#include <omp.h>
#include <stdio.h>

const char *const npb_class_names[] = { "S", "W", "A", "B", NULL };

int
npb_finish (const struct npb_run *run)
{
  double speed = run->operations / run->seconds;
  int threads = omp_get_max_threads ();

  printf ("\n %s Benchmark Completed.\n", run->program);
  printf (" %-16s=%25s\n", "Class", npb_class_names[run->class]);
  printf (" %-16s=%25ld\n", "Size", run->size);
  printf (" %-16s=%25ld\n", "Iterations", run->iterations);
  printf (" %-16s=%25.4f\n", "Time in seconds", run->seconds);
  printf (" %-16s=%25d\n", "Total threads", threads);
  printf (" %-16s=%25.2f\n", "Mop/s total", speed);
  printf (" %-16s=%25.2f\n", "Mop/s/thread", speed / threads);
  printf (" %-16s=%25s\n", "Operation type", run->operation);
  printf (" %-16s=%25s\n\n", "Verification", run->verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
  return bench_result (run->seconds, run->verified, NULL);
}
