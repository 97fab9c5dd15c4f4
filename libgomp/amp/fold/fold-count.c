/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Counts what folded teams did, and reports it when the process ends.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cpulist.h"
#include "fold/fold-count.h"
#include "fold/fold-pool.h"
#include "fold/fold-watch.h"
#include "base/fork-lock.h"
#include "base/message.h"
#include "options/options.h"

/* It and what its records count are under GOMP_AMP_LOCK_COUNTS.  */
static struct gomp_fold_count *counts;

static bool shown;

static bool
same (const struct gomp_fold_count *count, unsigned ids, unsigned workers,
      const unsigned *cpu)
{
  if (count->ids != ids || count->workers != workers)
    return false;
  for (unsigned w = 0; w < workers; w++)
    if (count->worker[w].cpu != cpu[w])
      return false;
  return true;
}

static struct gomp_fold_count *
make_count (unsigned ids, unsigned workers, const unsigned *cpu)
{
  struct gomp_fold_count *count
    = calloc (1, sizeof *count + workers * sizeof count->worker[0]);

  if (count == NULL)
    return NULL;
  count->ids = ids;
  count->workers = workers;
  for (unsigned w = 0; w < workers; w++)
    count->worker[w].cpu = cpu[w];
  count->next = counts;
  counts = count;
  return count;
}

/* Note that COUNT's workers have the ranges FIRST from now on.  */

static void
note_ranges (struct gomp_fold_count *count, const unsigned *first)
{
  bool differ = false, any = false;

  for (unsigned w = 0; w < count->workers; w++)
    {
      unsigned ids = first[w + 1] - first[w];

      any |= count->worker[w].ids != 0;
      differ |= count->worker[w].ids != ids;
      count->worker[w].ids = ids;
    }
  count->moves += any && differ;
}

struct gomp_fold_count *
gomp_fold_count_for (unsigned ids, unsigned workers, const unsigned *first,
		     const unsigned *cpu)
{
  struct gomp_fold_count *count;

  for (count = counts; count != NULL; count = count->next)
    if (same (count, ids, workers, cpu))
      break;
  if (count == NULL)
    count = make_count (ids, workers, cpu);
  if (count != NULL)
    note_ranges (count, first);
  return count;
}

void
gomp_fold_count_pool (struct gomp_fold_pool *fold)
{
  const struct gomp_fold_team *team = __atomic_load_n (&fold->team,
						       __ATOMIC_ACQUIRE);
  struct gomp_fold_count *count = team != NULL ? team->count : NULL;

  for (unsigned w = 0; count != NULL && w < count->workers; w++)
    {
      const struct gomp_fold_worker *worker = &fold->crew.worker[w];
      struct gomp_fold_watched *watched = &fold->watched[w];
      unsigned switches = __atomic_load_n (&worker->switches,
					   __ATOMIC_RELAXED);
      unsigned early = __atomic_load_n (&worker->early, __ATOMIC_RELAXED);

      /* Modulo the range of the type: the watching thread looks often
	 enough.  */
      count->worker[w].switches += switches - watched->counted_switches;
      count->worker[w].early += early - watched->counted_early;
      watched->counted_switches = switches;
      watched->counted_early = early;
    }
}

void
gomp_fold_print_counts (FILE *out)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_COUNTS);
  fputc ('[', out);
  for (struct gomp_fold_count *count = counts; count != NULL;
       count = count->next)
    {
      fprintf (out, "%s{\"ids\":%u,\"moves\":%llu,\"workers\":[",
	       count == counts ? "" : ",", count->ids, count->moves);
      for (unsigned w = 0; w < count->workers; w++)
	fprintf (out,
		 "%s{\"cpu\":%u,\"ids\":%u,\"switches\":%llu,\"early\":%llu}",
		 w ? "," : "", count->worker[w].cpu, count->worker[w].ids,
		 count->worker[w].switches, count->worker[w].early);
      fputs ("]}", out);
    }
  fputc (']', out);
  gomp_amp_release (GOMP_AMP_LOCK_COUNTS);
}

void
gomp_fold_show_counts (void)
{
  shown = true;
}

/* For people: the ids of consecutive workers that have as many, and the sums of
   all.  */

static void
show (const struct gomp_fold_count *count)
{
  unsigned long long switches = 0, early = 0;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream (&text, &size);

  if (out == NULL)
    return;
  for (unsigned w = 0; w < count->workers;)
    {
      unsigned next = w + 1, ids = count->worker[w].ids;
      struct gomp_amp_cpu_printer printer = { .stream = out };

      while (next < count->workers && count->worker[next].ids == ids)
	next++;
      fprintf (out, "%s%u on %s ", w ? ", " : "", ids,
	       next - w == 1 ? "CPU" : "each of CPUs");
      for (; w < next; w++)
	{
	  gomp_amp_print_cpu (&printer, count->worker[w].cpu);
	  switches += count->worker[w].switches;
	  early += count->worker[w].early;
	}
      gomp_amp_print_last_cpu (&printer);
    }
  fclose (out);
  gomp_error ("folded teams of %u threads (%s): %llu switches, %llu early"
	      " wakes, %llu moves", count->ids, text, switches, early,
	      count->moves);
  free (text);
}

static void
write_report (const char *name)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream (&text, &size);
  int file;

  if (out == NULL)
    return;
  fprintf (out, "{\"pid\":%d,\"folded\":", (int) getpid ());
  gomp_fold_print_counts (out);
  fputs ("}\n", out);
  fclose (out);
  /* One write, so that the lines of several processes do not mix; of a pipe
     that no process reads none.  */
  file = open (name, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC,
	       0666);
  if (file < 0 || write (file, text, size) != (ssize_t) size)
    gomp_error ("GOMP_AMP_FOLD_REPORT: cannot write %s: %m; the report is lost",
		name);
  if (file >= 0)
    close (file);
  free (text);
}

void
gomp_fold_finish (void)
{
  const char *name = gomp_amp_options.fold_report;

  gomp_fold_count_all ();
  if (counts == NULL)
    return;
  for (struct gomp_fold_count *count = counts; shown && count != NULL;
       count = count->next)
    show (count);
  if (name != NULL)
    write_report (name);
}

void
gomp_fold_forget_counts (void)
{
  /* Threads of the parent's teams, which are gone, have pointers to them.  */
  counts = NULL;
}
