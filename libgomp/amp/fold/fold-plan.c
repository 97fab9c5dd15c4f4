/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Chooses the workers of folded teams.  */

#include "fold/fold-plan.h"
#include "machine/affinity.h"
#include "machine/quota.h"
#include "base/cpulist.h"
#include "fold/fold-ranges.h"
#include "options/options.h"
#include <stdlib.h>

/* A process that is started on a part of a larger machine than this has no
   workers on the rest: each worker costs those that look for work.  */
#define MOST_GROWN 32

#define STRING_OF(number) #number
#define STRING(number) STRING_OF (number)

/* Set the speed of PLAN's workers on MACHINE, of which the first CPUS have one
   CPU each and the others follow in turn.  The workers of one CPU share its
   speed, as the kernel runs each for as long.  Returns why one id for each
   worker may be the best.  */

static const char *
find_speeds (const struct gomp_amp_machine *machine, unsigned cpus,
	     struct gomp_fold_plan *plan)
{
  unsigned first_class = gomp_amp_class_of_cpu (plan->cpu[0]);
  const char *alike = "the cores are equally fast";

  if (plan->at_start == 1)
    alike = "there is only one CPU or thread";
  for (unsigned w = 0; w < plan->count; w++)
    {
      unsigned class = gomp_amp_class_of_cpu (plan->cpu[w % cpus]);
      unsigned sharing = (plan->count - w % cpus + cpus - 1) / cpus;
      unsigned capacity = machine->capacity[class];

      plan->cpu[w] = plan->cpu[w % cpus];
      if (w < plan->at_start && class != first_class)
	alike = (capacity == 0
		 ? "the capacities of the core classes are unknown"
		 : "one thread for each core is as good");
      /* Finer than capacities, so that little is lost by the division.  */
      plan->speed[w] = (capacity ? capacity : 1) * 1024 / sharing;
      if (plan->speed[w] == 0)
	plan->speed[w] = 1;
    }
  return alike;
}

/* Append to PLAN, which has a worker for each CPU that the process may use, one
   for each other CPU of MACHINE.  */

static void
add_others (const struct gomp_amp_machine *machine, struct gomp_fold_plan *plan)
{
  const struct gomp_amp_allotment *allotment = gomp_amp_allotment ();

  for (unsigned cpu = 0; cpu < machine->ncpus; cpu++)
    if (!allotment->usable[cpu])
      plan->cpu[plan->count++] = cpu;
}

void
gomp_fold_make_plan (unsigned long k, unsigned long asked, bool ascending,
		     struct gomp_fold_plan *plan)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  unsigned long most = asked < machine->ncpus ? machine->ncpus : asked;
  unsigned *count, cpus, quota;

  *plan = (struct gomp_fold_plan) { .none = "memory is short" };
  if (asked > GOMP_FOLD_MOST_WORKERS)
    {
      plan->none = "OMP_NUM_THREADS is over " STRING (GOMP_FOLD_MOST_WORKERS);
      return;
    }
  count = malloc (most * sizeof *count);
  plan->cpu = malloc (most * sizeof *plan->cpu);
  plan->speed = malloc (most * sizeof *plan->speed);
  if (count != NULL && plan->cpu != NULL && plan->speed != NULL)
    {
      quota = gomp_amp_quota ();
      cpus = gomp_amp_order_fastest (machine, gomp_amp_allotment (), ascending,
				     gomp_amp_quota_cpus (asked == 0 ? quota
							  : GOMP_AMP_NO_QUOTA),
				     plan->cpu);
      plan->by_quota = asked == 0;
      plan->count = plan->at_start = asked != 0 ? asked : cpus;
      plan->share = plan->count > cpus;
      if (asked == 0 && quota == GOMP_AMP_NO_QUOTA
	  && machine->ncpus <= MOST_GROWN)
	{
	  add_others (machine, plan);
	  cpus = plan->count;
	}
      plan->none = find_speeds (machine, cpus, plan);
      if (gomp_amp_quota_cpus (quota) < 2)
	plan->none = "the CPU quota is below 1.5 CPUs";
      else if (k == GOMP_AMP_AUTO)
	plan->ids = gomp_fold_auto (plan->at_start, plan->speed, count);
      else if (k * plan->at_start > 1)
	plan->ids = k * plan->at_start;
      if (plan->ids != 0)
	plan->none = NULL;
    }
  free (count);
}

void
gomp_fold_free_plan (struct gomp_fold_plan *plan)
{
  free (plan->cpu);
  free (plan->speed);
  plan->cpu = plan->speed = NULL;
}

void
gomp_fold_show_plan (FILE *stream, const struct gomp_fold_plan *plan)
{
  unsigned *first = (plan->none != NULL ? NULL
		     : malloc ((plan->at_start + 1) * sizeof *first));
  const char *separator = ": ";

  if (first == NULL)
    {
      fprintf (stream, "none: %s",
	       plan->none != NULL ? plan->none : "memory is short");
      return;
    }
  fprintf (stream, "%u threads on %u worker%s", plan->ids, plan->at_start,
	   plan->at_start == 1 ? "" : "s");
  gomp_fold_cut (plan->ids, plan->at_start, plan->speed, first);
  for (unsigned w = 0, end; w < plan->at_start; w = end)
    {
      unsigned ids = first[w + 1] - first[w];
      unsigned class = gomp_amp_class_of_cpu (plan->cpu[w]);
      struct gomp_amp_cpu_printer printer = { .stream = stream };

      for (end = w + 1; end < plan->at_start; end++)
	if (first[end + 1] - first[end] != ids
	    || gomp_amp_class_of_cpu (plan->cpu[end]) != class)
	  break;
      fprintf (stream, "%s%u on %s ", separator, ids,
	       end - w == 1 ? "CPU" : "each of CPUs");
      for (unsigned next = w; next < end; next++)
	gomp_amp_print_cpu (&printer, plan->cpu[next]);
      gomp_amp_print_last_cpu (&printer);
      fprintf (stream, " (class %u)", class);
      separator = ", ";
    }
  free (first);
}
