/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 0/1 knapsack by tasks that take or leave the next item, with no bound that cuts branches, so
   that the work does not hang on the order of the tasks.  Verified by dynamic programming.  */

#include "bench.h"
#include <string.h>

#define MOST 40
static long items = 26, capacity = 200, cutoff = 8;
static long weight[MOST], worth[MOST];

static long
best (long item, long room)
{
  if (item == items)
    return 0;
  long without = best (item + 1, room);
  if (weight[item] > room)
    return without;
  long with = worth[item] + best (item + 1, room - weight[item]);
  return with > without ? with : without;
}

/* The same by tasks, for the first CUTOFF items.  */
static long
best_by_tasks (long item, long room)
{
  if (item == cutoff || item == items)
    return best (item, room);
  long without = 0, with = 0;
#pragma omp task default(none) shared(without) firstprivate(item, room)
  without = best_by_tasks (item + 1, room);
  if (weight[item] <= room)
    with = worth[item] + best_by_tasks (item + 1, room - weight[item]);
#pragma omp taskwait
  return with > without ? with : without;
}

static long
best_by_table (void)
{
  long *table = bench_allocate (capacity + 1, sizeof *table);
  for (long i = 0; i < items; i++)
    for (long room = capacity; room >= weight[i]; room--)
      if (table[room - weight[i]] + worth[i] > table[room])
	table[room] = table[room - weight[i]] + worth[i];
  return table[capacity];
}

int
main (int argc, char **argv)
{
  bench_options (argc, argv, "Fill a knapsack by tasks.",
      { "items", &items, 1, MOST, "items to choose from", NULL },
      { "capacity", &capacity, 1, 100000, "weight that may be taken", NULL },
      { "cutoff", &cutoff, 0, 20, "items decided by tasks", NULL });
  for (long i = 0; i < items; i++)
    {
      weight[i] = 5 + bench_random (1, i) % 20;
      worth[i] = 5 + bench_random (2, i) % 20;
    }

  long found = 0;
  bench_start ();
#pragma omp parallel default(none) shared(found, capacity)
#pragma omp single
  found = best_by_tasks (0, capacity);
  bench_stop ();
  bench_verify (found == best_by_table ());
  return bench_result (NULL);
}
