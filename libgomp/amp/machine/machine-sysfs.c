/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Core classes from the kernel's files in /sys.  */

#define _GNU_SOURCE 1
#include "machine/machine-source.h"
#include "base/cpulist.h"
#include "base/parse.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No file of sysfs is longer than a page.  */
#define MAX_TEXT 4096

/* A CPU's highest frequency in kHz.  */
#define MAX_FREQ "cpufreq/cpuinfo_max_freq"

bool
gomp_amp_read_text (const char *path, char *text, size_t size)
{
  size_t length = 0;
  ssize_t got;
  /* O_NONBLOCK: a FIFO in place of a file must not block the program.  */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  if (fd < 0)
    return false;
  do
    {
      got = read (fd, text + length, size - 1 - length);
      if (got > 0)
	length += got;
    }
  while (got > 0 && length < size - 1);
  close (fd);
  text[length] = '\0';
  return got == 0 && strlen (text) == length;
}

bool
gomp_amp_sysfs_cpu_text (const char *root, unsigned cpu, const char *name,
			 char *text, size_t size)
{
  char path[PATH_MAX];
  int length = snprintf (path, sizeof path, "%s/devices/system/cpu/cpu%u/%s",
			 root, cpu, name);

  return length > 0 && (size_t) length < sizeof path
	 && gomp_amp_read_text (path, text, size);
}

bool
gomp_amp_sysfs_cpu_number (const char *root, unsigned cpu, const char *name,
			   unsigned long *number)
{
  char text[32];
  const char *p = text;

  return gomp_amp_sysfs_cpu_text (root, cpu, name, text, sizeof text)
	 && gomp_amp_read_number (&p, ULONG_MAX, number)
	 && gomp_amp_at_end (p);
}

bool
gomp_amp_sysfs_root_p (const char *directory)
{
  char path[PATH_MAX];
  int length = snprintf (path, sizeof path, "%s/devices/system/cpu/.",
			 directory);

  return length > 0 && (size_t) length < sizeof path
	 && access (path, R_OK) == 0;
}

/* Answer as SOURCE with the numbers in each CPU's file NAME.  Fails unless
   every CPU of the mask has a number other than 0.  FAVOURS: see struct
   gomp_amp_probe.  */

static bool
numbers_of_cpus (struct gomp_amp_probe *probe, const char *name,
		 const char *source, bool favours)
{
  memset (probe->value, 0, probe->ncpus * sizeof *probe->value);
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu]
	&& (!gomp_amp_sysfs_cpu_number (probe->root, cpu, name,
					&probe->value[cpu])
	    || probe->value[cpu] == 0))
      return false;

  /* Classes belong to the machine: CPUs outside of the mask count too.  */
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (!probe->in_mask[cpu]
	&& !gomp_amp_sysfs_cpu_number (probe->root, cpu, name,
				       &probe->value[cpu]))
      probe->value[cpu] = 0;
  probe->ranks = false;
  probe->favours = favours;
  probe->source = source;
  return true;
}

static bool
source_capacity (struct gomp_amp_probe *probe)
{
  return numbers_of_cpus (probe, "cpu_capacity", "cpu_capacity", false);
}

/* AMD's firmware ranks cores of one kind by this number, in steps of about 5
   from 166 up to 236.  Cores of another kind are far below.  */

static bool
source_highest_perf (struct gomp_amp_probe *probe)
{
  return numbers_of_cpus (probe, "acpi_cppc/highest_perf", "acpi_cppc", true);
}

/* On AMD, kernels before 6.12 compute this from highest_perf and report
   frequencies that no core reaches.  On other chips it shows turbo bins.  */

static bool
source_max_freq (struct gomp_amp_probe *probe)
{
  return numbers_of_cpus (probe, MAX_FREQ, "cpuinfo_max_freq", true);
}

/* Give RANK to the CPUs that the performance monitoring unit PMU covers.
   Returns whether it exists and covers any.  */

static bool
rank_pmu (struct gomp_amp_probe *probe, const char *pmu, unsigned long rank)
{
  char path[PATH_MAX], text[MAX_TEXT];
  bool *member, any = false;
  int length = snprintf (path, sizeof path, "%s/devices/%s/cpus", probe->root,
			 pmu);

  if (length < 0 || (size_t) length >= sizeof path
      || !gomp_amp_read_text (path, text, sizeof text))
    return false;
  member = calloc (probe->ncpus, sizeof *member);
  if (member == NULL)
    return false;
  if (gomp_amp_parse_cpulist (text, member, probe->ncpus))
    for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
      if (member[cpu])
	{
	  any = true;
	  probe->value[cpu] = rank;
	}
  free (member);
  return any;
}

/* Whether CPU has a cache of the third level.  */

static bool
has_l3 (const struct gomp_amp_probe *probe, unsigned cpu)
{
  char text[MAX_TEXT];

  return gomp_amp_sysfs_cpu_text (probe->root, cpu,
				  "cache/index3/shared_cpu_list", text,
				  sizeof text);
}

/* Low-power E cores are on another tile than the cache of the third level that
   the other E cores share: give RANK to the CPUs of rank OLD that have none, if
   others of them have one.  */

static void
rank_without_l3 (struct gomp_amp_probe *probe, unsigned long old,
		 unsigned long rank)
{
  bool any = false;

  for (unsigned cpu = 0; cpu < probe->ncpus && !any; cpu++)
    any = probe->value[cpu] == old && has_l3 (probe, cpu);
  for (unsigned cpu = 0; cpu < probe->ncpus && any; cpu++)
    if (probe->value[cpu] == old && !has_l3 (probe, cpu))
      probe->value[cpu] = rank;
}

/* The highest frequency of CPU in MHz, limited to 100..8191; 0 if unknown.  */

static unsigned long
max_mhz (const struct gomp_amp_probe *probe, unsigned cpu)
{
  unsigned long khz;

  if (!gomp_amp_sysfs_cpu_number (probe->root, cpu, MAX_FREQ, &khz))
    return 0;
  khz /= 1000;
  return khz < 100 ? 100 : khz > 8191 ? 8191 : khz;
}

/* Split types of cores by frequency, if the frequency is known for all CPUs
   that have a type: Meteor Lake's E cores of 3.8 GHz and of 2.5 GHz both have
   the type cpu_atom.  A type of rank R gets the value frequency * 256^(R-1),
   so that types stay apart for any frequencies.  */

static void
refine_by_frequency (struct gomp_amp_probe *probe)
{
  bool told = true;

  for (unsigned cpu = 0; cpu < probe->ncpus && told; cpu++)
    told = probe->value[cpu] == 0 || max_mhz (probe, cpu) != 0;
  for (unsigned cpu = 0; cpu < probe->ncpus && told; cpu++)
    if (probe->value[cpu] != 0)
      probe->value[cpu] = max_mhz (probe, cpu)
			  << 8 * (probe->value[cpu] - 1);
  probe->favours = told;
}

/* Hybrid x86: each type of core has a performance monitoring unit of its
   own.  */

static bool
source_pmu (struct gomp_amp_probe *probe)
{
  memset (probe->value, 0, probe->ncpus * sizeof *probe->value);
  if (!rank_pmu (probe, "cpu_core", 3) || !rank_pmu (probe, "cpu_atom", 2))
    return false;
  rank_pmu (probe, "cpu_lowpower", 1);
  rank_without_l3 (probe, 2, 1);
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu] && probe->value[cpu] == 0)
      return false;
  refine_by_frequency (probe);
  probe->ranks = true;
  probe->source = "cpu_core/cpu_atom";
  return true;
}

gomp_amp_source *const gomp_amp_sysfs_sources[] = {
  source_capacity, source_pmu, source_highest_perf, source_max_freq, NULL
};
