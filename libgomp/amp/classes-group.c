/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Sorts CPUs of known capacities into core classes.  */

#include "classes-source.h"
#include <stdlib.h>
#include <string.h>

/* A row of values that make one class if the process may use any of its
   CPUs.  */
struct level
{
  unsigned long fastest, slowest;
  bool used;			/* A CPU of the mask has such a value.  */
  unsigned class;		/* If so.  */
};

struct levels
{
  unsigned count;
  struct level *level;		/* In descending order.  */
};

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

/* Whether VALUE, which is not greater than any seen before it, is one of
   LEVEL.

   Capacities: a class is its fastest core and all that are within 10 percent
   of it, so that a chip of five levels for two kinds of core (718, 731, 997,
   1017, 1024) has two classes, and a row of small steps never unites cores
   that differ by half.

   Values that also tell of favourites: there such a row is what cores of one
   kind look like (166, 171, ... 236 for sixteen of them), and another kind of
   core is found behind a gap.  */

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

/* Find the LEVELS of all values known, whether in the mask or not: what is
   one kind of core shall not depend on which of them a process was given.
   SCRATCH has room for a value per CPU.  */

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

/* The index of the level that VALUE, which is not 0, is of.  */

static unsigned
level_of (const struct levels *levels, unsigned long value)
{
  unsigned i = 0;

  while (value < levels->level[i].slowest)
    i++;
  return i;
}

/* Number the classes in the mask, the slowest getting 0.  Returns how many
   there are.  */

static unsigned
number_classes (const struct gomp_amp_probe *probe, struct levels *levels)
{
  unsigned used = 0, count, seen = 0;

  for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
    if (probe->in_mask[cpu])
      {
	struct level *level
	  = &levels->level[level_of (levels, probe->value[cpu])];

	used += !level->used;
	level->used = true;
      }
  count = used < GOMP_AMP_MAX_CLASSES ? used : GOMP_AMP_MAX_CLASSES;
  for (unsigned i = 0; i < levels->count; i++)
    if (levels->level[i].used)
      {
	/* More classes than can be numbered: the slowest become one.  */
	levels->level[i].class = seen < count ? count - 1 - seen : 0;
	seen++;
      }
  return count;
}

/* The class whose values VALUE, which no CPU of the mask need have, is
   nearest to.  */

static unsigned
nearest_class (const struct levels *levels, unsigned long value)
{
  const struct level *level = levels->level;
  unsigned own = level_of (levels, value), above = own, below = own;

  if (level[own].used)
    return level[own].class;
  while (above > 0 && !level[above].used)
    above--;
  while (below < levels->count - 1 && !level[below].used)
    below++;
  if (!level[above].used)
    return level[below].class;
  if (!level[below].used
      || level[above].slowest - value <= value - level[below].fastest)
    return level[above].class;
  return level[below].class;
}

/* Store the classes' capacities in TABLE.  */

static void
set_capacities (struct gomp_amp_classes *table, const struct levels *levels)
{
  unsigned long greatest = 0;

  for (unsigned i = 0; i < levels->count; i++)
    {
      const struct level *level = &levels->level[i];
      unsigned *capacity = &table->capacity[level->class];

      /* The fastest of several levels in one class counts.  */
      if (!level->used || *capacity != 0)
	continue;
      if (greatest == 0)
	greatest = level->fastest;
      *capacity = (unsigned) (1024.0 * level->fastest / greatest + 0.5);
      /* 0 would mean that it is not known.  */
      if (*capacity == 0)
	*capacity = 1;
    }
}

struct gomp_amp_classes *
gomp_amp_group_classes (const struct gomp_amp_probe *probe)
{
  struct gomp_amp_classes *table = new_table (probe);
  unsigned long *scratch = malloc (probe->ncpus * sizeof *scratch);
  struct levels levels
    = { .level = calloc (probe->ncpus, sizeof *levels.level) };

  if (table == NULL || scratch == NULL || levels.level == NULL)
    {
      free (table);
      table = NULL;
    }
  else
    {
      find_levels (probe, &levels, scratch);
      table->count = number_classes (probe, &levels);
      for (unsigned cpu = 0; cpu < probe->ncpus; cpu++)
	if (probe->value[cpu] != 0)
	  table->class_of_cpu[cpu]
	    = nearest_class (&levels, probe->value[cpu]);
      if (!probe->ranks)
	set_capacities (table, &levels);
    }
  free (scratch);
  free (levels.level);
  return table;
}
