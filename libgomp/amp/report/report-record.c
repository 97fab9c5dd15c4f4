/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Records what regions and loops do, for GOMP_AMP_REPORT.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/fork-lock.h"
#include "fold/fold.h"
#include "machine/cpu.h"
#include "report/report-data.h"
#include "watch/watch.h"

bool gomp_report_on;
struct gomp_report gomp_report;

/* What the report keeps of the calling thread; NULL until it is needed.  */
static __thread struct gomp_report_thread *self;

/* The same; NULL if there is no room.  */

static struct gomp_report_thread * __attribute__ ((noinline))
make_self (void)
{
  struct gomp_report_thread *thread;

  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  for (thread = gomp_report.threads; thread != NULL; thread = thread->next)
    if (!thread->used)
      break;
  if (thread == NULL)
    {
      if (gomp_report.thread_count < GOMP_REPORT_THREADS_MOST)
	thread = calloc (1, sizeof *thread);
      if (thread == NULL)
	gomp_report.lost++;
      else
	{
	  gomp_report.thread_count++;
	  thread->next = gomp_report.threads;
	  gomp_report.threads = thread;
	}
    }
  if (thread != NULL)
    thread->used = true;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  self = thread;
  if (thread != NULL)
    gomp_watch_thread_keeps ();
  return thread;
}

static inline struct gomp_report_thread *
get_self (void)
{
  return __builtin_expect (self != NULL, 1) ? self : make_self ();
}

void
gomp_report_thread_ends (void)
{
  if (self == NULL)
    return;
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  self->used = false;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  self = NULL;
}

unsigned
gomp_report_class_of (struct gomp_thread *thr)
{
  unsigned cls = gomp_amp_current_class (thr);

  return cls < GOMP_REPORT_CLASSES ? cls : GOMP_REPORT_CLASSES - 1;
}

/* A run with room for IDS ids, with the lock.  NULL if memory is short.  */

static struct gomp_report_run *
get_run (unsigned ids)
{
  struct gomp_report_run *run;

  for (run = gomp_report.runs; run != NULL; run = run->next)
    if (!run->active && run->room >= ids)
      return run;
  if (posix_memalign ((void **) &run, __alignof__ (*run),
		      sizeof *run + ids * sizeof run->id[0]) != 0)
    return NULL;
  run->room = ids;
  run->next = gomp_report.runs;
  gomp_report.runs = run;
  return run;
}

struct gomp_report_run *
gomp_report_begin_run (void (*fn) (void *), unsigned ids, bool nested)
{
  struct gomp_report_site *site = gomp_report_region_site (fn);
  struct gomp_report_run *run;

  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  run = get_run (ids);
  if (run != NULL)
    {
      run->serial = gomp_report.serial++;
      run->site = site;
      run->ids = ids;
      run->nested = nested;
      if (gomp_report_on)
	memset (run->id, 0, ids * sizeof run->id[0]);
      run->active = true;
    }
  else
    gomp_report.lost++;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  return run;
}

void
gomp_report_id_begins (struct gomp_report_run *run, unsigned number,
		       gomp_report_sum now)
{
  struct gomp_report_id *id = &run->id[number];
  struct gomp_report_thread *me = get_self ();

  if (me == NULL)
    return;
  id->waited_before = me->waited;
  id->elsewhere_before = me->elsewhere;
  GOMP_REPORT_WRITE (id->began, now);
}

void
gomp_report_id_ends (struct gomp_report_run *run, unsigned number,
		     unsigned cls, gomp_report_sum now)
{
  struct gomp_report_id *id = &run->id[number];
  struct gomp_report_thread *me = get_self ();
  gomp_report_sum waited;

  if (me == NULL || id->began == 0)
    return;
  waited = me->waited - id->waited_before;
  GOMP_REPORT_WRITE (id->ended, now);
  if (now - id->began > waited)
    GOMP_REPORT_WRITE (id->useful, now - id->began - waited);
  id->elsewhere = me->elsewhere - id->elsewhere_before;
  id->place = number;
  gomp_fold_find_worker (&id->place);
  id->cls = cls;
}

void
gomp_report_end_run (struct gomp_report_run *run, enum gomp_report_how how,
		     unsigned places, gomp_report_sum now)
{
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  if (gomp_report_on)
    {
      gomp_report_add_run (run->site != NULL ? run->site->region
			   : &gomp_report.other, run, how, places, now);
      if (!run->nested)
	gomp_report_add_run (&gomp_report.all, run, how, places, now);
    }
  run->active = false;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
}

void
gomp_report_waited (const struct gomp_thread *thr, const int *addr,
		    gomp_report_sum waited)
{
  /* A thread that is in no region, and may be none of OpenMP's, gets no
     record.  */
  struct gomp_report_thread *me = self;

  if (me == NULL)
    return;
  me->waited += waited;
  if (thr->ts.team == NULL
      || addr != (const int *) &thr->ts.team->barrier.generation)
    me->elsewhere += waited;
}

/* Only tasks that a thread runs when its id has ended have to be timed: until
   then what is no wait is useful.  */

struct gomp_report_id *
gomp_report_task_id (const struct gomp_thread *thr)
{
  const struct gomp_team *team = thr->ts.team;
  struct gomp_report_id *id;

  if (self == NULL || team == NULL || team->nthreads == 1
      || team->amp_report == NULL)
    return NULL;
  id = &team->amp_report->id[thr->ts.team_id];
  return id->ended != 0 ? id : NULL;
}

gomp_report_sum
gomp_report_waited_so_far (void)
{
  return self->waited;
}

void
gomp_report_task_ran (struct gomp_report_id *id, gomp_report_sum taken,
		      gomp_report_sum waited)
{
  waited = self->waited - waited;
  if (taken > waited)
    GOMP_REPORT_ADD (id->useful, taken - waited);
}

/* What the calling thread keeps of the loop of SITE; NULL if there is no
   room.  */

static struct gomp_report_loop * __attribute__ ((noinline))
make_loop (struct gomp_report_thread *me, unsigned number)
{
  struct gomp_report_loop *loop = NULL;

  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  if (gomp_report.bytes + sizeof *loop <= GOMP_REPORT_BYTES)
    loop = calloc (1, sizeof *loop);
  if (loop != NULL)
    {
      gomp_report.bytes += sizeof *loop;
      loop->least = ~0ULL;
    }
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  /* Release: the thread that writes the report reads it.  */
  __atomic_store_n (&me->loop[number], loop, __ATOMIC_RELEASE);
  return loop;
}

static struct gomp_report_loop *
get_loop (struct gomp_report_thread *me, const void *address)
{
  struct gomp_report_site *site = gomp_report_loop_site (address);
  unsigned number = site != NULL ? site->number : GOMP_REPORT_SITES;
  struct gomp_report_loop *loop = me->loop[number];

  if (__builtin_expect (loop == NULL, 0))
    loop = make_loop (me, number);
  if (__builtin_expect (loop == NULL, 0) && number != GOMP_REPORT_SITES)
    {
      loop = me->loop[GOMP_REPORT_SITES];
      if (loop == NULL)
	loop = make_loop (me, GOMP_REPORT_SITES);
    }
  return loop;
}

/* Add VALUE, a time per iteration, to CLS.  */

static inline void
add_value (struct gomp_report_class *cls, double value)
{
  double sum = cls->value + value, square = cls->square + value * value;

  if (GOMP_AID_LOCK_FREE)
    {
      __atomic_store (&cls->value, &sum, __ATOMIC_RELAXED);
      __atomic_store (&cls->square, &square, __ATOMIC_RELAXED);
    }
  else
    {
      cls->value = sum;
      cls->square = square;
    }
  GOMP_REPORT_ADD (cls->timed, 1);
}

void
gomp_report_part (struct gomp_thread *thr, const void *address,
		  enum gomp_report_way way, gomp_aid_count ni,
		  gomp_aid_count count, gomp_report_sum ns)
{
  struct gomp_report_thread *me = get_self ();
  struct gomp_report_loop *loop = me != NULL ? get_loop (me, address) : NULL;
  struct gomp_report_class *cls;

  if (loop == NULL)
    return;
  if (thr->ts.team_id == 0)
    {
      GOMP_REPORT_ADD (loop->invocations, 1);
      GOMP_REPORT_ADD (loop->trips, ni);
      GOMP_REPORT_ADD (loop->way[way], 1);
      if (way != GOMP_REPORT_DYNAMIC && way != GOMP_REPORT_GUIDED)
	GOMP_REPORT_WRITE (loop->why[way], loop->why[way] | thr->ts.amp.why);
      if (ni < loop->least)
	GOMP_REPORT_WRITE (loop->least, ni);
      if (ni > loop->most)
	GOMP_REPORT_WRITE (loop->most, ni);
    }
  cls = &loop->cls[gomp_report_class_of (thr)];
  GOMP_REPORT_ADD (cls->parts, 1);
  GOMP_REPORT_ADD (cls->iterations, count);
  GOMP_REPORT_ADD (cls->ns, ns);
  if (count != 0)
    add_value (cls, (double) ns / count);
}

void
gomp_report_begin_child (void)
{
  struct gomp_report_run **link = &gomp_report.runs;

  gomp_report.lost = 0;
  gomp_report.forked = true;
  gomp_report.began = gomp_amp_clock ();
  memset (&gomp_report.all, 0, sizeof gomp_report.all);
  memset (&gomp_report.other, 0, sizeof gomp_report.other);
  for (unsigned i = 0; i < gomp_report.regions; i++)
    if (gomp_report.region[i]->region != NULL)
      memset (gomp_report.region[i]->region, 0,
	      sizeof *gomp_report.region[i]->region);
  for (struct gomp_report_thread *thread = gomp_report.threads; thread != NULL;
       thread = thread->next)
    {
      thread->used = thread == self;
      for (unsigned i = 0; i <= GOMP_REPORT_SITES; i++)
	if (thread->loop[i] != NULL)
	  {
	    memset (thread->loop[i], 0, sizeof *thread->loop[i]);
	    thread->loop[i]->least = ~0ULL;
	  }
    }
  /* Regions that the parent has begun are not the child's.  Their threads here
     still use what is kept of them, so that no other run must.  */
  while (*link != NULL)
    if ((*link)->active)
      {
	(*link)->active = false;
	*link = (*link)->next;
      }
    else
      link = &(*link)->next;
}

void
gomp_report_init (void)
{
  gomp_report.began = gomp_amp_clock ();
  gomp_report_on = gomp_amp_options.report != NULL;
}
