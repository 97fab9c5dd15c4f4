/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Tells programs the core classes (ompx_amp.h).  */

#include "../include/ompx_amp.h"
#include "affinity.h"
#include "classes-source.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* The table if it has CPU, else NULL.  */

static const struct gomp_amp_classes *
table_with (int cpu)
{
  const struct gomp_amp_classes *table = gomp_amp_classes ();

  return cpu >= 0 && (unsigned) cpu < table->ncpus ? table : NULL;
}

int
ompx_amp_get_num_classes (void)
{
  unsigned found = gomp_amp_classes ()->count;
  unsigned possible = gomp_amp_class_count ();

  /* GOMP_AMP_THREAD_CLASSES may leave out classes that CPUs are of.  */
  return found > possible ? found : possible;
}

int
ompx_amp_get_class_capacity (int cls)
{
  const struct gomp_amp_classes *table = gomp_amp_classes ();

  if (cls < 0 || cls >= ompx_amp_get_num_classes ())
    return -1;
  return (unsigned) cls < table->count ? (int) table->capacity[cls] : 0;
}

const char *
ompx_amp_get_topology_source (void)
{
  return gomp_amp_classes ()->source;
}

int
ompx_amp_get_num_cpus (void)
{
  return gomp_amp_classes ()->ncpus;
}

int
ompx_amp_get_cpu_class (int cpu)
{
  const struct gomp_amp_classes *table = table_with (cpu);

  return table != NULL ? table->class_of_cpu[cpu] : -1;
}

int
ompx_amp_get_cpu_usable (int cpu)
{
  const struct gomp_amp_classes *table = table_with (cpu);

  return table != NULL ? table->in_mask[cpu] : -1;
}

int
ompx_amp_get_cpu_online (int cpu)
{
  const struct gomp_amp_classes *table = table_with (cpu);
  char directory[PATH_MAX];
  unsigned long online;
  int length;

  if (table == NULL)
    return -1;
  if (table->in_mask[cpu])
    return 1;
  if (gomp_amp_sysfs_cpu_number (table->root, cpu, "online", &online))
    return online != 0;
  /* A CPU that can't be switched off has no such file.  */
  length = snprintf (directory, sizeof directory,
		     "%s/devices/system/cpu/cpu%d", table->root, cpu);
  return length > 0 && (size_t) length < sizeof directory
	 && access (directory, F_OK) == 0 ? 1 : -1;
}

int
ompx_amp_get_cpu_core (int cpu)
{
  const struct gomp_amp_classes *table = table_with (cpu);

  return table != NULL ? gomp_amp_core_of_cpu (table, cpu) : -1;
}
