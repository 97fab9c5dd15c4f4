/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds the process's core classes, once, when they are first asked for.  */

#define _GNU_SOURCE 1
#include "classes-source.h"
#include "fork-lock.h"
#include "message.h"
#include "parse.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYS "/sys"

/* What follows a GOMP_AMP_TOPOLOGY that cannot be had.  */
#define CONSEQUENCE "asking the kernel instead"

const struct gomp_amp_classes *gomp_amp_classes_table;

/* What there is when memory is short: one class of CPUs unknown.  */

static unsigned unknown_capacity[1];
static const struct gomp_amp_classes unknown_classes = {
  .count = 1, .capacity = unknown_capacity, .source = "none", .root = SYS
};

/* The process's mask as gomp_amp_set_process_mask was told.  */

static cpu_set_t *process_mask;
static size_t process_mask_size;

/* What GOMP_AMP_TOPOLOGY asks for.  */
enum request
{
  REQUEST_KERNEL,
  REQUEST_OFF,
  REQUEST_LIST,
  REQUEST_HWLOC
};

/* Judge TOPOLOGY, a value of GOMP_AMP_TOPOLOGY or NULL; *ROOT is changed to
   the directory that it names, if it does.  */

static enum request
judge_topology (const char *topology, const char **root)
{
  if (topology == NULL)
    return REQUEST_KERNEL;
  if (gomp_amp_word_is (topology, strlen (topology), "off"))
    return REQUEST_OFF;
  if (gomp_amp_word_is (topology, strlen (topology), "hwloc"))
    return REQUEST_HWLOC;
  if (*topology != '/')
    return REQUEST_LIST;
  if (gomp_amp_sysfs_root_p (topology))
    *root = topology;
  else
    gomp_amp_option_error ("GOMP_AMP_TOPOLOGY", topology,
			   "no readable directory devices/system/cpu there",
			   CONSEQUENCE);
  return REQUEST_KERNEL;
}

/* Let the sources that TOPOLOGY allows answer PROBE; hwloc only if LOAD.  */

static void
answer (struct gomp_amp_probe *probe, const char *topology, bool load)
{
  char detail[256];
  const char *why;
  enum request request = judge_topology (topology, &probe->root);

  switch (request)
    {
    case REQUEST_LIST:
      if (gomp_amp_topology_list (topology, probe))
	return;
      break;

    case REQUEST_OFF:
      for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
	probe->value[cpu] = 1;
      probe->ranks = true;
      probe->source = "GOMP_AMP_TOPOLOGY";
      return;

    case REQUEST_HWLOC:
      why = gomp_amp_ask_hwloc (probe, detail, sizeof detail);
      if (why == NULL)
	return;
      gomp_amp_option_error ("GOMP_AMP_TOPOLOGY", topology, why, CONSEQUENCE);
      break;

    case REQUEST_KERNEL:
      break;
    }
#ifdef GOMP_AMP_VIRTUAL
  if (topology == NULL && gomp_amp_virtual_source (probe))
    return;
#endif
  for (gomp_amp_source *const *source = gomp_amp_sysfs_sources;
       *source != NULL; source++)
    if ((*source) (probe))
      return;
  /* hwloc looks at this machine, whatever directory stands for /sys.  */
  if (load && request != REQUEST_HWLOC && strcmp (probe->root, SYS) == 0)
    {
      why = gomp_amp_ask_hwloc (probe, detail, sizeof detail);
      if (why == NULL)
	return;
      gomp_debug (0, "libgomp: core classes are not known: %s\n", why);
    }
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    probe->value[cpu] = 1;
  probe->ranks = true;
  probe->source = "none";
}

/* As gomp_amp_find_classes; without LOAD hwloc is not asked, and the result is
   NULL if nothing else knows.  */

static struct gomp_amp_classes *
find_classes (const char *topology, const char *root, unsigned ncpus,
	      const bool *in_mask, bool load)
{
  struct gomp_amp_classes *table = NULL;
  struct gomp_amp_probe probe
    = { .root = root, .ncpus = ncpus, .in_mask = in_mask };

  probe.value = calloc (ncpus, sizeof *probe.value);
  if (probe.value != NULL)
    {
      answer (&probe, topology, load);
      if (load || strcmp (probe.source, "none") != 0)
	table = gomp_amp_group_classes (&probe);
    }
  free (probe.value);
  return table;
}

struct gomp_amp_classes *
gomp_amp_find_classes (const char *topology, const char *root, unsigned ncpus,
		       const bool *in_mask)
{
  return find_classes (topology, root, ncpus, in_mask, true);
}

void
gomp_amp_set_process_mask (size_t size, const void *mask)
{
  process_mask = malloc (size);
  if (process_mask == NULL)
    return;
  memcpy (process_mask, mask, size);
  process_mask_size = size;
}

/* The calling thread's mask, for want of the process's.  NULL if the kernel
   does not tell, else the caller frees it.  */

static cpu_set_t *
thread_mask (size_t *size)
{
  /* The kernel refuses a set that is too small for it.  */
  for (unsigned long cpus = 1024; cpus <= 1ul << 20; cpus *= 2)
    {
      cpu_set_t *mask = CPU_ALLOC (cpus);

      *size = CPU_ALLOC_SIZE (cpus);
      if (mask == NULL)
	return NULL;
      if (sched_getaffinity (0, *size, mask) == 0)
	return mask;
      CPU_FREE (mask);
    }
  return NULL;
}

/* One bool per CPU, whether MASK of SIZE bytes (NULL: all) has it; as many as
   the machine can have, or as MASK has.  The caller frees it.  */

static bool *
unpack_mask (const cpu_set_t *mask, size_t size, unsigned *ncpus)
{
  long configured = sysconf (_SC_NPROCESSORS_CONF);
  unsigned n = configured > 0 ? configured : 1;
  bool *in_mask;

  for (unsigned cpu = n; mask != NULL && cpu < 8 * size; cpu++)
    if (CPU_ISSET_S (cpu, size, mask))
      n = cpu + 1;
  in_mask = calloc (n, sizeof *in_mask);
  if (in_mask != NULL)
    for (unsigned cpu = 0; cpu < n; cpu++)
      in_mask[cpu] = mask == NULL
		     || (cpu < 8 * size && CPU_ISSET_S (cpu, size, mask));
  *ncpus = n;
  return in_mask;
}

/* Find the classes as the options say.  Without LOAD hwloc is not asked, and
   the result is NULL if nothing else knows; else never.  */

static const struct gomp_amp_classes *
find (bool load)
{
  const struct gomp_amp_classes *table = NULL;
  size_t size = process_mask_size;
  cpu_set_t *mask = process_mask;
  unsigned ncpus;
  bool *in_mask;

  if (mask == NULL)
    mask = thread_mask (&size);
  in_mask = unpack_mask (mask, size, &ncpus);
  if (in_mask != NULL)
    table = find_classes (gomp_amp_options.topology, SYS, ncpus, in_mask,
			  load);
  free (in_mask);
  if (mask != process_mask)
    CPU_FREE (mask);
  return table != NULL || !load ? table : &unknown_classes;
}

/* Publish FOUND unless there is a table already: the first one stays, as arrays
   were allocated by its number of classes.  Returns the one that stays.  */

static const struct gomp_amp_classes *
publish (const struct gomp_amp_classes *found)
{
  const struct gomp_amp_classes *table;

  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  table = gomp_amp_classes_table;
  if (table == NULL)
    {
      table = found;
      __atomic_store_n (&gomp_amp_classes_table, table, __ATOMIC_RELEASE);
    }
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
  return table;
}

const struct gomp_amp_classes *
gomp_amp_detect_classes (void)
{
  const struct gomp_amp_classes *table;

  gomp_amp_acquire (GOMP_AMP_LOCK_DETECTION);
  /* Acquire: a child process may have lost the lock that orders this.  There is
     a table also if hwloc ran code that asked for the classes.  */
  table = __atomic_load_n (&gomp_amp_classes_table, __ATOMIC_ACQUIRE);
  if (table == NULL)
    table = publish (find (true));
  gomp_amp_release (GOMP_AMP_LOCK_DETECTION);
  return table;
}

bool
gomp_amp_detect_without_loading (void)
{
  const struct gomp_amp_classes *table
    = __atomic_load_n (&gomp_amp_classes_table, __ATOMIC_ACQUIRE);

  /* Not with the lock around the detection: who holds it may be waiting for the
     loader's.  */
  if (table == NULL)
    {
      table = find (false);
      if (table != NULL)
	publish (table);
    }
  return table != NULL;
}
