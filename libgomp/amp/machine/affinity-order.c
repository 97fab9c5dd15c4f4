/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The order in which threads are bound to CPUs.  */

#include "machine/affinity.h"
#include "machine/machine-source.h"
#include "base/cpulist.h"
#include <stdlib.h>
#include <string.h>

/* A CPU and its sort key; the first field counts most.  */
struct turn
{
  unsigned sibling;		/* Index among its core's hardware threads.  */
  unsigned rank;		/* The rank of its class.  */
  unsigned cpu;
};

static int
compare_turns (const void *a, const void *b)
{
  const struct turn *first = a, *second = b;

  if (first->sibling != second->sibling)
    return first->sibling < second->sibling ? -1 : 1;
  if (first->rank != second->rank)
    return first->rank < second->rank ? -1 : 1;
  return first->cpu < second->cpu ? -1 : first->cpu > second->cpu;
}

/* Set MEMBER, of MACHINE->ncpus elements, for the hardware threads of CPU's
   core.  Returns false if the kernel does not list them.  */

static bool
read_siblings (const struct gomp_amp_machine *machine, unsigned cpu,
	       bool *member)
{
  char text[4096];

  if (!gomp_amp_sysfs_cpu_text (machine->root, cpu, "topology/core_cpus_list",
				text, sizeof text)
      && !gomp_amp_sysfs_cpu_text (machine->root, cpu,
				   "topology/thread_siblings_list", text,
				   sizeof text))
    return false;
  memset (member, 0, machine->ncpus * sizeof *member);
  return gomp_amp_parse_cpulist (text, member, machine->ncpus);
}

/* The number of usable hardware threads of CPU's core that have a lower number
   and are of CPU's class.  Other classes do not count: where the hardware
   threads of a core have capacities of their own, these capacities already say
   how much the second thread is worth.  MEMBER is scratch space of
   MACHINE->ncpus elements.  */

static unsigned
sibling_index (const struct gomp_amp_machine *machine,
	       const struct gomp_amp_allotment *allotment, unsigned cpu,
	       bool *member)
{
  unsigned index = 0;

  if (!read_siblings (machine, cpu, member))
    return 0;
  for (unsigned other = 0; other < cpu; other++)
    index += (member[other] && allotment->usable[other]
	      && machine->class_of_cpu[other] == machine->class_of_cpu[cpu]);
  return index;
}

int
gomp_amp_core_of_cpu (const struct gomp_amp_machine *machine, unsigned cpu)
{
  bool *member = malloc (machine->ncpus * sizeof *member);
  int core = -1;

  GOMP_AMP_ASSERT (cpu < machine->ncpus);
  if (member != NULL && read_siblings (machine, cpu, member))
    for (unsigned other = 0; other <= cpu && core < 0; other++)
      if (member[other])
	core = other;
  free (member);
  return core;
}

unsigned
gomp_amp_order_cpus (const struct gomp_amp_machine *machine,
		     const struct gomp_amp_allotment *allotment,
		     bool ascending, unsigned *order)
{
  struct turn *turn = malloc (machine->ncpus * sizeof *turn);
  bool *member = malloc (machine->ncpus * sizeof *member);
  unsigned n = 0;

  GOMP_AMP_ASSERT (allotment->ncpus == machine->ncpus);
  if (turn != NULL && member != NULL)
    for (unsigned cpu = 0; cpu < machine->ncpus; cpu++)
      if (allotment->usable[cpu])
	{
	  unsigned class = machine->class_of_cpu[cpu];

	  turn[n].rank = ascending ? class : machine->count - 1 - class;
	  turn[n].sibling = sibling_index (machine, allotment, cpu, member);
	  turn[n++].cpu = cpu;
	}
  if (n > 0)
    qsort (turn, n, sizeof *turn, compare_turns);
  for (unsigned i = 0; i < n; i++)
    order[i] = turn[i].cpu;
  free (member);
  free (turn);
  return n;
}

unsigned
gomp_amp_order_fastest (const struct gomp_amp_machine *machine,
			const struct gomp_amp_allotment *allotment,
			bool ascending, unsigned most, unsigned *order)
{
  unsigned n = gomp_amp_order_cpus (machine, allotment, false, order);
  unsigned count = n < most ? n : most, kept = 0;
  bool *fast;

  if (!ascending)
    return count;
  fast = calloc (machine->ncpus, sizeof *fast);
  if (fast == NULL)
    return 0;
  for (unsigned i = 0; i < count; i++)
    fast[order[i]] = true;
  n = gomp_amp_order_cpus (machine, allotment, true, order);
  for (unsigned i = 0; i < n; i++)
    if (fast[order[i]])
      order[kept++] = order[i];
  free (fast);
  return kept;
}
