/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Core classes from a list that the user gives: 0-3=446,4-7=1024.  */

#include "machine/machine-source.h"
#include "base/cpulist.h"
#include "base/parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CAPACITY 1000000

struct item
{
  struct gomp_amp_cpu_range range;
  unsigned long capacity;
};

struct list
{
  size_t count;
  struct item *item;
};

/* Parse TEXT into LIST, whose array has room for one item per character.
   Returns false if TEXT is malformed.  */

static bool
parse_list (const char *text, struct list *list)
{
  const char *p = text;
  unsigned long capacity;

  gomp_amp_skip_blanks (&p);
  list->count = 0;
  do
    {
      size_t group = list->count;

      do
	if (!gomp_amp_read_cpu_range (&p, &list->item[list->count++].range))
	  return false;
      while (gomp_amp_read_char (&p, ','));
      if (!gomp_amp_read_char (&p, '=')
	  || !gomp_amp_read_number (&p, MAX_CAPACITY, &capacity)
	  || capacity == 0)
	return false;
      for (; group < list->count; group++)
	list->item[group].capacity = capacity;
    }
  while (gomp_amp_read_char (&p, ','));
  return gomp_amp_at_end (p);
}

static int
compare_items (const void *a, const void *b)
{
  unsigned first = ((const struct item *) a)->range.first;
  unsigned second = ((const struct item *) b)->range.first;

  return (first > second) - (first < second);
}

/* Check that LIST names no CPU twice and every CPU of the process, and store
   its capacities in PROBE.  Returns NULL, or the fault, written to DETAIL.  */

static const char *
apply_list (struct list *list, struct gomp_amp_probe *probe, char *detail,
	    size_t size)
{
  bool any = false;

  qsort (list->item, list->count, sizeof *list->item, compare_items);
  for (size_t i = 1; i < list->count; i++)
    if (list->item[i].range.first <= list->item[i - 1].range.last)
      {
	snprintf (detail, size, "CPU %u is named twice",
		  list->item[i].range.first);
	return detail;
      }

  for (size_t i = 0; i < list->count; i++)
    {
      const struct gomp_amp_cpu_range *range = &list->item[i].range;

      for (unsigned cpu = range->first;
	   cpu <= range->last && cpu < probe->ncpus; cpu++)
	{
	  probe->value[cpu] = list->item[i].capacity;
	  any |= probe->in_mask[cpu];
	}
    }
  if (!any)
    return "none of the process's CPUs is named";
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu] && probe->value[cpu] == 0)
      {
	snprintf (detail, size, "CPU %u is not named", cpu);
	return detail;
      }
  return NULL;
}

/* Report the first item of LIST, which is TEXT and sorted, that names only CPUs
   that PROBE's machine does not have.  One that goes beyond the last CPU is
   meant for machines of any size.  */

static void
report_absent (const struct list *list, const struct gomp_amp_probe *probe,
	       const char *text)
{
  char detail[64];

  for (size_t i = 0; i < list->count; i++)
    if (list->item[i].range.first >= probe->ncpus)
      {
	snprintf (detail, sizeof detail, "this machine has no CPU %u",
		  list->item[i].range.first);
	gomp_amp_option_error ("GOMP_AMP_TOPOLOGY", text, detail,
			       "using the others");
	return;
      }
}

bool
gomp_amp_topology_list (const char *text, struct gomp_amp_probe *probe)
{
  struct list list;
  char detail[64];
  const char *wrong = NULL;
  bool well_formed;

  memset (probe->value, 0, probe->ncpus * sizeof *probe->value);
  list.item = calloc (strlen (text) + 1, sizeof *list.item);
  if (list.item == NULL)
    return false;
  well_formed = parse_list (text, &list);
  if (well_formed)
    wrong = apply_list (&list, probe, detail, sizeof detail);
  if (well_formed && wrong == NULL)
    report_absent (&list, probe, text);
  free (list.item);
  if (!well_formed || wrong != NULL)
    {
      gomp_amp_option_error ("GOMP_AMP_TOPOLOGY", text, wrong,
			     "using what the kernel says of the cores");
      return false;
    }
  probe->ranks = false;
  probe->favours = false;
  probe->source = "GOMP_AMP_TOPOLOGY";
  return true;
}
