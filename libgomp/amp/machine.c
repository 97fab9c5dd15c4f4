/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds the machine, once, when it is first asked for.  */

#include "allotment.h"
#include "fork-lock.h"
#include "machine-source.h"
#include "mask.h"
#include "message.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

#define SYS "/sys"

/* What follows a GOMP_AMP_TOPOLOGY that cannot be had.  */
#define CONSEQUENCE "asking the kernel instead"

const struct gomp_amp_machine *gomp_amp_found_machine;

/* What there is when memory is short: one class of CPUs unknown.  */

static unsigned unknown_capacity[1];
static const struct gomp_amp_machine unknown_machine = {
  .count = 1, .capacity = unknown_capacity, .source = "none", .root = SYS
};
static const struct gomp_amp_allotment unknown_allotment
  = { .present = 1, .count = 1 };

/* The process's mask as gomp_amp_set_process_mask was told.  */

static void *process_mask;
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

/* As gomp_amp_detect; without LOAD hwloc is not asked, and the result is NULL
   if nothing else knows.  */

static struct gomp_amp_machine *
detect (const char *topology, const char *root, unsigned ncpus,
	const bool *in_mask, bool load)
{
  struct gomp_amp_machine *machine = NULL;
  struct gomp_amp_probe probe
    = { .root = root, .ncpus = ncpus, .in_mask = in_mask };

  probe.value = calloc (ncpus, sizeof *probe.value);
  if (probe.value != NULL)
    {
      answer (&probe, topology, load);
      if (load || strcmp (probe.source, "none") != 0)
	machine = gomp_amp_group_classes (&probe);
    }
  free (probe.value);
  return machine;
}

struct gomp_amp_machine *
gomp_amp_detect (const char *topology, const char *root, unsigned ncpus,
		 const bool *in_mask)
{
  return detect (topology, root, ncpus, in_mask, true);
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

/* Publish MACHINE and ALLOTMENT unless there is a machine already: the first
   one stays, as arrays were allocated by its number of classes.  */

static void
publish (const struct gomp_amp_machine *machine,
	 const struct gomp_amp_allotment *allotment)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  if (gomp_amp_found_machine == NULL)
    {
      __atomic_store_n (&gomp_amp_current_allotment, allotment,
			__ATOMIC_RELEASE);
      /* Release: who sees the machine sees that there is an allotment.  */
      __atomic_store_n (&gomp_amp_found_machine, machine, __ATOMIC_RELEASE);
    }
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
}

/* Find the machine as the options say, and publish it with what the process's
   mask allots of it.  Without LOAD hwloc is not asked, and nothing is published
   if nothing else knows.  */

static void
find (bool load)
{
  struct gomp_amp_machine *machine = NULL;
  struct gomp_amp_allotment *allotment = NULL;
  size_t size = process_mask_size;
  void *mask = process_mask;
  unsigned ncpus;
  bool *in_mask;

  /* For want of the process's, the calling thread's.  */
  if (mask == NULL)
    mask = gomp_amp_thread_mask (0, &size);
  ncpus = gomp_amp_mask_reach (mask, size);
  in_mask = malloc (ncpus * sizeof *in_mask);
  if (in_mask != NULL)
    {
      for (unsigned cpu = 0; cpu < ncpus; cpu++)
	in_mask[cpu] = gomp_amp_mask_has (mask, size, cpu);
      machine = detect (gomp_amp_options.topology, SYS, ncpus, in_mask, load);
      if (machine != NULL)
	allotment = gomp_amp_make_allotment (machine, in_mask);
    }
  free (in_mask);
  if (mask != process_mask)
    free (mask);
  if (allotment != NULL)
    publish (machine, allotment);
  else
    {
      free (machine);
      if (load)
	publish (&unknown_machine, &unknown_allotment);
    }
}

const struct gomp_amp_machine *
gomp_amp_find_machine (void)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_DETECTION);
  /* Acquire: a child process may have lost the lock that orders this.  There is
     a machine also if hwloc ran code that asked for it.  */
  if (__atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE) == NULL)
    find (true);
  gomp_amp_release (GOMP_AMP_LOCK_DETECTION);
  return __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE);
}

bool
gomp_amp_find_machine_without_loading (void)
{
  /* Not with the lock around the detection: who holds it may be waiting for the
     loader's.  */
  if (!gomp_amp_machine_known ())
    find (false);
  return gomp_amp_machine_known ();
}
