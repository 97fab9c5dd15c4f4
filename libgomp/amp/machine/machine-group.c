/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Sorts CPUs of known capacities into core classes.  */

#include "base/assert.h"
#include "machine/machine-source.h"
#include <stdlib.h>
#include <string.h>

/* A run of sorted values that form one class.  */
struct level
{
  unsigned long fastest, slowest;
};

struct levels
{
  unsigned count;
  struct level *level;		/* In descending order.  */
};

/* A machine of PROBE's CPUs without classes, in one block of memory.  */

static struct gomp_amp_machine *
new_machine (const struct gomp_amp_probe *probe)
{
  size_t capacities = GOMP_AMP_MAX_CLASSES * sizeof (unsigned);
  size_t root_size = strlen (probe->root) + 1;
  struct gomp_amp_machine *machine
    = calloc (1, sizeof *machine + capacities + probe->ncpus + root_size);
  char *root;

  if (machine == NULL)
    return NULL;
  machine->ncpus = probe->ncpus;
  machine->capacity = (unsigned *) (machine + 1);
  machine->class_of_cpu = (unsigned char *) machine->capacity + capacities;
  root = (char *) machine->class_of_cpu + probe->ncpus;
  memcpy (root, probe->root, root_size);
  machine->root = root;
  machine->source = probe->source;
  machine->drifts = probe->favours;
  return machine;
}

static int
descending (const void *a, const void *b)
{
  unsigned long first = *(const unsigned long *) a;
  unsigned long second = *(const unsigned long *) b;

  return (first < second) - (first > second);
}

/* Whether VALUE belongs to LEVEL.  Values come in descending order.

   Capacities: a class is its fastest core and all cores within 10 percent of
   it.  So a chip with five levels for two kinds of core (718, 731, 997, 1017,
   1024) has two classes, and a row of small steps never unites cores that
   differ by half.

   Values that also show favoured cores: cores of one kind form a row of small
   steps (166, 171, ... 236 for sixteen cores), and a gap separates another
   kind.  */

static bool
belongs (const struct gomp_amp_probe *probe, const struct level *level,
	 unsigned long value)
{
  if (probe->favours)
    return gomp_amp_near_p (level->slowest, value);
  if (probe->ranks)
    return value == level->fastest;
  return gomp_amp_near_p (level->fastest, value);
}

/* Whether PROBE has a value for each CPU of the mask.  */

static inline bool
answered_p (const struct gomp_amp_probe *probe)
{
  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu] && probe->value[cpu] == 0)
      return false;
  return true;
}

/* Find the LEVELS of all known values, of CPUs in the mask or not.  Neither
   which cores form a class nor the class's number depends on the CPUs that a
   process may use.  SCRATCH has room for a value per CPU.  */

static void
find_levels (const struct gomp_amp_probe *probe, struct levels *levels,
	     unsigned long *scratch)
{
  size_t n = 0;

  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->value[cpu] != 0)
      scratch[n++] = probe->value[cpu];
  qsort (scratch, n, sizeof *scratch, descending);
  levels->count = 0;
  for (size_t i = 0; i < n; i++)
    {
      struct level *last = levels->level + levels->count - 1;

      if (levels->count > 0 && belongs (probe, last, scratch[i]))
	last->slowest = scratch[i];
      else
	levels->level[levels->count++]
	  = (struct level) { .fastest = scratch[i], .slowest = scratch[i] };
    }
}

/* The number of the class for level number INDEX of LEVELS; the slowest class
   is 0.  If there are more levels than class numbers, the slowest levels share
   class 0.  */

static unsigned
class_of_level (const struct levels *levels, unsigned index)
{
  unsigned slower = levels->count - 1 - index;

  if (levels->count <= GOMP_AMP_MAX_CLASSES)
    return slower;
  slower += GOMP_AMP_MAX_CLASSES;
  return slower > levels->count ? slower - levels->count : 0;
}

/* The class of VALUE, which is not 0.  */

static unsigned
class_of_value (const struct levels *levels, unsigned long value)
{
  unsigned i = 0;

  GOMP_AMP_ASSERT (value >= levels->level[levels->count - 1].slowest);
  while (value < levels->level[i].slowest)
    i++;
  return class_of_level (levels, i);
}

/* Store the capacities of the classes in MACHINE.  */

static void
set_capacities (struct gomp_amp_machine *machine, const struct levels *levels)
{
  unsigned long greatest = levels->level[0].fastest;

  for (unsigned i = 0; i < levels->count; i++)
    {
      unsigned *capacity = &machine->capacity[class_of_level (levels, i)];

      /* The fastest level of a class determines its capacity.  */
      if (*capacity != 0)
	continue;
      *capacity
	= (unsigned) (1024.0 * levels->level[i].fastest / greatest + 0.5);
      /* 0 would mean unknown.  */
      if (*capacity == 0)
	*capacity = 1;
    }
}

struct gomp_amp_machine *
gomp_amp_group_classes (const struct gomp_amp_probe *probe)
{
  struct gomp_amp_machine *machine = new_machine (probe);
  unsigned long *scratch = malloc (probe->ncpus * sizeof *scratch);
  struct levels levels
    = { .level = calloc (probe->ncpus, sizeof *levels.level) };

  GOMP_AMP_ASSERT (answered_p (probe));
  if (machine == NULL || scratch == NULL || levels.level == NULL)
    {
      free (machine);
      machine = NULL;
    }
  else
    {
      find_levels (probe, &levels, scratch);
      machine->count = levels.count < GOMP_AMP_MAX_CLASSES
		       ? levels.count : GOMP_AMP_MAX_CLASSES;
      for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
	if (probe->value[cpu] != 0)
	  machine->class_of_cpu[cpu]
	    = class_of_value (&levels, probe->value[cpu]);
      if (!probe->ranks)
	set_capacities (machine, &levels);
    }
  free (scratch);
  free (levels.level);
  return machine;
}
