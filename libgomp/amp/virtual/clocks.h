/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads' clocks and what they add up to; for virtual/ only.  */

#ifndef GOMP_VIRTUAL_CLOCKS_H
#define GOMP_VIRTUAL_CLOCKS_H 1

#include "baton.h"

#pragma GCC visibility push(hidden)

/* What the report is made of.  Times are virtual nanoseconds.
   With the lock, but for the report at the end.  */
struct gomp_virtual_totals
{
  /* The latest clock.  */
  double makespan;
  /* Time that cores spent, by class.  */
  double busy[GOMP_AMP_MAX_CLASSES];
  /* Of everything, and of what ran in teams of several threads: the time of
     the first thread, the CPU time, and the time that it would take if all
     cores shared it at once.  */
  struct gomp_virtual_part
  {
    double makespan, work, bound;
  } all, parallel;
  unsigned long long removals, switches, handovers;
  double waited;
  unsigned threads, most_threads;
};

extern struct gomp_virtual_totals gomp_virtual_totals;

/* What the calling thread's CPU clock shows, in nanoseconds.  */
extern unsigned long long gomp_virtual_cpu_time (void);

/* Account for what ME, the calling thread, ran until its CPU clock showed NOW.
   With the lock, which it has taken since.  */
extern void gomp_virtual_account (struct gomp_virtual_thread *me,
				  unsigned long long now);

/* What ME, the calling thread, does from now on is the program's.  Without the
   lock.  */
extern void gomp_virtual_resume (struct gomp_virtual_thread *me);

/* How many times longer than on the fastest core THREAD takes on its own for
   what it runs now.  With the lock.  */
extern double gomp_virtual_slowness (const struct gomp_virtual_thread *thread);

/* What the clock of THREAD, which runs, would be if it were accounted for now.
   With the lock.  */
extern double gomp_virtual_clock_now (const struct gomp_virtual_thread *thread);

/* THREAD's clock becomes CLOCK, if that is later.  With the lock.  */
extern void gomp_virtual_advance (struct gomp_virtual_thread *thread,
				  double clock);

/* THREAD's CPU is busy with it until its clock is later by NS.  With the
   lock.  */
extern void gomp_virtual_occupy (struct gomp_virtual_thread *thread, double ns);

/* When THREAD's CPU is done with what it was given.  With the lock.  */
extern double gomp_virtual_cpu_free (const struct gomp_virtual_thread *thread);

/* ME, which was accounted for, meets the others: who comes later without having
   been waited for is later.  With the lock.  */
extern void gomp_virtual_show_up (const struct gomp_virtual_thread *me);

/* ME, which has not been waited for, is where the others are now, unless it is
   later already.  With the lock.  */
extern void gomp_virtual_catch_up (struct gomp_virtual_thread *me);

/* Measure what looking at a clock takes.  To be called once, before the first
   account.  */
extern void gomp_virtual_init_clocks (void);

/* Time begins anew, with no threads.  In a child process, of one thread.  */
extern void gomp_virtual_clear_clocks (void);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_CLOCKS_H */
