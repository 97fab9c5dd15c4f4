/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writes the report of virtual time when the program ends.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libgomp.h"
#include "bandwidth.h"
#include "clocks.h"
#include "conductor.h"
#include "counted.h"
#include "fold/fold-count.h"
#include "fold/fold-watch.h"
#include "virtual.h"

/* Write TEXT as a JSON string.  */

static void
print_string (FILE *out, const char *text)
{
  fputc ('"', out);
  for (const unsigned char *c = (const unsigned char *) text; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf (out, "\\%c", *c);
    else if (*c < ' ')
      fprintf (out, "\\u%04x", *c);
    else
      fputc (*c, out);
  fputc ('"', out);
}

static void
print_part (FILE *out, const struct gomp_virtual_part *part)
{
  fprintf (out, "\"makespan_ns\":%.0f,\"work_ns\":%.0f,\"bound_ns\":%.0f",
	   part->makespan, part->work, part->bound);
}

static void
print_classes (FILE *out)
{
  const struct gomp_virtual_machine *machine = &gomp_virtual_machine;
  const struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  unsigned used[GOMP_AMP_MAX_CLASSES], first = 0;

  gomp_virtual_count_used (used);
  for (unsigned class = 0; class < machine->classes; class++)
    {
      unsigned count = machine->count[class];
      double idle = count * totals->makespan - totals->busy[class];

      fprintf (out, "%s{\"class\":%u,\"cpus\":\"%u", class ? "," : "",
	       machine->classes - 1 - class, first);
      if (count > 1)
	fprintf (out, "-%u", first + count - 1);
      fprintf (out,
	       "\",\"speed\":%g,\"busy_ns\":%.0f,\"idle_ns\":%.0f,"
	       "\"spin_ns\":%.0f,\"parallel_busy_ns\":%.0f,"
	       "\"parallel_spin_ns\":%.0f,\"used\":%u}",
	       machine->speed[class], totals->busy[class], idle > 0 ? idle : 0,
	       totals->spun[class], totals->parallel_busy[class],
	       totals->parallel_spun[class], used[class]);
      first += count;
    }
}

static void
print_report (FILE *out)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  unsigned lines, used;
  char program[4096];
  ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);

  program[length > 0 ? length : 0] = '\0';
  totals->all.makespan = totals->makespan;
  fprintf (out, "{\"pid\":%d,\"program\":", (int) getpid ());
  print_string (out, program);
  fprintf (out, ",\"work\":\"%s\",\"machine\":",
	   gomp_virtual_counted ? "counted" : "timed");
  print_string (out, gomp_virtual_machine.name);
  fputc (',', out);
  print_part (out, &totals->all);
  fputs (",\"parallel\":{", out);
  print_part (out, &totals->parallel);
  fprintf (out,
	   "},\"removals\":{\"count\":%llu,\"ns_each\":%lu,\"waited_ns\":%.0f},"
	   "\"switches\":%llu,\"handovers\":%llu,\"threads\":%u,\"classes\":[",
	   totals->removals, gomp_amp_options.virtual_removal_ns,
	   totals->waited, totals->switches, totals->handovers,
	   totals->most_threads);
  print_classes (out);
  fputc (']', out);
  gomp_virtual_print_bandwidth (out);
  if (gomp_fold_on)
    {
      fputs (",\"folded\":", out);
      gomp_fold_count_all ();
      gomp_fold_print_counts (out);
    }
  lines = gomp_virtual_count_lines (&used);
  if (lines > 0)
    fprintf (out, ",\"factors\":{\"lines\":%u,\"used\":%u}", lines, used);
  fputs ("}\n", out);
}

void
gomp_virtual_finish (void)
{
  const char *name = gomp_amp_options.virtual_report;
  struct gomp_virtual_thread *me;
  char *text = NULL;
  size_t size = 0;
  FILE *out;
  int file;

  /* Brings the clock up to date.  */
  (void) gomp_virtual_now ();
  gomp_virtual_tell_end ();
  if (name == NULL || !gomp_virtual_opened_team ())
    return;
  me = gomp_virtual_self ();
  gomp_virtual_end_part (gomp_virtual_totals.makespan,
			 me != NULL && me->first && me->parallel);
  out = open_memstream (&text, &size);
  if (out == NULL)
    return;
  print_report (out);
  fclose (out);
  /* One write, so that the lines of several processes do not mix.  */
  file = open (name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || write (file, text, size) != (ssize_t) size)
    gomp_error ("GOMP_AMP_VIRTUAL_REPORT: cannot write %s: %m; the report is"
		" lost", name);
  if (file >= 0)
    close (file);
  free (text);
}
