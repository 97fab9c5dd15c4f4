/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads affinity masks.  */

#define _GNU_SOURCE 1
#include "base/mask.h"
#include <errno.h>
#include <sched.h>
#include <unistd.h>

void *
gomp_amp_thread_mask (pid_t thread, size_t *size)
{
  /* The kernel rejects a set that is smaller than its own.  */
  for (unsigned long cpus = 1024; cpus <= 1ul << 20; cpus *= 2)
    {
      cpu_set_t *mask = CPU_ALLOC (cpus);

      *size = CPU_ALLOC_SIZE (cpus);
      if (mask == NULL)
	return NULL;
      if (sched_getaffinity (thread, *size, mask) == 0)
	return mask;
      CPU_FREE (mask);
      if (errno != EINVAL)
	return NULL;
    }
  return NULL;
}

bool
gomp_amp_mask_has (const void *mask, size_t size, unsigned cpu)
{
  return mask == NULL
	 || (cpu < 8 * size && CPU_ISSET_S (cpu, size, (cpu_set_t *) mask));
}

unsigned
gomp_amp_mask_reach (const void *mask, size_t size)
{
  long configured = sysconf (_SC_NPROCESSORS_CONF);
  unsigned n = configured > 0 ? configured : 1;

  for (unsigned cpu = n; mask != NULL && cpu < 8 * size; cpu++)
    if (gomp_amp_mask_has (mask, size, cpu))
      n = cpu + 1;
  return n;
}
