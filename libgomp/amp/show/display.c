/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Prints the fork's part of OMP_DISPLAY_ENV=verbose.  */

#include "base/cpulist.h"
#include "base/other-runtimes.h"
#include "base/version.h"
#include "fold/fold-count.h"
#include "fold/fold-region.h"
#include "fold/fold-setup.h"
#include "machine/allotment.h"
#include "machine/quota.h"
#include "ompt/ompt-options.h"
#include "options/option-table.h"
#include "options/schedules.h"
#include "show/display.h"
#include <stdlib.h>

/* Print the CPUs of ALLOTMENT that are of CLASS, as in 0-3,8; or "none".  */

static void
show_cpus (FILE *stream, const struct gomp_amp_allotment *allotment,
	   unsigned class)
{
  struct gomp_amp_cpu_printer printer = { .stream = stream };

  for (unsigned cpu = 0; cpu < allotment->ncpus; cpu++)
    if (allotment->usable[cpu] && gomp_amp_class_of_cpu (cpu) == class)
      gomp_amp_print_cpu (&printer, cpu);
  gomp_amp_print_last_cpu (&printer);
  if (!printer.any)
    fputs ("none", stream);
}

void
gomp_amp_display_env (FILE *stream)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  const struct gomp_amp_allotment *allotment = gomp_amp_allotment ();
  unsigned quota = gomp_amp_quota ();

  fprintf (stream, "  LIBGOMP_AMP_VERSION = '%d.%d.%d'\n", GOMP_AMP_MAJOR,
	   GOMP_AMP_MINOR, GOMP_AMP_PATCH);
  fprintf (stream, "  LIBGOMP_AMP_MACHINE = '%016llx'\n",
	   gomp_amp_classes_fingerprint ());
  fprintf (stream, "  LIBGOMP_AMP_CLASSES = '%u'\n", machine->count);
  fprintf (stream, "  LIBGOMP_AMP_CLASSES_FROM = '%s'\n", machine->source);
  for (unsigned class = 0; class < machine->count; class++)
    {
      fprintf (stream, "  LIBGOMP_AMP_CLASS_%u = 'CPUs ", class);
      show_cpus (stream, allotment, class);
      if (machine->capacity[class] != 0)
	fprintf (stream, ", capacity %u'\n", machine->capacity[class]);
      else
	fputs (", capacity unknown'\n", stream);
    }
  if (quota != GOMP_AMP_NO_QUOTA)
    fprintf (stream, "  LIBGOMP_AMP_CPU_QUOTA = '%u.%02u CPUs'\n",
	     quota / 1000, quota % 1000 / 10);
  fputs ("  LIBGOMP_AMP_ROUTED_SCHEDULE = '", stream);
  gomp_amp_display_routed_loops (stream);
  fputs ("'\n", stream);
  gomp_fold_display (stream);
  for (unsigned i = 0; i < gomp_amp_option_count; i++)
    {
      fprintf (stream, "  %s = '", gomp_amp_option_table[i].name);
      gomp_amp_show_option (&gomp_amp_option_table[i], stream);
      fputs ("'\n", stream);
    }
  gomp_ompt_display (stream);
  gomp_amp_display_other_runtimes (stream);
  /* What is printed when the process ends is for users that set the variable,
     and not for programs that call omp_display_env.  */
  if (getenv ("OMP_DISPLAY_ENV") != NULL)
    {
      gomp_fold_report_at_end ();
      gomp_fold_show_counts ();
    }
}
