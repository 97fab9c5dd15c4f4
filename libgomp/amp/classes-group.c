/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Sorts CPUs of known capacities into core classes.  */

#include "classes-source.h"
#include <stdlib.h>
#include <string.h>

/* A table for PROBE's CPUs that says nothing yet, in one block of memory.  */

static struct gomp_amp_classes *
new_table (const struct gomp_amp_probe *probe)
{
  size_t capacities = GOMP_AMP_MAX_CLASSES * sizeof (unsigned);
  size_t root_size = strlen (probe->root) + 1;
  struct gomp_amp_classes *table
    = calloc (1, sizeof *table + capacities + 2 * (size_t) probe->ncpus
		 + root_size);
  char *root;

  if (table == NULL)
    return NULL;
  table->ncpus = probe->ncpus;
  table->capacity = (unsigned *) (table + 1);
  table->class_of_cpu = (unsigned char *) table->capacity + capacities;
  table->in_mask = (bool *) table->class_of_cpu + probe->ncpus;
  root = (char *) table->in_mask + probe->ncpus;
  memcpy (root, probe->root, root_size);
  memcpy (table->in_mask, probe->in_mask, probe->ncpus);
  table->root = root;
  table->source = probe->source;
  return table;
}

static int
descending (const void *a, const void *b)
{
  unsigned long first = *(const unsigned long *) a;
  unsigned long second = *(const unsigned long *) b;

  return (first < second) - (first > second);
}

/* Fill ANCHOR with the fastest capacity of each class, in descending order,
   and return their number.  VALUE holds the N capacities of the mask's CPUs.

   A class is its fastest core and all that are within 10 percent of it.  The
   fastest it is, because what splits cores of one kind is the firmware's
   choice of a few favoured ones that may clock higher: bins of 4.9 to 5.4 GHz
   are one class, and so are RK3588's 1000 and 1024, while 870 and 1024 are
   two.  Joining neighbours instead would let a long row of small steps unite
   cores that differ by half.  */

static unsigned
find_anchors (unsigned long *value, size_t n, bool ranks,
	      unsigned long *anchor)
{
  unsigned count = 0;

  qsort (value, n, sizeof *value, descending);
  for (size_t i = 0; i < n; i++)
    {
      unsigned long slack = ranks || count == 0 ? 0 : anchor[count - 1] / 10;

      if (count == 0 || value[i] < anchor[count - 1] - slack)
	{
	  /* More classes than can be numbered: the slowest become one.  */
	  if (count == GOMP_AMP_MAX_CLASSES)
	    break;
	  anchor[count++] = value[i];
	}
    }
  return count;
}

/* The index of the class, in the descending order of ANCHOR, that a CPU of
   the given VALUE, which is not 0, belongs to or is nearest to.  */

static unsigned
nearest_anchor (const unsigned long *anchor, unsigned count, bool ranks,
		unsigned long value)
{
  unsigned best = 0;

  for (unsigned i = 0; i < count; i++)
    if (value <= anchor[i])
      {
	unsigned long slack = ranks ? 0 : anchor[i] / 10;

	if (value >= anchor[i] - slack)
	  return i;
	best = i;
      }
  /* Slower than class BEST, faster than the next.  */
  if (best + 1 < count && value <= anchor[best]
      && value - anchor[best + 1] < anchor[best] - value)
    return best + 1;
  return best;
}

struct gomp_amp_classes *
gomp_amp_group_classes (const struct gomp_amp_probe *probe)
{
  unsigned long anchor[GOMP_AMP_MAX_CLASSES];
  struct gomp_amp_classes *table = new_table (probe);
  unsigned long *sorted = malloc (probe->ncpus * sizeof *sorted);
  size_t n = 0;

  if (table == NULL || sorted == NULL)
    {
      free (table);
      free (sorted);
      return NULL;
    }
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu])
      sorted[n++] = probe->value[cpu];
  table->count = find_anchors (sorted, n, probe->ranks, anchor);
  free (sorted);

  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->value[cpu] != 0)
      table->class_of_cpu[cpu]
	= table->count - 1
	  - nearest_anchor (anchor, table->count, probe->ranks,
			    probe->value[cpu]);
  if (!probe->ranks)
    for (unsigned i = 0; i < table->count; i++)
      {
	unsigned capacity = (unsigned) (1024.0 * anchor[i] / anchor[0] + 0.5);

	/* 0 would mean that it is not known.  */
	table->capacity[table->count - 1 - i] = capacity ? capacity : 1;
      }
  return table;
}
