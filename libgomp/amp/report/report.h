/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* GOMP_AMP_REPORT: what each region and loop of the program did.  Here is what
   watch/ calls.

   The terms:

     run       one execution of a region by a team.
     id        a thread number of the team.
     place     what has a core of its own: a worker if the team is folded, else
	       a thread.
     useful    of an id: the time in the region, less that in which it waited in
	       the library.
     part      what one thread did in one execution of a loop.

   Runs are for the trace, too.  All else is called only if gomp_report_on.  */

#ifndef GOMP_AMP_REPORT_H
#define GOMP_AMP_REPORT_H 1

#include <stdbool.h>
#include "watch/watch.h"

#pragma GCC visibility push(hidden)

struct gomp_report_id;
struct gomp_report_run;
struct gomp_thread;

/* A time in nanoseconds, or a number of things.  */
typedef unsigned long long gomp_report_sum;

/* How a run's ids were run.  */
enum gomp_report_how
{
  /* Each by a thread of its own, at the same time.  */
  GOMP_REPORT_THREADS,
  /* By threads that took turns; by calls.  */
  GOMP_REPORT_TURNS,
  GOMP_REPORT_CALLS,
  GOMP_REPORT_HOWS
};

/* Whether the report was asked for.  Set once, at start-up.  */
extern bool gomp_report_on;

/* Called once at start-up.  */
extern void gomp_report_init (void);

/* The calling thread is the only one of a forked child, which has done nothing
   yet.  */
extern void gomp_report_begin_child (void);

/* Write the report, unless nothing was recorded.  */
extern void gomp_report_write (void);

/* The calling thread ends.  */
extern void gomp_report_thread_ends (void);

/* A run of FN by IDS ids begins.  NULL if memory is short.  */
extern struct gomp_report_run *
gomp_report_begin_run (void (*fn) (void *), unsigned ids, bool nested);

/* RUN, which was run as HOW on PLACES, has ended, NOW.  */
extern void gomp_report_end_run (struct gomp_report_run *run,
				 enum gomp_report_how how, unsigned places,
				 gomp_report_sum now);

/* The calling thread begins or ends to run id NUMBER of RUN, NOW.  CLS: the
   class of its core.  */
extern void gomp_report_id_begins (struct gomp_report_run *run,
				   unsigned number, gomp_report_sum now);
extern void gomp_report_id_ends (struct gomp_report_run *run, unsigned number,
				 unsigned cls, gomp_report_sum now);

/* THR, the calling thread, has waited for *ADDR, as many nanoseconds as WAITED
   is.  */
extern void gomp_report_waited (const struct gomp_thread *thr, const int *addr,
				gomp_report_sum waited);

/* The id of THR, the calling thread, if a task that it runs next is to be
   timed; else NULL.  Then: how long the thread has waited so far; and, when the
   task has run in TAKEN nanoseconds, what that was before in WAITED.  */
extern struct gomp_report_id *
gomp_report_task_id (const struct gomp_thread *thr);
extern gomp_report_sum gomp_report_waited_so_far (void);
extern void gomp_report_task_ran (struct gomp_report_id *id,
				  gomp_report_sum taken,
				  gomp_report_sum waited);

/* THR, the calling thread, has run COUNT of the NI iterations of a loop at
   ADDRESS in NS nanoseconds; the loop ran as WAY.  */
extern void gomp_report_part (struct gomp_thread *thr, const void *address,
			      enum gomp_report_way way, gomp_aid_count ni,
			      gomp_aid_count count, gomp_report_sum ns);

#pragma GCC visibility pop

#endif /* GOMP_AMP_REPORT_H */
