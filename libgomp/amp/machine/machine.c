/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds the machine once, when it is first needed.  */

#include "machine/allotment.h"
#include "base/fork-lock.h"
#include "machine/machine-source.h"
#include "base/mask.h"
#include "base/message.h"
#include "base/parse.h"
#include <stdlib.h>
#include <string.h>

#define SYS "/sys"

/* What happens after a wrong value of GOMP_AMP_TOPOLOGY.  */
#define CONSEQUENCE "using what the kernel says of the cores"

const struct gomp_amp_machine *gomp_amp_found_machine;

/* The machine when memory is short: one class, and no known CPU.  */

static unsigned unknown_capacity[1];
static const struct gomp_amp_machine unknown_machine = {
  .count = 1, .capacity = unknown_capacity, .source = "none", .root = SYS
};
static const struct gomp_amp_allotment unknown_allotment
  = { .present = 1, .count = 1 };

/* The argument of gomp_amp_set_process_mask, copied.  */

static void *process_mask;
static size_t process_mask_size;

/* What GOMP_AMP_TOPOLOGY requests.  */
enum request
{
  REQUEST_KERNEL,
  REQUEST_OFF,
  REQUEST_LIST,
  REQUEST_HWLOC
};

/* What TOPOLOGY, a value of GOMP_AMP_TOPOLOGY or NULL, requests.  If it names
   a directory, stores that in *ROOT.  */

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

/* Ask the sources that TOPOLOGY allows until one answers PROBE.  hwloc is
   asked without being requested only if LOAD.  */

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
  /* hwloc always examines this machine, even if another directory stands for
     /sys.  */
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

/* gomp_amp_detect, but without LOAD hwloc is not asked, and the
   result is NULL if no other source answers.  */

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

/* Whether MACHINE is as its structure says.  */

static inline bool
sound_p (const struct gomp_amp_machine *machine)
{
  const unsigned *capacity = machine->capacity;

  if (machine->count < 1 || machine->count > GOMP_AMP_MAX_CLASSES)
    return false;
  for (unsigned cpu = 0; cpu < machine->ncpus; cpu++)
    if (machine->class_of_cpu[cpu] >= machine->count)
      return false;
  for (unsigned class = 1; class < machine->count; class++)
    if (capacity[class] < capacity[class - 1])
      return false;
  return capacity[0] == 0 || capacity[machine->count - 1] == 1024;
}

/* Publish MACHINE and ALLOTMENT unless there is a machine already.  The first
   machine stays, since arrays have been allocated by its number of
   classes.  */

static void
publish (const struct gomp_amp_machine *machine,
	 const struct gomp_amp_allotment *allotment)
{
  GOMP_AMP_ASSERT (sound_p (machine) && allotment->ncpus == machine->ncpus);
  gomp_amp_acquire (GOMP_AMP_LOCK_TABLE);
  if (gomp_amp_found_machine == NULL)
    {
      __atomic_store_n (&gomp_amp_current_allotment, allotment,
			__ATOMIC_RELEASE);
      /* Release: a thread that sees the machine sees an allotment.  */
      __atomic_store_n (&gomp_amp_found_machine, machine, __ATOMIC_RELEASE);
    }
  gomp_amp_release (GOMP_AMP_LOCK_TABLE);
}

/* Find the machine as the options request, and publish it with the allotment
   by the process's mask.  Without LOAD hwloc is not asked, and nothing is
   published if no other source answers.  */

static void
find (bool load)
{
  struct gomp_amp_machine *machine = NULL;
  struct gomp_amp_allotment *allotment = NULL;
  size_t size = process_mask_size;
  void *mask = process_mask;
  unsigned ncpus;
  bool *in_mask;

  GOMP_AMP_ASSERT (!load || gomp_amp_holds_lock (GOMP_AMP_LOCK_DETECTION));
  /* If the process's mask is unknown, use the calling thread's.  */
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
  /* Acquire: in a child process the lock that orders this may have been reset.
     There is already a machine if hwloc ran code that needed one.  */
  if (__atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE) == NULL)
    find (true);
  gomp_amp_release (GOMP_AMP_LOCK_DETECTION);
  return __atomic_load_n (&gomp_amp_found_machine, __ATOMIC_ACQUIRE);
}

bool
gomp_amp_find_machine_without_loading (void)
{
  /* Without GOMP_AMP_LOCK_DETECTION: its holder may be waiting for the
     loader's lock.  */
  if (!gomp_amp_machine_known ())
    find (false);
  return gomp_amp_machine_known ();
}
