/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Makes allotments.  */

#include "allotment.h"
#include <stdlib.h>
#include <string.h>

_Static_assert (GOMP_AMP_MAX_CLASSES <= 64, "a class is a bit of present");

const struct gomp_amp_allotment *gomp_amp_current_allotment;

struct gomp_amp_allotment *
gomp_amp_make_allotment (const struct gomp_amp_machine *machine,
			 const bool *usable)
{
  struct gomp_amp_allotment *allotment
    = calloc (1, sizeof *allotment + machine->ncpus);

  if (allotment == NULL)
    return NULL;
  allotment->ncpus = machine->ncpus;
  memcpy (allotment->usable, usable, machine->ncpus);
  for (unsigned cpu = 0; cpu < machine->ncpus; cpu++)
    if (usable[cpu])
      allotment->present |= 1ULL << machine->class_of_cpu[cpu];
  /* A mask of CPUs that the machine does not have.  */
  if (allotment->present == 0)
    allotment->present = 1;
  allotment->count = __builtin_popcountll (allotment->present);
  allotment->fastest = 63 - __builtin_clzll (allotment->present);
  return allotment;
}
