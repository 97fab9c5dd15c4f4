/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Watches loops: when a thread begins and ends its part of one, and how many
   iterations it ran.  */

#include "libgomp.h"
#include "base/clock.h"
#include "loops/aid-loop.h"
#include "report/report-data.h"
#include "trace/trace.h"
#include "watch/watch.h"

unsigned long gomp_amp_fast_chunk
  = 1UL << (sizeof (long) * __CHAR_BIT__ / 2 - 1);

void
gomp_watch_part (struct gomp_thread *thr, const void *address,
		 enum gomp_report_way way, gomp_aid_count ni,
		 gomp_aid_count count, unsigned long long began)
{
  unsigned long long now = gomp_amp_clock ();

  if (gomp_report_on)
    gomp_report_part (thr, address, way, ni, count, now - began);
  if (gomp_trace_on)
    gomp_trace_part (address, way, ni, count, began, now);
}

/* What the loop of WS, which upstream's code runs, runs as.  */

static inline enum gomp_report_way
way_of (const struct gomp_work_share *ws)
{
  return ws->sched == GFS_GUIDED ? GOMP_REPORT_GUIDED : GOMP_REPORT_DYNAMIC;
}

void
gomp_watch_static_part (struct gomp_thread *thr)
{
  const struct gomp_amp_thread *me = &thr->ts.amp;

  gomp_watch_part (thr, me->report_address,
		   (me->report_chunked ? GOMP_REPORT_CHUNKED
		    : GOMP_REPORT_STATIC),
		   me->ni, me->report_count, me->report_began);
}

void
gomp_watch_shared_part (struct gomp_thread *thr,
			const struct gomp_amp_loop *loop)
{
  static const enum gomp_report_way way[] =
    {
      [0] = GOMP_REPORT_EVEN,
      [GOMP_AMP_SAMPLES] = GOMP_REPORT_AID_STATIC,
      [GOMP_AMP_SAMPLES | GOMP_AMP_PHASES] = GOMP_REPORT_AID_DYNAMIC,
      [GOMP_AMP_SAMPLES | GOMP_AMP_TAIL] = GOMP_REPORT_AID_HYBRID,
      [GOMP_AMP_WHOLE] = GOMP_REPORT_STATIC
    };
  const struct gomp_amp_thread *me = &thr->ts.amp;

  gomp_watch_part (thr, loop->address,
		   (loop->traits & GOMP_AMP_WHOLE) != 0 && !loop->timed
		   ? GOMP_REPORT_CHUNKED
		   : way[loop->traits & ~GOMP_AMP_REPORTED],
		   loop->ni, me->taken, me->began);
}

/* The function of the team with which the next loop starts, or NULL.  */
static __thread const void *team_fn;

void
gomp_watch_parallel_loop (void (*fn) (void *))
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
  me->began = gomp_amp_clock ();
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
  else if (gomp_aid_init (ws, GFS_AMP_EVEN, trips, 1) != GFS_DYNAMIC)
    gomp_aid_find_site (ws->amp, team, fn);
}

/* Whether the loop of WS is to be watched here.  */

static inline bool
watched (const struct gomp_work_share *ws)
{
  return (gomp_watch_on
	  && (ws->sched == GFS_DYNAMIC || ws->sched == GFS_GUIDED));
}

int
gomp_amp_slow_mode (struct gomp_work_share *ws)
{
  if (watched (ws))
    begin_shared (ws, gomp_amp_trips (ws->next, ws->end, ws->incr));
  return 0;
}

int
gomp_amp_slow_mode_ull (struct gomp_work_share *ws, bool up)
{
  if (watched (ws))
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
gomp_watch_took (struct gomp_work_share *ws, gomp_aid_count trips,
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
    gomp_watch_part (thr, (const void *) (uintptr_t) me->first, way_of (ws),
		     alone ? me->taken : loop->ni, me->taken, me->began);
}
