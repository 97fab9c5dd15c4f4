/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The number of processors: upstream's code, applied to the virtual
   machine.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "virtual/virtual.h"

static int
virtual_getaffinity (size_t size, cpu_set_t *set)
{
  unsigned cpus = gomp_virtual_cpus ();
  if (size * 8 < cpus)
    return EINVAL;
  CPU_ZERO_S (size, set);
  for (unsigned cpu = 0; cpu < cpus; cpu++)
    CPU_SET_S (cpu, size, set);
  return 0;
}

#define pthread_getaffinity_np(thread, size, set) \
  virtual_getaffinity (size, set)
#define sysconf(name) ((long) gomp_virtual_cpus ())
/* The virtual machine runs no other program.  */
#define getloadavg(averages, count) (-1)
#include "config/linux/proc.c"
