/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reports the core classes to programs (ompx_amp.h).  */

#include "../../include/ompx_amp.h"
#include "machine/affinity.h"
#include "machine/machine-source.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* The machine if it has CPU, else NULL.  */

static const struct gomp_amp_machine *
machine_with (int cpu)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();

  return cpu >= 0 && (unsigned) cpu < machine->ncpus ? machine : NULL;
}

/* Whether the process may use CPU, which the machine has.  */

static bool
usable (unsigned cpu)
{
  const struct gomp_amp_allotment *allotment = gomp_amp_usable_now ();

  return cpu < allotment->ncpus && allotment->usable[cpu];
}

int
ompx_amp_get_num_classes (void)
{
  unsigned found = gomp_amp_machine ()->count;
  unsigned possible = gomp_amp_class_count ();

  /* GOMP_AMP_THREAD_CLASSES may have fewer classes than the CPUs.  */
  return found > possible ? found : possible;
}

int
ompx_amp_get_class_capacity (int cls)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();

  if (cls < 0 || cls >= ompx_amp_get_num_classes ())
    return -1;
  return (unsigned) cls < machine->count ? (int) machine->capacity[cls] : 0;
}

const char *
ompx_amp_get_topology_source (void)
{
  return gomp_amp_machine ()->source;
}

int
ompx_amp_get_num_cpus (void)
{
  return gomp_amp_machine ()->ncpus;
}

int
ompx_amp_get_cpu_class (int cpu)
{
  const struct gomp_amp_machine *machine = machine_with (cpu);

  return machine != NULL ? machine->class_of_cpu[cpu] : -1;
}

int
ompx_amp_get_cpu_usable (int cpu)
{
  return machine_with (cpu) != NULL ? usable (cpu) : -1;
}

int
ompx_amp_get_cpu_online (int cpu)
{
  const struct gomp_amp_machine *machine = machine_with (cpu);
  char directory[PATH_MAX];
  unsigned long online;
  int length;

  if (machine == NULL)
    return -1;
  if (usable (cpu))
    return 1;
  if (gomp_amp_sysfs_cpu_number (machine->root, cpu, "online", &online))
    return online != 0;
  /* A CPU that cannot be switched off has no such file.  */
  length = snprintf (directory, sizeof directory,
		     "%s/devices/system/cpu/cpu%d", machine->root, cpu);
  return length > 0 && (size_t) length < sizeof directory
	 && access (directory, F_OK) == 0 ? 1 : -1;
}

int
ompx_amp_get_cpu_core (int cpu)
{
  const struct gomp_amp_machine *machine = machine_with (cpu);

  return machine != NULL ? gomp_amp_core_of_cpu (machine, cpu) : -1;
}
