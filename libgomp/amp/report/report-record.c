/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Records what regions and loops do, for GOMP_AMP_REPORT.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fork-lock.h"
#include "fold/fold.h"
#include "fold/fold-kernel.h"
#include "fold/fold-setup.h"
#include "loops/learn.h"
#include "machine/cpu.h"
#include "report/report-data.h"
#include "tasks/task-cost.h"

bool gomp_report_on;
unsigned long gomp_amp_fast_chunk
  = 1UL << (sizeof (long) * __CHAR_BIT__ / 2 - 1);
bool gomp_amp_moments_on;
struct gomp_report gomp_report;
struct gomp_learn_loop gomp_report_unlearned;

/* A report is to be written when the next region ends.  */
static volatile sig_atomic_t asked;

/* What the report keeps of the calling thread; NULL until it is needed.  */
static __thread struct gomp_report_thread *self;

/* Has the same value, so that a thread that ends gives its record back, however
   it was made and whichever pool it is of.  */
static pthread_key_t self_key;
static bool has_key;

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
  if (has_key)
    pthread_setspecific (self_key, thread);
  return thread;
}

static inline struct gomp_report_thread *
get_self (void)
{
  return __builtin_expect (self != NULL, 1) ? self : make_self ();
}

/* The calling thread, which has THREAD, ends.  */

static void
give_back (void *thread)
{
  self = NULL;
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  ((struct gomp_report_thread *) thread)->used = false;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
}

static inline unsigned
class_of (struct gomp_thread *thr)
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

void
gomp_report_region_begins (struct gomp_team *team, void (*fn) (void *))
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_report_site *site = gomp_report_region_site (fn);
  struct gomp_report_run *run;

  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  run = get_run (team->nthreads);
  if (run != NULL)
    {
      run->site = site;
      run->ids = team->nthreads;
      run->nested = thr->ts.level > 1;
      memset (run->id, 0, team->nthreads * sizeof run->id[0]);
      run->active = true;
    }
  else
    gomp_report.lost++;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  /* The threads of the team are started or released after that.  */
  team->amp_report = run;
  if (run == NULL)
    return;
  run->began = gomp_amp_clock ();
  gomp_report_id_begins (thr);
}

/* The id that THR runs, or NULL.  */

static inline struct gomp_report_id *
current_id (struct gomp_thread *thr)
{
  struct gomp_team *team = thr->ts.team;

  if (team == NULL || team->nthreads == 1 || team->amp_report == NULL)
    return NULL;
  return &team->amp_report->id[thr->ts.team_id];
}

void
gomp_report_id_begins (struct gomp_thread *thr)
{
  struct gomp_report_id *id = current_id (thr);
  struct gomp_report_thread *me = get_self ();

  if (id == NULL || me == NULL)
    return;
  id->waited_before = me->waited;
  id->elsewhere_before = me->elsewhere;
  GOMP_REPORT_WRITE (id->began, gomp_amp_clock ());
}

void
gomp_report_id_ends (struct gomp_thread *thr)
{
  struct gomp_report_id *id = current_id (thr);
  struct gomp_report_thread *me = get_self ();
  gomp_report_sum now, waited;

  if (me == NULL || id == NULL || id->began == 0)
    return;
  now = gomp_amp_clock ();
  waited = me->waited - id->waited_before;
  GOMP_REPORT_WRITE (id->ended, now);
  if (now - id->began > waited)
    GOMP_REPORT_WRITE (id->useful, now - id->began - waited);
  id->elsewhere = me->elsewhere - id->elsewhere_before;
  id->place = thr->ts.team_id;
  gomp_fold_find_worker (&id->place);
  id->cls = class_of (thr);
}

void
gomp_report_region_ends (const struct gomp_team *team)
{
  struct gomp_report_run *run;
  gomp_report_sum ended;
  enum gomp_report_how how;
  unsigned places;

  if (team->nthreads == 1 || team->amp_report == NULL)
    return;
  run = team->amp_report;
  /* Not so if a parent process has begun it.  */
  if (!run->active)
    return;
  ended = gomp_amp_clock ();
  places = run->ids;
  how = run->nested ? GOMP_REPORT_THREADS : gomp_report_how (run->ids, &places);
  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  gomp_report_add_run (run->site != NULL ? run->site->region
		       : &gomp_report.other, run, how, places, ended);
  if (!run->nested)
    gomp_report_add_run (&gomp_report.all, run, how, places, ended);
  run->active = false;
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  if (__builtin_expect (asked, 0))
    {
      asked = 0;
      gomp_report_write ();
    }
}

/* What upstream's do_spin and do_wait would do.  */

static int
wait_alone (int *addr, int val, enum gomp_fold_way way,
	    unsigned long long spins)
{
  for (; spins != 0; spins--)
    {
      if (__atomic_load_n (addr, MEMMODEL_RELAXED) != val)
	return 0;
      gomp_fold_relax ();
    }
  if (way == GOMP_FOLD_SPIN)
    return 1;
  gomp_fold_sleep (addr, val);
  return 0;
}

int
gomp_report_wait (int *addr, int val, enum gomp_fold_way way,
		  unsigned long long *count)
{
  /* A thread that is in no region, and may be none of OpenMP's, gets no
     record.  */
  struct gomp_report_thread *me = self;
  struct gomp_thread *thr = gomp_thread ();
  unsigned long long spins = 0;
  gomp_report_sum began, waited;
  int result;

  if (__atomic_load_n (addr, MEMMODEL_RELAXED) != val)
    return 0;
  began = gomp_amp_clock ();
  /* Stores how often a thread of no folded team looks, too.  */
  result = gomp_fold_wait_for (addr, val, way, count != NULL ? &spins : NULL);
  if (result < 0)
    result = wait_alone (addr, val, way, spins);
  if (me == NULL)
    return result;
  waited = gomp_amp_clock () - began;
  me->waited += waited;
  if (thr->ts.team == NULL
      || addr != (const int *) &thr->ts.team->barrier.generation)
    me->elsewhere += waited;
  return result;
}

/* Only tasks that a thread runs when its id has ended have to be timed: until
   then what is no wait is useful.  */

void
gomp_report_call_task (void (*fn) (void *), void *data)
{
  struct gomp_report_id *id = current_id (gomp_thread ());
  struct gomp_report_thread *me = self;
  gomp_report_sum began, waited, taken;

  if (id == NULL || me == NULL || id->ended == 0)
    {
      gomp_amp_call_known_task (fn, data);
      return;
    }
  began = gomp_amp_clock ();
  waited = me->waited;
  gomp_amp_call_known_task (fn, data);
  taken = gomp_amp_clock () - began;
  waited = me->waited - waited;
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
		  gomp_aid_count count, unsigned long long began)
{
  gomp_report_sum ns = gomp_amp_clock () - began;
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
  cls = &loop->cls[class_of (thr)];
  GOMP_REPORT_ADD (cls->parts, 1);
  GOMP_REPORT_ADD (cls->iterations, count);
  GOMP_REPORT_ADD (cls->ns, ns);
  if (count != 0)
    add_value (cls, (double) ns / count);
}

/* What the loop of WS, which upstream's code runs, runs as.  */

static inline enum gomp_report_way
way_of (const struct gomp_work_share *ws)
{
  return ws->sched == GFS_GUIDED ? GOMP_REPORT_GUIDED : GOMP_REPORT_DYNAMIC;
}

void
gomp_report_static_part (struct gomp_thread *thr)
{
  const struct gomp_amp_thread *me = &thr->ts.amp;
  /* An even static loop was decided without what is learned.  */
  bool parts = ((me->why & GOMP_AMP_LEARNED) != 0
		&& (me->why & GOMP_AMP_CORES_ALIKE) == 0);

  gomp_report_part (thr, me->report_address,
		    (me->report_chunked ? GOMP_REPORT_CHUNKED
		     : parts ? GOMP_REPORT_PARTS : GOMP_REPORT_STATIC),
		    me->ni, me->report_count, me->report_began);
}

void
gomp_report_shared_part (struct gomp_thread *thr,
			 const struct gomp_amp_loop *loop)
{
  static const enum gomp_report_way way[] =
    {
      [0] = GOMP_REPORT_EVEN,
      [GOMP_AMP_SAMPLES] = GOMP_REPORT_AID_STATIC,
      [GOMP_AMP_SAMPLES | GOMP_AMP_PHASES] = GOMP_REPORT_AID_DYNAMIC,
      [GOMP_AMP_SAMPLES | GOMP_AMP_TAIL] = GOMP_REPORT_AID_HYBRID,
      [GOMP_AMP_SAMPLES | GOMP_AMP_TAIL | GOMP_AMP_LEARNS]
	= GOMP_REPORT_AID_AUTO,
      [GOMP_AMP_LEARNS | GOMP_AMP_PARTS] = GOMP_REPORT_PARTS
    };
  const struct gomp_amp_thread *me = &thr->ts.amp;
  bool even = loop->learned == &gomp_report_unlearned;

  gomp_report_part (thr, loop->address,
		    even && (loop->traits & GOMP_AMP_PARTS) != 0
		    ? (loop->timed ? GOMP_REPORT_STATIC : GOMP_REPORT_CHUNKED)
		    : way[loop->traits & ~GOMP_AMP_REPORTED],
		    loop->ni, me->taken, me->counted);
}

/* The function of the team with which the next loop starts, or NULL.  */
static __thread const void *team_fn;

void
gomp_report_parallel_loop (void (*fn) (void *))
{
  team_fn = (const void *) fn;
}

/* Whether ADDRESS is in this library.  */

static bool
in_library (const void *address)
{
  extern const char __ehdr_start[], _end[];

  return ((uintptr_t) address - (uintptr_t) __ehdr_start
	  < (uintptr_t) _end - (uintptr_t) __ehdr_start);
}

/* ME, the calling thread, begins a loop of GENERATION.  FIRST will be its
   address.  */

static inline void
begin_loop (struct gomp_amp_thread *me, unsigned long long generation)
{
  me->generation = generation;
  me->taken = 0;
  me->first = 0;
  me->counted = gomp_amp_clock ();
}

/* A loop that upstream's code runs has the state of an AID loop, of which it
   uses the generation, by which each thread sees that the loop is new, the
   trip count, and the address if the loop starts together with its team.  */

static void
begin_shared (struct gomp_work_share *ws, gomp_aid_count trips)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_team *team = thr->ts.team;
  const void *fn = team_fn;

  team_fn = NULL;
  /* A work share outside of teams has no room for the state; all of its loop is
     run by this thread.  */
  if (fn == NULL && team == NULL)
    begin_loop (&thr->ts.amp, 0);
  else if (gomp_aid_init (ws, GFS_AMP_EVEN, trips, 1, NULL) != GFS_DYNAMIC)
    gomp_aid_find_site (ws->amp, team, fn);
}

/* Whether the loop of WS is to be reported here.  */

static inline bool
reported (const struct gomp_work_share *ws)
{
  return (gomp_report_on
	  && (ws->sched == GFS_DYNAMIC || ws->sched == GFS_GUIDED));
}

int
gomp_amp_slow_mode (struct gomp_work_share *ws)
{
  if (reported (ws))
    begin_shared (ws, gomp_amp_trips (ws->next, ws->end, ws->incr));
  return 0;
}

int
gomp_amp_slow_mode_ull (struct gomp_work_share *ws, bool up)
{
  if (reported (ws))
    begin_shared (ws, gomp_amp_trips_ull (up, ws->next_ull, ws->end_ull,
					  ws->incr_ull));
  return 0;
}

/* The address of a loop of THR, of which ADDRESS is all that is known.  */

static const void *
loop_address (const struct gomp_thread *thr, const void *address)
{
  const struct gomp_team *team = thr->ts.team;

  if (!in_library (address))
    return address;
  /* Some function of upstream's does not end with the call.  */
  return (team != NULL && team->nthreads > 1 && team->amp_report != NULL
	  && team->amp_report->site != NULL
	  ? team->amp_report->site->site->address : NULL);
}

void
gomp_report_took (struct gomp_work_share *ws, gomp_aid_count trips,
		  const void *address)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_amp_thread *me = &thr->ts.amp;
  bool alone = thr->ts.team == NULL;
  const struct gomp_amp_loop *loop = alone ? NULL : ws->amp;

  if (loop == NULL && !alone)
    return;
  if (!alone && me->generation != loop->generation)
    begin_loop (me, loop->generation);
  if (me->first == 0)
    me->first = (uintptr_t) (!alone && loop->address != NULL ? loop->address
			     : loop_address (thr, address));
  me->taken += trips;
  if (trips == 0)
    gomp_report_part (thr, (const void *) (uintptr_t) me->first, way_of (ws),
		      alone ? me->taken : loop->ni, me->taken, me->counted);
}

static void
ask (int signal __attribute__ ((unused)))
{
  asked = 1;
}

/* The calling thread is the only one of a forked child, which has done nothing
   yet.  */

static void
begin_child (void)
{
  struct gomp_report_run **link = &gomp_report.runs;

  gomp_report.lost = 0;
  gomp_report.pid = getpid ();
  gomp_report.forked = true;
  gomp_report.began = gomp_amp_clock ();
  memset (&gomp_report.all, 0, sizeof gomp_report.all);
  memset (&gomp_report.other, 0, sizeof gomp_report.other);
  for (unsigned i = 0; i < gomp_report.regions; i++)
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
  asked = 0;
}

void
gomp_report_init (void)
{
  struct sigaction action = { 0 }, old;

  gomp_amp_moments_on = gomp_fold_on;
  if (gomp_amp_options.report == NULL)
    return;
  gomp_report.began = gomp_amp_clock ();
  gomp_report.pid = getpid ();
  if (!gomp_fold_on)
    gomp_managed_threads += GOMP_FOLD_BIAS;
  for (unsigned i = 0; i < GOMP_AMP_SCHEDULES; i++)
    gomp_amp_traits[i] |= GOMP_AMP_REPORTED;
  gomp_amp_fast_chunk = 0;
  gomp_amp_timed_tasks = true;
  __atomic_store_n (&gomp_amp_classes_wanted, true, __ATOMIC_RELAXED);
  pthread_atfork (NULL, NULL, begin_child);
  has_key = pthread_key_create (&self_key, give_back) == 0;
  /* A program that has the signal for itself keeps it.  */
  action.sa_handler = ask;
  action.sa_flags = SA_RESTART;
  if (sigaction (SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
    sigaction (SIGUSR1, &action, NULL);
  gomp_report_on = gomp_amp_moments_on = true;
}

void
gomp_report_finish (void)
{
  if (gomp_report_on)
    gomp_report_write ();
}
