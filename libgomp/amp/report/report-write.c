/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writes the report: a file of JSON, or some lines for people.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/message.h"
#include "base/cpulist.h"
#include "base/fork-lock.h"
#include "machine/allotment.h"
#include "report/report-data.h"
#include "sites/sites.h"
#include "watch/watch-file.h"

/* How many regions the lines for people show.  */
#define SHOWN 5

const char *const gomp_report_ways[] =
{
#define GOMP_REPORT_WAY(ident, name) name,
  GOMP_REPORT_WAYS (GOMP_REPORT_WAY)
#undef GOMP_REPORT_WAY
};

static void
print_site (FILE *out, const struct gomp_report_site *site)
{
  fputs ("{\"site\":", out);
  gomp_watch_print_string (out, site != NULL ? site->name : NULL);
  fputs (",\"module\":", out);
  gomp_watch_print_string (out, site != NULL ? site->module : NULL);
  fprintf (out, ",\"address\":%lu", site != NULL ? site->address : 0);
}

/* The classes CLS, whose parts are called NAME, and whose values have the name
   VALUE.  CAPACITY: by class, that of the places of a region; NULL: they are of
   a loop.  */

static void
print_classes (FILE *out, const struct gomp_report_class *cls,
	       const char *name, const char *value,
	       const gomp_report_sum *capacity)
{
  const char *comma = "";

  fputs (",\"classes\":[", out);
  for (unsigned c = 0; c < GOMP_REPORT_CLASSES; c++)
    if (cls[c].parts != 0 || (capacity != NULL && capacity[c] != 0))
      {
	double n = cls[c].timed != 0 ? cls[c].timed : 1;
	double mean = cls[c].value / n;
	double variance = cls[c].square / n - mean * mean;

	fprintf (out, "%s{\"class\":%u,\"%s\":%llu,\"ns\":%llu", comma, c, name,
		 cls[c].parts, cls[c].ns);
	if (capacity != NULL)
	  fprintf (out, ",\"capacity_ns\":%llu", capacity[c]);
	else
	  fprintf (out, ",\"iterations\":%llu", cls[c].iterations);
	fprintf (out, ",\"%s\":%.6g,\"variance\":%.6g}", value, mean,
		 variance > 0 ? variance : 0.0);
	comma = ",";
      }
  fputc (']', out);
}

static void
print_sums (FILE *out, const struct gomp_report_region *region)
{
  fprintf (out,
	   "\"invocations\":%llu,\"elapsed_ns\":%llu,\"capacity_ns\":%llu,"
	   "\"useful_ns\":%llu,\"imbalance_ns\":%llu,\"scheduling_ns\":%llu,"
	   "\"elsewhere_ns\":%llu",
	   region->invocations, region->elapsed, region->capacity,
	   region->useful, region->imbalance, region->scheduling,
	   region->elsewhere);
}

/* How many runs of REGION have not ended.  */

static unsigned
unfinished (const struct gomp_report_site *site)
{
  unsigned count = 0;

  for (const struct gomp_report_run *run = gomp_report.runs; run != NULL;
       run = run->next)
    count += run->active && run->site == site;
  return count;
}

static void
print_why_not (FILE *out, struct gomp_report_why why)
{
  char text[256];

  snprintf (text, sizeof text, "%s%s", why.what,
	    why.text != NULL ? why.text : "");
  gomp_watch_print_string (out, why.text != NULL ? text : NULL);
  fputs (",\"why_not_key\":", out);
  gomp_watch_print_string (out, why.key);
}

static void
print_region (FILE *out, const struct gomp_report_site *site,
	      const struct gomp_report_region *region)
{
  print_site (out, site);
  fputc (',', out);
  print_sums (out, region);
  fprintf (out,
	   ",\"unfinished\":%u,\"nested\":%llu,\"ids\":[%u,%u],\"places\":%u,"
	   "\"ran\":{\"threads\":%llu,\"turns\":%llu,\"called\":%llu},"
	   "\"why_not\":",
	   unfinished (site), region->nested, region->least, region->most,
	   region->places, region->how[GOMP_REPORT_THREADS],
	   region->how[GOMP_REPORT_TURNS], region->how[GOMP_REPORT_CALLS]);
  print_why_not (out, gomp_report_why_not (site));
  fprintf (out, ",\"folded_ns\":%llu,\"even_ns\":%llu", region->folded,
	   region->even);
  print_classes (out, region->cls, "ids", "ns_per_id",
		 region->class_capacity);
  fprintf (out, ",\"longest\":{\"ns\":%llu,\"ids\":[", region->longest);
  for (unsigned i = 0; i < region->pictured; i++)
    {
      const struct gomp_report_picture_id *id = &region->picture[i];

      fprintf (out,
	       "%s{\"place\":%u,\"class\":%u,\"began\":%llu,\"ended\":%llu,"
	       "\"useful\":%llu}", i != 0 ? "," : "", id->place, id->cls,
	       id->began, id->ended, id->useful);
    }
  fputs ("]}}", out);
}

static void
print_ways (FILE *out, const struct gomp_report_loop *loop)
{
  static const char *const reason[] =
    { "GOMP_AMP_SCHEDULE", "default", "auto is static", "cores alike",
      "ordered", "no memory" };
  const char *comma = "";

  fputs (",\"ran\":[", out);
  for (unsigned w = 0; w < GOMP_REPORT_WAY_COUNT; w++)
    {
      if (loop->way[w] == 0)
	continue;
      fprintf (out, "%s{\"as\":\"%s\",\"invocations\":%llu,\"why\":[", comma,
	       gomp_report_ways[w], loop->way[w]);
      comma = "";
      for (unsigned r = 0; r < sizeof reason / sizeof *reason; r++)
	if (loop->why[w] >> r & 1)
	  {
	    fprintf (out, "%s\"%s\"", comma, reason[r]);
	    comma = ",";
	  }
      fputs ("]}", out);
      comma = ",";
    }
  fputc (']', out);
}

static void
print_loop (FILE *out, const struct gomp_report_site *site, unsigned number)
{
  struct gomp_report_loop sum;
  double even, longest;
  unsigned threads = gomp_report_sum_loop (number, &sum, &even, &longest);

  print_site (out, site);
  fprintf (out,
	   ",\"invocations\":%llu,\"iterations\":%llu,\"trips\":[%llu,%llu],"
	   "\"threads\":%u,\"longest_ns\":%.0f,\"even_ns\":%.0f",
	   sum.invocations, sum.trips, sum.invocations != 0 ? sum.least : 0,
	   sum.most, threads, longest, even);
  print_ways (out, &sum);
  print_classes (out, sum.cls, "parts", "ns_per_iteration", NULL);
  fputc ('}', out);
}

/* The CPUs of class C that the process may use, as a list.  */

static void
print_cpus (FILE *out, const struct gomp_amp_machine *machine, unsigned c)
{
  const struct gomp_amp_allotment *allotment = gomp_amp_allotment ();
  struct gomp_amp_cpu_printer printer = { .stream = out };

  for (unsigned cpu = 0; cpu < machine->ncpus && cpu < allotment->ncpus; cpu++)
    if (machine->class_of_cpu[cpu] == c && allotment->usable[cpu])
      gomp_amp_print_cpu (&printer, cpu);
  gomp_amp_print_last_cpu (&printer);
}

static void
print_machine (FILE *out)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  unsigned classes = gomp_amp_class_count ();

  fputs (",\"classes_from\":", out);
  gomp_watch_print_string (out, gomp_amp_classes_forced ()
			   ? "GOMP_AMP_THREAD_CLASSES" : machine->source);
  fputs (",\"capacities\":[", out);
  for (unsigned c = 0; c < classes; c++)
    fprintf (out, "%s%u", c != 0 ? "," : "",
	     c < machine->count && !gomp_amp_classes_forced ()
	     ? machine->capacity[c] : 0);
  fputs ("],\"cpus\":[", out);
  /* Forced classes are of threads and not of CPUs.  */
  for (unsigned c = 0; c < machine->count && !gomp_amp_classes_forced (); c++)
    {
      fputs (c != 0 ? ",\"" : "\"", out);
      print_cpus (out, machine, c);
      fputc ('"', out);
    }
  fputc (']', out);
}

/* Whether VARIABLE, NAME=VALUE, may have decided how the program ran, or says
   that it is one of several ranks of MPI.  */

static bool
tells (const char *variable)
{
  static const char *const prefix[]
    = { "OMP_", "GOMP_", "OMPI_COMM_WORLD_LOCAL_", "MPI_LOCAL" };

  for (unsigned i = 0; i < sizeof prefix / sizeof *prefix; i++)
    if (strncmp (variable, prefix[i], strlen (prefix[i])) == 0)
      return true;
  return false;
}

/* The variables of the environment that say how the program ran.  */

static void
print_environment (FILE *out)
{
  const char *comma = "";

  fputs (",\"environment\":{", out);
  for (char **variable = gomp_amp_environ ();
       variable != NULL && *variable != NULL; variable++)
    {
      const char *value = strchr (*variable, '=');
      char *name;

      if (value == NULL || !tells (*variable))
	continue;
      name = strndup (*variable, value - *variable);
      if (name == NULL)
	continue;
      fputs (comma, out);
      gomp_watch_print_string (out, name);
      fputc (':', out);
      gomp_watch_print_string (out, value + 1);
      free (name);
      comma = ",";
    }
  fputc ('}', out);
}

static void
print_process (FILE *out)
{
  char program[4096];
  ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);

  program[length > 0 ? length : 0] = '\0';
  fprintf (out, "{\"version\":1,\"pid\":%d,\"program\":", (int) getpid ());
  gomp_watch_print_string (out, program);
  fprintf (out, ",\"wall_ns\":%llu", gomp_amp_clock () - gomp_report.began);
  print_machine (out);
  print_environment (out);
  fprintf (out, ",\"places\":%u,\"lost\":%llu,\"sums\":{",
	   gomp_report.all.places, gomp_report.lost);
  print_sums (out, &gomp_report.all);
  fputc ('}', out);
}

void
gomp_report_print (FILE *out)
{
  const char *comma = "";

  print_process (out);
  fputs (",\n\"regions\":[", out);
  for (unsigned i = 0; i < gomp_report.regions; i++)
    {
      fprintf (out, "%s\n", comma);
      print_region (out, gomp_report.region[i], gomp_report.region[i]->region);
      comma = ",";
    }
  if (gomp_report.other.invocations != 0)
    {
      fprintf (out, "%s\n", comma);
      print_region (out, NULL, &gomp_report.other);
    }
  fputs ("],\n\"loops\":[", out);
  comma = "";
  for (unsigned i = 0; i <= GOMP_REPORT_SITES; i++)
    {
      struct gomp_report_loop sum;
      double even, longest;

      if (i >= gomp_report.loops && i != GOMP_REPORT_SITES)
	continue;
      gomp_report_sum_loop (i, &sum, &even, &longest);
      if (i == GOMP_REPORT_SITES && sum.invocations == 0)
	continue;
      fprintf (out, "%s\n", comma);
      print_loop (out, i == GOMP_REPORT_SITES ? NULL : gomp_report.loop[i], i);
      comma = ",";
    }
  fputs ("]}\n", out);
}

/* The share of REGION's capacity that was useful.  */

static double
efficiency (const struct gomp_report_region *region)
{
  return (region->capacity != 0
	  ? (double) region->useful / region->capacity : 1);
}

/* The seconds of REGION's time that were lost.  */

static double
lost (const struct gomp_report_region *region)
{
  return (1 - efficiency (region)) * region->elapsed * 1e-9;
}

static int
compare_lost (const void *a, const void *b)
{
  double first = lost ((*(struct gomp_report_site *const *) a)->region);
  double second = lost ((*(struct gomp_report_site *const *) b)->region);

  return (first < second) - (first > second);
}

static void
show (void)
{
  struct gomp_report_site *site[GOMP_REPORT_SITES];
  const struct gomp_report_region *all = &gomp_report.all;
  double wall = (gomp_amp_clock () - gomp_report.began) * 1e-9;

  gomp_error ("report: %.3f s, of which %.3f s in %llu executions of %u regions"
	      " on up to %u cores; useful there: %.0f %%", wall,
	      all->elapsed * 1e-9, all->invocations, gomp_report.regions,
	      all->places, 100 * efficiency (all));
  memcpy (site, gomp_report.region, gomp_report.regions * sizeof *site);
  qsort (site, gomp_report.regions, sizeof *site, compare_lost);
  for (unsigned i = 0; i < gomp_report.regions && i < SHOWN; i++)
    {
      const struct gomp_report_region *region = site[i]->region;
      struct gomp_report_why why = gomp_report_why_not (site[i]);

      gomp_error ("report: region %s: %.3f s, %llu executions (%llu called,"
		  " %llu by turns), useful: %.0f %%, lost: %.3f s%s%s%s",
		  site[i]->name != NULL ? site[i]->name : "of generated code",
		  region->elapsed * 1e-9, region->invocations,
		  region->how[GOMP_REPORT_CALLS],
		  region->how[GOMP_REPORT_TURNS], 100 * efficiency (region),
		  lost (region), why.text != NULL ? "; " : "", why.what,
		  why.text != NULL ? why.text : "");
    }
  gomp_error ("report: GOMP_AMP_REPORT=FILE writes all of it to FILE;"
	      " amp-report FILE reads that");
}

/* Whether anything was recorded.  */

static bool
any (void)
{
  struct gomp_report_loop sum;
  double even, longest;

  if (gomp_report.all.invocations != 0 || gomp_report.other.invocations != 0)
    return true;
  for (const struct gomp_report_run *run = gomp_report.runs; run != NULL;
       run = run->next)
    if (run->active)
      return true;
  for (unsigned i = 0; i < gomp_report.loops; i++)
    if (gomp_report_sum_loop (i, &sum, &even, &longest) != 0)
      return true;
  return false;
}

static void
print (FILE *out, const void *data __attribute__ ((unused)))
{
  gomp_report_print (out);
}

void
gomp_report_write (void)
{
  /* Before the lock: this may take others.  */
  gomp_amp_machine ();
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  if (any ())
    {
      if (strcmp (gomp_amp_options.report, "1") == 0)
	show ();
      else
	gomp_watch_write_file ("report", "GOMP_AMP_REPORT",
			       gomp_amp_options.report, print, NULL);
    }
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
}
