/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Prints the fork's part of OMP_DISPLAY_ENV=verbose.  */

#include "display.h"
#include "allotment.h"
#include "options.h"
#include "other-runtimes.h"
#include "schedules.h"
#include "version.h"

/* Print TEXT, which may be NULL; what does not print becomes '?', so that a
   line stays a line.  */

static void
show_TEXT (FILE *stream, const char *field __attribute__ ((unused)),
	   const char *const *text)
{
  if (*text != NULL)
    for (const char *p = *text; *p != '\0'; p++)
      fputc (*p >= ' ' && *p <= '~' ? *p : '?', stream);
}

#define show_FILE show_TEXT

static void
show_NUMBER (FILE *stream, const char *field __attribute__ ((unused)),
	     const unsigned long *number)
{
  fprintf (stream, "%lu", *number);
}

static void
show_KEYWORD (FILE *stream, const char *field, const int *value)
{
  fputs (gomp_amp_keyword_name (field, *value), stream);
}

static void
show_SF_LIST (FILE *stream, const char *field,
	      const struct gomp_amp_sf_list *list)
{
  show_TEXT (stream, field, &list->text);
}

static void
show_CLASS_LIST (FILE *stream, const char *field,
		 const struct gomp_amp_class_list *list)
{
  show_TEXT (stream, field, &list->text);
}

static void
show_SCHEDULE (FILE *stream, const char *field __attribute__ ((unused)),
	       const struct gomp_amp_schedule *schedule)
{
  if (schedule->kind != 0)
    gomp_amp_display_routed_schedule (stream, schedule);
}

/* Print the CPUs of ALLOTMENT that are of CLASS, as in 0-3,8; or "none".  */

static void
show_cpus (FILE *stream, const struct gomp_amp_allotment *allotment,
	   unsigned class)
{
  const char *separator = "";
  unsigned cpu = 0;

  while (cpu < allotment->ncpus)
    {
      unsigned first = cpu;

      while (cpu < allotment->ncpus && allotment->usable[cpu]
	     && gomp_amp_class_of_cpu (cpu) == class)
	++cpu;
      if (cpu == first)
	{
	  ++cpu;
	  continue;
	}
      fprintf (stream, "%s%u", separator, first);
      if (cpu - first > 1)
	fprintf (stream, "-%u", cpu - 1);
      separator = ",";
    }
  if (*separator == '\0')
    fputs ("none", stream);
}

void
gomp_amp_display_env (FILE *stream)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  const struct gomp_amp_allotment *allotment = gomp_amp_allotment ();

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
  fputs ("  LIBGOMP_AMP_ROUTED_SCHEDULE = '", stream);
  gomp_amp_display_routed_loops (stream);
  fputs ("'\n", stream);
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help) \
  fputs ("  " name " = '", stream); \
  show_##type (stream, #field, &gomp_amp_options.field); \
  fputs ("'\n", stream);
#include "options.def"
  gomp_amp_display_other_runtimes (stream);
}
