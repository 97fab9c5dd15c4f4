/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of our own (ompx-amp-tools.h).  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/message.h"
#include "fold/fold-ran.h"
#include "fold/fold-region.h"
#include "fold/fold-setup.h"
#include "loops/aid-loop.h"
#include "machine/affinity.h"
#include "machine/allotment.h"
#include "machine/cpu.h"
#include "ompt/ompt-data.h"
#include "ompt/ompt-options.h"
#include "ompt/ompx-amp-tools.h"
#include "options/schedules.h"
#include "sites/sites.h"

static ompx_amp_start_t start;

void
gomp_ompt_note_load (void)
{
  start.time = gomp_amp_clock ();
  start.process = getpid ();
  start.report = gomp_amp_options.report;
  start.trace = gomp_amp_options.trace;
}

static uint64_t
get_time (void)
{
  return gomp_amp_clock ();
}

static int
get_start (ompx_amp_start_t *out)
{
  *out = start;
  return 1;
}

static void
print_message (const char *text)
{
  gomp_error ("%s", text);
}

static int
get_machine (ompx_amp_machine_t *out)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  bool forced = gomp_amp_classes_forced ();

  *out = (ompx_amp_machine_t)
    {
      .classes = gomp_amp_class_count (),
      .forced = forced,
      .source = forced ? "GOMP_AMP_THREAD_CLASSES" : machine->source,
      .capacity = forced ? NULL : machine->capacity,
      .cpus = forced ? 0 : machine->ncpus,
      .workers = gomp_fold_on && !forced ? gomp_fold_workers.count : 0,
      .worker_cpu = gomp_fold_workers.cpu
    };
  return 1;
}

static int
get_class_of_cpu (unsigned cpu)
{
  const struct gomp_amp_machine *machine = gomp_amp_machine ();
  const struct gomp_amp_allotment *allotment = gomp_amp_allotment ();

  return (cpu < machine->ncpus && cpu < allotment->ncpus
	  && allotment->usable[cpu] ? machine->class_of_cpu[cpu] : -1);
}

static int
get_class (void)
{
  return gomp_amp_current_class (gomp_thread ());
}

void
gomp_ompt_region_ran (struct gomp_team *team)
{
  struct gomp_ompt_region *region = team->amp_ompt;
  struct gomp_fold_ran ran;

  if (region == NULL)
    return;
  ran = gomp_fold_how_ran (gomp_thread (), region->size);
  region->way = ran.folded ? ompx_amp_way_folded : ompx_amp_way_threads;
  region->places = ran.folded ? ran.workers : region->size;
}

/* Why the region of FUNCTION is not carried, or not folded.  */

static void
tell_why (const void *function, ompx_amp_region_t *out)
{
  const struct gomp_amp_site *site;
  const struct gomp_fold_region *region;
  const struct gomp_fold_reason *reason;
  unsigned why;

  if (!gomp_fold_on)
    {
      out->why_text = gomp_fold_workers.none;
      return;
    }
  site = gomp_amp_find_site (function);
  region = (site != NULL ? gomp_amp_site_record (site, GOMP_AMP_SITE_REGION)
	    : NULL);
  if (region == NULL)
    return;
  why = __atomic_load_n (&region->why, MEMMODEL_RELAXED);
  reason = &gomp_fold_reasons[why];
  if (reason->how == GOMP_FOLD_IS_CARRIED)
    return;
  out->why_key = reason->key;
  out->why_what = (reason->how == GOMP_FOLD_IS_APART ? "folded by the kernel: "
		   : "not folded: ");
  out->why_text = reason->text;
  if (why == GOMP_FOLD_SPEAKS_OF_THREAD)
    out->why_name = region->import;
}

static int
get_region (ompt_data_t *parallel_data, ompx_amp_region_t *out)
{
  /* Its first member.  */
  const struct gomp_ompt_region *region = (const void *) parallel_data;

  if (region == NULL)
    return 0;
  *out = (ompx_amp_region_t)
    {
      .function = region->function,
      .way = region->way,
      .places = region->places,
      .why_what = ""
    };
  tell_why (region->function, out);
  return 1;
}

static int
get_worker (ompx_amp_worker_t *out)
{
  const struct gomp_thread *thr = gomp_thread ();

  *out = (ompx_amp_worker_t)
    {
      .pool = (uintptr_t) thr->thread_pool,
      .worker = gomp_fold_worker_of (thr)
    };
  return 1;
}

/* The iterations of the thread with number ID of THREADS that are in its part
   of NI, dealt in chunks of CHUNK, or at once if that is 0.  */

static gomp_aid_count
static_part (gomp_aid_count ni, gomp_aid_count chunk, unsigned id,
	     unsigned threads)
{
  gomp_aid_count round = chunk * threads, before = chunk * id, rest;

  if (chunk == 0)
    return ni / threads + (id < ni % threads);
  rest = ni % round;
  rest = rest > before ? rest - before : 0;
  return ni / round * chunk + (rest < chunk ? rest : chunk);
}

/* What an AID loop of THR ran as, of which all is in LOOP.  */

static void
tell_aid (const struct gomp_thread *thr, const struct gomp_amp_loop *loop,
	  ompx_amp_loop_t *out)
{
  static const ompx_amp_ran_t ran[] =
    {
      [0] = ompx_amp_ran_timed_chunks,
      [GOMP_AMP_SAMPLES] = ompx_amp_ran_aid_static,
      [GOMP_AMP_SAMPLES | GOMP_AMP_PHASES] = ompx_amp_ran_aid_dynamic,
      [GOMP_AMP_SAMPLES | GOMP_AMP_TAIL] = ompx_amp_ran_aid_hybrid
    };
  const struct gomp_amp_thread *me = &thr->ts.amp;

  out->ran = ran[loop->traits
		 & (GOMP_AMP_SAMPLES | GOMP_AMP_PHASES | GOMP_AMP_TAIL)];
  out->iterations = me->generation == loop->generation ? me->taken : 0;
  /* Acquire R, which was stored before.  */
  if (__atomic_load_n (&loop->phase, MEMMODEL_ACQUIRE) != 0 && !loop->offline
      && (loop->traits & GOMP_AMP_SAMPLES) != 0)
    {
      out->classes = loop->classes;
      out->factors = gomp_aid_r (loop);
    }
}

/* Whether the loop of TEAM, or the region, was cancelled, so that iterations
   are missing.  */

static bool
cancelled (struct gomp_team *team)
{
  return (team != NULL
	  && (team->work_share_cancelled
	      || gomp_team_barrier_cancelled (&team->barrier)));
}

static int
get_loop (ompx_amp_loop_t *out)
{
  const struct gomp_ompt_thread *me = gomp_ompt_self;
  const struct gomp_ompt_task *task = me != NULL ? me->task : NULL;
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_team *team = thr->ts.team;
  const struct gomp_work_share *ws = thr->ts.work_share;
  unsigned threads = team != NULL ? team->nthreads : 1;
  int sched = GFS_DYNAMIC;

  if (task == NULL || (task->work != ompt_work_loop
		       && (task->work < ompt_work_loop_static
			   || task->work > ompt_work_loop_guided)))
    return 0;
  *out = (ompx_amp_loop_t) { .ran = ompx_amp_ran_static, .counted = 1 };
  if (task->work == ompt_work_loop)
    out->why = thr->ts.amp.why;
  if (task->work == ompt_work_loop && gomp_amp_static_p (thr))
    {
      gomp_aid_count chunk = thr->ts.amp.chunk;

      out->ran = chunk != 0 ? ompx_amp_ran_static_chunked : out->ran;
      out->iterations = static_part (task->count, chunk, thr->ts.team_id,
				     threads);
    }
  else if (ws != NULL)
    {
      sched = ws->sched & ~GFS_MONOTONIC;
      if (sched & GFS_AMP)
	tell_aid (thr, ws->amp, out);
      else if (sched == GFS_STATIC)
	{
	  out->ran = (ws->chunk_size != 0 ? ompx_amp_ran_static_chunked
		      : out->ran);
	  out->iterations = static_part (task->count, ws->chunk_size,
					 thr->ts.team_id, threads);
	}
      else
	{
	  out->ran = (sched == GFS_GUIDED ? ompx_amp_ran_guided
		      : ompx_amp_ran_dynamic);
	  out->counted = 0;
	}
    }
  if (cancelled (team))
    out->counted = 0;
  return 1;
}

ompt_interface_fn_t
gomp_ompt_look_up_own (const char *name)
{
  /* They are found when the next team starts.  */
  if (strcmp (name, "ompx_amp_get_class") == 0)
    __atomic_store_n (&gomp_amp_classes_wanted, true, MEMMODEL_RELAXED);
#define GOMP_OMPT_OWN(entry, where, text) \
  if (strcmp (name, "ompx_amp_" #entry) == 0)				\
    {									\
      const ompx_amp_##entry##_t found = entry;				\
      return (ompt_interface_fn_t) found;				\
    }
#include "ompt/ompt.def"
  return NULL;
}
