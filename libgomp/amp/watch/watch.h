/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What watches the program: the report and the trace.  Here is what moments.h,
   the waits, the tasks and the loops call; it passes on to those that are asked
   for, with the time.

   The terms:

     run       one execution of a region by a team.
     id        a thread number of the team.
     part      what one thread did in one execution of a loop.

   Nothing here is called unless gomp_watch_on, and none of it is on a path that
   has no such test already: see gomp_amp_moments_on,
   GOMP_AMP_STATIC_REPORTED and GOMP_AMP_REPORTED.  */

#ifndef GOMP_AMP_WATCH_H
#define GOMP_AMP_WATCH_H 1

#include <stdbool.h>
#include "fold/fold-turn.h"
#include "loops/aid-loop.h"

#pragma GCC visibility push(hidden)

struct gomp_team;
struct gomp_thread;
struct gomp_work_share;

/* Whether the report or the trace was asked for.  Set once, at start-up.  */
extern bool gomp_watch_on;

/* Whether anything stands behind the moments of regions, threads and waits:
   folded teams, the report or the trace.  Set once, at start-up.  */
extern bool gomp_amp_moments_on;

/* Called once at start-up, after gomp_fold_init.  */
extern void gomp_watch_init (void);

/* The process ends.  */
extern void gomp_watch_finish (void);

/* The calling thread has become id 0 of TEAM, which is to run FN.  */
extern void gomp_watch_region_begins (struct gomp_team *team,
				      void (*fn) (void *));

/* The calling thread begins or ends to run an id of its team.  The team has
   not counted in the id yet.  */
extern void gomp_watch_id_begins (struct gomp_thread *thr);
extern void gomp_watch_id_ends (struct gomp_thread *thr);

/* The region of TEAM, of which the calling thread was id 0, has ended.  */
extern void gomp_watch_region_ends (const struct gomp_team *team);

/* As gomp_amp_waits; never -1.  */
extern int gomp_watch_wait (int *addr, int val, enum gomp_fold_way way,
			    unsigned long long *count);

/* As gomp_amp_call_known_task.  */
extern void gomp_watch_call_task (void (*fn) (void *), void *data);

/* For the report and the trace: the calling thread has something of theirs,
   which it is to give back when it ends.  */
extern void gomp_watch_thread_keeps (void);

/* What a loop ran as: ROW (IDENT, "name").  */
#define GOMP_REPORT_WAYS(row) \
  row (STATIC, "static") \
  row (CHUNKED, "static,chunk") \
  row (DYNAMIC, "dynamic") \
  row (GUIDED, "guided") \
  row (AID_STATIC, "aid_static") \
  row (AID_HYBRID, "aid_hybrid") \
  row (AID_DYNAMIC, "aid_dynamic") \
  row (EVEN, "timed chunks")

enum gomp_report_way
{
#define GOMP_REPORT_WAY(ident, name) GOMP_REPORT_##ident,
  GOMP_REPORT_WAYS (GOMP_REPORT_WAY)
#undef GOMP_REPORT_WAY
  GOMP_REPORT_WAY_COUNT
};

/* THR, the calling thread, has run COUNT of the NI iterations of a loop at
   ADDRESS since BEGAN; the loop ran as WAY.  */
extern void gomp_watch_part (struct gomp_thread *thr, const void *address,
			     enum gomp_report_way way, gomp_aid_count ni,
			     gomp_aid_count count, unsigned long long began);

/* Upstream's dynamic loops are fast if neither their chunk nor their number of
   threads reaches this: a power of two, or 0 if they are watched.  */
extern unsigned long gomp_amp_fast_chunk;

/* The mode of WS, whose loop the calling thread begins, if that is dynamic and
   not fast, but for its direction.  */
extern int gomp_amp_slow_mode (struct gomp_work_share *ws);
extern int gomp_amp_slow_mode_ull (struct gomp_work_share *ws, bool up);

/* The loop of WS, which the calling thread begins, is not dynamic.  Macros, so
   that nothing is computed if nothing watches.  */
#define gomp_amp_guided_begins(ws) \
  do									\
    if (__builtin_expect (gomp_watch_on, 0))				\
      gomp_amp_slow_mode ((ws));					\
  while (0)
#define gomp_amp_guided_ull_begins(ws, up) \
  do									\
    if (__builtin_expect (gomp_watch_on, 0))				\
      gomp_amp_slow_mode_ull ((ws), (up));				\
  while (0)

/* The calling thread has taken TRIPS iterations from WS, or has found none
   left, which is returned.  Macros, since the function in which they stand
   returns to the program: its callers end with its call.  */
#define gomp_amp_took(ws, trips) \
  do									\
    if (__builtin_expect (gomp_watch_on, 0))				\
      gomp_watch_took ((ws), (trips), __builtin_return_address (0));	\
  while (0)
#define gomp_amp_took_none(ws) \
  ({									\
    if (__builtin_expect (gomp_watch_on, 0))				\
      gomp_watch_took ((ws), 0, __builtin_return_address (0));		\
    false;								\
  })

/* For these.  */
extern void gomp_watch_took (struct gomp_work_share *ws, gomp_aid_count trips,
			     const void *address);

/* The loop whose work share the calling thread initialises next starts together
   with a team that runs FN.  */
extern void gomp_watch_parallel_loop (void (*fn) (void *));

/* The same for the static loop without a work share that THR is in.  */
extern void gomp_watch_static_part (struct gomp_thread *thr);

/* The same for LOOP, which has a work share.  */
extern void gomp_watch_shared_part (struct gomp_thread *thr,
				    const struct gomp_amp_loop *loop);

#pragma GCC visibility pop

#endif /* GOMP_AMP_WATCH_H */
