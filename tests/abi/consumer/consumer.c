/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A user's program: sets one of the fork's schedules, and says whose libgomp it has.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <ompx_amp.h>
#include <stdio.h>

int
main (void)
{
  omp_sched_t kind;
  int chunk, count = 0;
  omp_set_schedule ((omp_sched_t) ompx_amp_sched_aid_hybrid, 5);
  omp_get_schedule (&kind, &chunk);
#pragma omp parallel for schedule(runtime) reduction(+ : count)
  for (int i = 0; i < 1000; i++)
    count++;
  printf ("%s aid_hybrid %d %d\n",
	  dlsym (RTLD_DEFAULT, "ompx_amp_version") ? "ours" : "not ours",
	  (int) kind, chunk);
  return count != 1000;
}
