/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* GOMP_AMP_TRACE: what each thread did, and when.  The hooks of watch/ and a
   few others call the functions here.

   The terms:

     event    something that a thread did: a record of 32 bytes.
     ring     the last events of a thread, in memory.  Only its thread writes
	      it.

   Nothing here is called unless gomp_trace_on.  */

#ifndef GOMP_AMP_TRACE_H
#define GOMP_AMP_TRACE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_report_run;
struct gomp_thread;

/* Whether a trace was asked for.  Set once, at start-up.  */
extern bool gomp_trace_on;

/* Called once at start-up.  */
extern void gomp_trace_init (void);

/* The calling thread is the only one of a forked child, which has done nothing
   yet.  */
extern void gomp_trace_begin_child (void);

/* Write all that is in the rings, unless nothing is.  */
extern void gomp_trace_write (void);

/* The calling thread ends.  */
extern void gomp_trace_thread_ends (void);

/* In the following functions NOW is the present time, by gomp_amp_clock, and
   BEGAN is an earlier one.  Budget: 60 instructions each, and the search for a
   site where one is given by its address.  */

/* RUN begins or ends.  The calling thread is its id 0.  HOW: as
   enum gomp_report_how.  */
extern void gomp_trace_region_begins (const struct gomp_report_run *run,
				      unsigned long long now);
extern void gomp_trace_region_ends (const struct gomp_report_run *run,
				    unsigned how, unsigned long long now);

/* THR, the calling thread, begins or ends to run its present id in RUN, on a
   core of class CLS.  */
extern void gomp_trace_id_begins (const struct gomp_report_run *run,
				  struct gomp_thread *thr,
				  unsigned long long now);
extern void gomp_trace_id_ends (const struct gomp_report_run *run,
				struct gomp_thread *thr, unsigned cls,
				unsigned long long now);

/* THR, the calling thread, begins to wait for *ADDR; and has waited since BEGAN
   as long as *ADDR was VAL.  */
extern void gomp_trace_waits (struct gomp_thread *thr, const int *addr,
			      unsigned long long began);
extern void gomp_trace_waited (struct gomp_thread *thr, const int *addr,
			       int val, unsigned long long began,
			       unsigned long long now);

/* The calling thread has run COUNT of the NI iterations of the loop at ADDRESS
   since BEGAN.  WAY: as enum gomp_report_way.  */
extern void gomp_trace_part (const void *address, unsigned way,
			     unsigned long long ni, unsigned long long count,
			     unsigned long long began, unsigned long long now);

/* The calling thread has run a task of the function FN since BEGAN.  */
extern void gomp_trace_task (void (*fn) (void *), unsigned long long began,
			     unsigned long long now);

/* The calling thread is about to run ID, which it has taken from the share of
   worker FROM: stolen, or as a late thread.  */
extern void gomp_trace_stolen (unsigned from, unsigned id);
extern void gomp_trace_late (unsigned from, unsigned id);

/* The speedup factors R of CLASSES core classes were measured for the loop at
   ADDRESS.  */
extern void gomp_trace_factors (const void *address, unsigned classes,
				const double *r);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TRACE_H */
