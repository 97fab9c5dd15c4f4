/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Places made of virtual CPUs.  Upstream's code finds them, but binds no real
   thread.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/virtual.h"

/* The sysfs files that say which CPUs belong together.  Every virtual CPU is a
   core of its own; all of them are in one socket and one NUMA domain.  */

static FILE *
open_virtual_sysfs (const char *name)
{
  static const char cpu_directory[] = "/sys/devices/system/cpu/cpu";
  size_t prefix = sizeof cpu_directory - 1;
  const char *file = strrchr (name, '/') + 1;
  FILE *stream;

  if (strcmp (file, "online") != 0 && strcmp (file, "cpulist") != 0
      && strcmp (file, "thread_siblings_list") != 0
      && strcmp (file, "core_siblings_list") != 0)
    return NULL;
  stream = tmpfile ();
  if (stream == NULL)
    return NULL;
  if (strcmp (file, "online") == 0)
    fputs ("0\n", stream);
  else if (strcmp (file, "thread_siblings_list") == 0)
    fprintf (stream, "%lu\n", strtoul (name + prefix, NULL, 10));
  else
    fprintf (stream, "0-%u\n", gomp_virtual_cpus () - 1);
  rewind (stream);
  return stream;
}

#define fopen(name, mode) open_virtual_sysfs (name)
#define pthread_setaffinity_np(thread, size, set) ((void) 0)
#define pthread_attr_setaffinity_np(attr, size, set) ((void) (attr))
#include "config/linux/affinity.c"
