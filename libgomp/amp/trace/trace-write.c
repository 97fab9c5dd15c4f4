/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writes the picture as trace events of Chrome, in JSON, which Perfetto
   reads.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/fork-lock.h"
#include "base/message.h"
#include "fold/fold-setup.h"
#include "machine/machine.h"
#include "trace/trace-data.h"
#include "report/report-data.h"
#include "watch/watch-file.h"

/* What the file says of a kind of site.  */
enum sites
{
  REGIONS,
  LOOPS,
  TASKS,
  SITES
};

/* Names of colours that viewers of such files know.  */
static const char slow_colour[] = "rail_idle", fast_colour[] = "rail_response",
  middle_colour[] = "rail_load", wait_colour[] = "grey";

static const struct gomp_report_site *
find_site (enum sites kind, unsigned number)
{
  struct gomp_report_site *const *list[] =
    {
      [REGIONS] = gomp_report.region,
      [LOOPS] = gomp_report.loop,
      [TASKS] = gomp_report.task
    };

  return number < GOMP_REPORT_SITES ? list[kind][number] : NULL;
}

static unsigned
site_count (enum sites kind)
{
  return (kind == REGIONS ? gomp_report.regions
	  : kind == LOOPS ? gomp_report.loops : gomp_report.tasks);
}

/* The site's place in the file's list, after "args":{, or nothing.  */

static void
print_site_number (FILE *out, enum sites kind, unsigned number)
{
  unsigned at = number;

  if (find_site (kind, number) == NULL)
    return;
  for (unsigned k = 0; k < (unsigned) kind; k++)
    at += site_count (k);
  fprintf (out, "\"site\":%u,", at);
}

static void
print_sites (FILE *out)
{
  static const char *const kinds[] = { "region", "loop", "task" };
  const char *comma = "";

  fputs ("\"sites\":[", out);
  for (unsigned kind = 0; kind < SITES; kind++)
    for (unsigned i = 0; i < site_count (kind); i++)
      {
	const struct gomp_report_site *site = find_site (kind, i);

	fprintf (out, "%s\n{\"kind\":\"%s\",\"site\":", comma, kinds[kind]);
	gomp_watch_print_string (out, site->name);
	fputs (",\"module\":", out);
	gomp_watch_print_string (out, site->module);
	fprintf (out, ",\"address\":%lu}", site->address);
	comma = ",";
      }
  fputc (']', out);
}

/* The name of class CLS among all, to be appended to another one with PREFIX;
   nothing if there is one class, or if CLS is none.  */

static void
print_class (FILE *out, const char *prefix, int cls, const char *suffix)
{
  int count = gomp_amp_class_count ();

  if (cls < 0 || count == 1)
    return;
  if (cls == 0 || cls == count - 1)
    fprintf (out, "%s%s%s", prefix, cls == 0 ? "slow" : "fast", suffix);
  else if (count == 3)
    fprintf (out, "%smiddle%s", prefix, suffix);
  else
    fprintf (out, "%smiddle %c%s", prefix, 'a' + (cls - 1) % 26, suffix);
}

static void
print_colour (FILE *out, int cls)
{
  int count = gomp_amp_class_count ();

  if (cls >= 0 && count > 1)
    fprintf (out, ",\"cname\":\"%s\"",
	     cls == 0 ? slow_colour
	     : cls >= count - 1 ? fast_colour : middle_colour);
}

/* NS as microseconds, of which viewers take fractions.  */

static void
print_time (FILE *out, const char *key, unsigned long long ns)
{
  fprintf (out, ",\"%s\":%llu.%03u", key, ns / 1000, (unsigned) (ns % 1000));
}

static void
print_name (FILE *out, const char *what, const struct gomp_report_site *site)
{
  const char *name = site != NULL ? site->name : NULL;
  char *all;

  if (name == NULL || asprintf (&all, "%s %s", what, name) < 0)
    gomp_watch_print_string (out, what);
  else
    {
      gomp_watch_print_string (out, all);
      free (all);
    }
}

static void
print_row (FILE *out, const struct gomp_trace_picture *picture,
	   const struct gomp_trace_row *row, int pid)
{
  bool another = false;

  for (size_t i = 0; i < picture->rows; i++)
    another |= (picture->row[i].worker != GOMP_TRACE_NO_WORKER
		&& picture->row[i].tid < row->tid
		&& picture->row[i].pool != row->pool);
  for (unsigned lane = 0; lane < row->lanes; lane++)
    {
      unsigned tid = row->tid + lane;

      fprintf (out, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,"
	       "\"tid\":%u,\"args\":{\"name\":\"", pid, tid);
      if (row->worker == GOMP_TRACE_NO_WORKER)
	{
	  if (row->level == 0)
	    fprintf (out, "thread of ring %u", row->ring);
	  else
	    fprintf (out, "%sthread %u", row->level > 1 ? "inner " : "",
		     row->id);
	}
      else
	{
	  fprintf (out, "core %u", row->worker);
	  if (gomp_fold_on && row->worker < gomp_fold_workers.count
	      && !gomp_amp_classes_forced ())
	    fprintf (out, " = CPU %u", gomp_fold_workers.cpu[row->worker]);
	  if (another)
	    fputs (" (of another initial thread)", out);
	}
      print_class (out, ", ", row->cls, "");
      if (lane != 0)
	fprintf (out, ", beside %u", lane);
      fprintf (out, "\"}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\","
	       "\"pid\":%d,\"tid\":%u,\"args\":{\"sort_index\":%u}}", pid, tid,
	       tid);
    }
}

/* What PIECE, an instant, is.  */

static void
print_instant (FILE *out, const struct gomp_trace_piece *piece)
{
  if (piece->kind != GOMP_TRACE_FACTORS)
    {
      fprintf (out, "\"name\":\"%s\",\"cat\":\"steal\",\"args\":{\"id\":%llu,"
	       "\"from\":%llu,\"to\":%llu}",
	       piece->kind == GOMP_TRACE_LATE ? "late thread" : "stolen",
	       piece->a >> 32, piece->a >> 16 & 0xffff, piece->a & 0xffff);
      return;
    }
  union
  {
    unsigned long long word[2];
    float factor[GOMP_TRACE_FACTORS_MOST];
  } packed = { { piece->b, piece->c } };
  unsigned classes = piece->a >> 16;

  fputs ("\"name\":\"SF\",\"cat\":\"SF\",\"args\":{", out);
  print_site_number (out, LOOPS, piece->a & 0xffff);
  fputs ("\"SF\":[", out);
  for (unsigned c = 0; c < classes; c++)
    fprintf (out, "%s%.4g", c != 0 ? "," : "", packed.factor[c]);
  fputs ("]}", out);
}

static void
print_region (FILE *out, const struct gomp_trace_picture *picture,
	      const struct gomp_trace_piece *piece)
{
  static const char *const hows[] = { "threads", "turns", "called" };
  const struct gomp_trace_run *run = gomp_trace_find_run (picture, piece->a);
  unsigned site = piece->b & 0xffff;

  fputs ("\"name\":", out);
  print_name (out, "region", find_site (REGIONS, site));
  fputs (",\"cat\":\"region\",\"args\":{", out);
  print_site_number (out, REGIONS, site);
  fprintf (out, "\"run\":%llu,\"ids\":%llu", piece->a, piece->b >> 32);
  if (run != NULL && run->ended != ~0ULL && run->how < 3)
    fprintf (out, ",\"ran\":\"%s\"", hows[run->how]);
}

static void
print_id (FILE *out, const struct gomp_trace_picture *picture,
	  const struct gomp_trace_piece *piece, int cls)
{
  const struct gomp_trace_run *run = gomp_trace_find_run (picture, piece->a);

  fprintf (out, "\"name\":\"id %llu", piece->b >> 32);
  print_class (out, " (", cls, ")");
  fputs ("\",\"cat\":\"id\"", out);
  print_colour (out, cls);
  fputs (",\"args\":{", out);
  if (run != NULL)
    print_site_number (out, REGIONS, run->site);
  fprintf (out, "\"run\":%llu,\"id\":%llu", piece->a, piece->b >> 32);
  if (cls >= 0)
    fprintf (out, ",\"class\":%d", cls);
  if (piece->number > 1)
    fprintf (out, ",\"parts\":%u", piece->number);
}

static void
print_wait (FILE *out, const struct gomp_trace_piece *piece)
{
  static const char *const kinds[] = { "barrier", "ordered", "lock or tasks" };

  fprintf (out, "\"name\":\"%s\",\"cat\":\"wait\",\"cname\":\"%s\","
	   "\"args\":{\"idle\":%s", kinds[(piece->a & 0xffff) % 3], wait_colour,
	   piece->flags & GOMP_TRACE_IDLE ? "true" : "false");
}

static void
print_part (FILE *out, const struct gomp_trace_piece *piece, int cls)
{
  bool task = piece->kind == GOMP_TRACE_TASK;
  enum sites kind = task ? TASKS : LOOPS;
  unsigned site = piece->a & 0xffff;

  fputs ("\"name\":", out);
  print_name (out, task ? "task" : "loop", find_site (kind, site));
  fprintf (out, ",\"cat\":\"%s\"", task ? "task" : "loop");
  print_colour (out, cls);
  fputs (",\"args\":{", out);
  print_site_number (out, kind, site);
  if (task)
    fputs ("\"task\":true", out);
  else
    {
      fprintf (out, "\"ran\":\"%s\"",
	       gomp_report_ways[piece->kind - GOMP_TRACE_PART]);
      if (!(piece->flags & GOMP_TRACE_CONTINUED))
	fprintf (out, ",\"iterations\":%llu,\"trip_count\":%llu", piece->b,
		 piece->c);
    }
}

static void
print_piece (FILE *out, const struct gomp_trace_picture *picture,
	     const struct gomp_trace_piece *piece, int pid)
{
  const struct gomp_trace_segment *segment = &picture->segment[piece->segment];
  const struct gomp_trace_row *row = &picture->row[segment->row];
  bool instant = (piece->kind == GOMP_TRACE_STOLEN
		  || piece->kind == GOMP_TRACE_LATE
		  || piece->kind == GOMP_TRACE_FACTORS);
  int cls = row->cls == -2 ? (piece->cls != 0xff ? piece->cls : -1) : row->cls;

  fprintf (out, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u",
	   instant ? "i\",\"s\":\"t" : "X", pid, row->tid + segment->lane);
  print_time (out, "ts", piece->start);
  if (!instant)
    print_time (out, "dur", piece->end - piece->start);
  fputc (',', out);
  if (instant)
    {
      print_instant (out, piece);
      fputc ('}', out);
      return;
    }
  if (piece->kind == GOMP_TRACE_REGION_BEGINS)
    print_region (out, picture, piece);
  else if (piece->kind == GOMP_TRACE_ID_BEGINS)
    print_id (out, picture, piece, cls);
  else if (piece->kind == GOMP_TRACE_WAITED)
    print_wait (out, piece);
  else
    print_part (out, piece, cls);
  if (piece->flags & GOMP_TRACE_CONTINUED)
    fputs (",\"continued\":true", out);
  if (piece->flags & GOMP_TRACE_UNFINISHED)
    fputs (",\"unfinished\":true", out);
  fputs ("}}", out);
}

void
gomp_trace_print (FILE *out, const struct gomp_trace_picture *picture)
{
  char program[4096];
  ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);
  int pid = getpid ();
  const char *name;

  program[length > 0 ? length : 0] = '\0';
  name = strrchr (program, '/');
  fprintf (out, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"format\":"
	   "\"libgomp-amp trace\",\"version\":1,\"pid\":%d,\"program\":", pid);
  gomp_watch_print_string (out, program);
  fprintf (out, ",\"began_ns\":%llu,\"lost\":%llu,\"threads_without\":%llu",
	   gomp_trace.began_real, picture->lost, gomp_trace.without);
  print_time (out, "complete_from_us", picture->complete);
  fputs (",\n", out);
  print_sites (out);
  fprintf (out, "},\n\"traceEvents\":[\n{\"ph\":\"M\",\"name\":"
	   "\"process_name\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":", pid);
  gomp_watch_print_string (out, name != NULL ? name + 1 : program);
  fputs ("}}", out);
  for (size_t i = 0; i < picture->rows; i++)
    print_row (out, picture, &picture->row[i], pid);
  for (size_t i = 0; i < picture->pieces; i++)
    print_piece (out, picture, &picture->piece[i], pid);
  fputs ("\n]}\n", out);
}

static void
print (FILE *out, const void *picture)
{
  gomp_trace_print (out, picture);
}

/* Say once that something is missing.  */

static void
tell_losses (const struct gomp_trace_picture *picture)
{
  static bool told;

  if (told || (picture->lost == 0 && gomp_trace.without == 0))
    return;
  told = true;
  if (picture->lost != 0)
    gomp_error ("GOMP_AMP_TRACE: the oldest %llu events are lost; the trace is"
		" complete from %.3f s on", picture->lost,
		picture->complete * 1e-9);
  if (gomp_trace.without != 0)
    gomp_error ("GOMP_AMP_TRACE: %llu threads are missing, since memory is"
		" short or all would take more than %lu MB",
		gomp_trace.without, GOMP_TRACE_BYTES >> 20);
}

void
gomp_trace_write (void)
{
  struct gomp_trace_picture picture;

  /* Before the lock: this may take others.  */
  gomp_amp_machine ();
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  if (!gomp_trace_make_picture (&picture))
    gomp_error ("GOMP_AMP_TRACE: out of memory; the trace is lost");
  else if (picture.pieces != 0)
    {
      gomp_watch_write_file ("trace", "GOMP_AMP_TRACE", gomp_amp_options.trace,
			     print, &picture);
      tell_losses (&picture);
    }
  gomp_trace_free_picture (&picture);
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
}
