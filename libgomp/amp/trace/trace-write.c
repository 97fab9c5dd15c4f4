/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writes the events of all rings as they are, after a line of JSON that says
   what they are about; amp-trace draws them.  docs/watch-format.md.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fork-lock.h"
#include "base/message.h"
#include "fold/fold-setup.h"
#include "machine/machine.h"
#include "trace/trace-data.h"
#include "report/report-data.h"
#include "watch/watch-file.h"

/* What is in a ring.  */
struct copy
{
  struct gomp_trace_event *event;
  unsigned long long count, lost, since;
  unsigned waits_for;
};

/* All of the file.  */
struct copies
{
  /* By the rings' numbers.  */
  struct copy *ring;
  unsigned long long now, events;
};

static void
print_sites (FILE *out, const char *key, struct gomp_report_site *const *site,
	     unsigned count)
{
  fprintf (out, "\"%s\":[", key);
  for (unsigned i = 0; i < count; i++)
    {
      fputs (i != 0 ? ",{\"site\":" : "{\"site\":", out);
      gomp_watch_print_string (out, site[i]->name);
      fputs (",\"module\":", out);
      gomp_watch_print_string (out, site[i]->module);
      fprintf (out, ",\"address\":%lu}", site[i]->address);
    }
  fputc (']', out);
}

static void
print_process (FILE *out, unsigned long long now)
{
  char program[4096];
  ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);

  program[length > 0 ? length : 0] = '\0';
  fprintf (out, "{\"format\":\"libgomp-amp events\",\"version\":2,\"pid\":%d,"
	   "\"program\":", (int) getpid ());
  gomp_watch_print_string (out, program);
  fprintf (out, ",\"order\":\"%s\",\"began_ns\":%llu,\"now_ns\":%llu,"
	   "\"threads_without\":%llu,\"classes\":%d,\"classes_forced\":%s,"
	   "\"worker_cpus\":[",
	   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big",
	   gomp_trace.began_real, now, gomp_trace.without,
	   gomp_amp_class_count (),
	   gomp_amp_classes_forced () ? "true" : "false");
  for (unsigned i = 0; gomp_fold_on && i < gomp_fold_workers.count; i++)
    fprintf (out, "%s%u", i != 0 ? "," : "", gomp_fold_workers.cpu[i]);
  fputs ("],\"region_address\":\"function\",\"task_address\":\"function\",", out);
}

static void
print (FILE *out, const void *data)
{
  const struct copies *copies = data;

  print_process (out, copies->now);
  fputs ("\"sites\":{", out);
  print_sites (out, "regions", gomp_report.region, gomp_report.regions);
  fputc (',', out);
  print_sites (out, "loops", gomp_report.loop, gomp_report.loops);
  fputc (',', out);
  print_sites (out, "tasks", gomp_report.task, gomp_report.tasks);
  fputs ("},\"rings\":[", out);
  for (unsigned i = 0; i < gomp_trace.count; i++)
    {
      const struct copy *ring = &copies->ring[i];

      fprintf (out, "%s{\"events\":%llu,\"lost\":%llu,\"since\":%llu,"
	       "\"waits_for\":%u}", i != 0 ? "," : "", ring->count, ring->lost,
	       ring->since, ring->waits_for);
    }
  fputs ("]}\n", out);
  for (unsigned i = 0; i < gomp_trace.count; i++)
    fwrite (copies->ring[i].event, sizeof *copies->ring[i].event,
	    copies->ring[i].count, out);
}

/* Copy all rings.  Returns false if memory is short.  */

static bool
copy_rings (struct copies *copies)
{
  copies->ring = calloc (gomp_trace.count + 1, sizeof *copies->ring);
  if (copies->ring == NULL)
    return false;
  copies->now = gomp_amp_clock () - gomp_trace.began;
  for (const struct gomp_trace_ring *ring = gomp_trace.rings; ring != NULL;
       ring = ring->next)
    {
      struct copy *copy = &copies->ring[ring->number];
      unsigned long long since;

      copy->event = gomp_trace_copy (ring, &copy->count, &copy->lost);
      if (copy->event == NULL)
	return false;
      copies->events += copy->count;
      since = GOMP_REPORT_READ (ring->since);
      if (since > gomp_trace.began)
	copy->since = since - gomp_trace.began;
      copy->waits_for = ring->waits_for;
    }
  return true;
}

void
gomp_trace_write (void)
{
  struct copies copies = { 0 };

  /* Before the lock: this may take others.  */
  gomp_amp_machine ();
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  if (!copy_rings (&copies))
    gomp_error ("GOMP_AMP_TRACE: out of memory; the trace is lost");
  else if (copies.events != 0)
    gomp_watch_write_file ("trace", "GOMP_AMP_TRACE", gomp_amp_options.trace,
			   print, &copies);
  for (unsigned i = 0; copies.ring != NULL && i < gomp_trace.count; i++)
    free (copies.ring[i].event);
  free (copies.ring);
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
}
