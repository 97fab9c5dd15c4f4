/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Asks the sources of core classes, one after the other.  ampd is linked with
   this file too.  */

#include "machine/machine-source.h"
#include "base/message.h"
#include "base/parse.h"
#include <stdlib.h>
#include <string.h>

/* What happens after a wrong value of GOMP_AMP_TOPOLOGY.  */
#define CONSEQUENCE "using what the kernel says of the cores"

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
  if (load && request != REQUEST_HWLOC
      && strcmp (probe->root, GOMP_AMP_SYS) == 0)
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

struct gomp_amp_machine *
gomp_amp_detect (const char *topology, const char *root, unsigned ncpus,
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
