/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads' clocks and their totals.  For virtual/ only.  */

#ifndef GOMP_VIRTUAL_CLOCKS_H
#define GOMP_VIRTUAL_CLOCKS_H 1

#include "baton.h"

#pragma GCC visibility push(hidden)

/* The data of the report.  Times are virtual nanoseconds.  With the lock,
   except for the report at the end.  */
struct gomp_virtual_totals
{
  /* The latest clock.  */
  double makespan;
  /* The time that cores were busy, and that threads spun on them for others, by
     class.  On a core that is not busy threads spin first and then sleep.  */
  double busy[GOMP_AMP_MAX_CLASSES];
  double spun[GOMP_AMP_MAX_CLASSES];
  /* The same while the first thread was in teams of several threads.  */
  double parallel_busy[GOMP_AMP_MAX_CLASSES];
  double parallel_spun[GOMP_AMP_MAX_CLASSES];
  /* Of everything, and of the parts in teams of several threads.  MAKESPAN is
     the first thread's time in such teams; for everything the report sets it
     to the latest clock.  WORK is the CPU time.  BOUND is the time that the
     work would take if all cores shared it.  */
  struct gomp_virtual_part
  {
    double makespan, work, bound;
  } all, parallel;
  unsigned long long removals, switches, handovers;
  double waited;
  unsigned threads, most_threads;
};

extern struct gomp_virtual_totals gomp_virtual_totals;

/* Advance the clock of ME, the calling thread, by what it ran until its work
   was NOW.  With the lock, which it took after NOW.  */
extern void gomp_virtual_account (struct gomp_virtual_thread *me,
				  unsigned long long now);

/* What ME, the calling thread, runs from now on is the program's.  Without the
   lock.  */
extern void gomp_virtual_resume (struct gomp_virtual_thread *me);

/* The time of what THREAD runs now on its core, divided by the time on the
   fastest core.  With the lock.  */
extern double gomp_virtual_slowness (const struct gomp_virtual_thread *thread);

/* The clock that THREAD, which runs, would have if it were accounted for now.
   With the lock.  */
extern double gomp_virtual_clock_now (const struct gomp_virtual_thread *thread);

/* The first thread enters a team of several threads at its clock, or leaves
   one; or the process ends.  PARALLEL: it was in one before.  With the
   lock.  */
extern void gomp_virtual_end_part (double clock, bool parallel);

/* Store in USED the number of cores of each class on which threads ran.  With
   the lock.  */
extern void gomp_virtual_count_used (unsigned *used);

/* Set THREAD's clock to CLOCK if that is later.  With the lock.  */
extern void gomp_virtual_advance (struct gomp_virtual_thread *thread,
				  double clock);

/* Advance THREAD's clock by NS, during which its CPU is busy.  With the
   lock.  */
extern void gomp_virtual_occupy (struct gomp_virtual_thread *thread, double ns);

/* The segment of THREAD ends NS later than was thought, or earlier.  With the
   lock.  */
extern void gomp_virtual_stretch (struct gomp_virtual_thread *thread,
				  double ns);

/* THREAD, which waits for its CPU, goes on at CLOCK.  With the lock.  */
extern void gomp_virtual_retract (struct gomp_virtual_thread *thread,
				  double clock);

/* Clocks have changed by the two functions above.  With the lock.  */
extern void gomp_virtual_find_makespan (void);

/* THREAD has run until its clock, on its CPU, from some moment before NOW: take
   back what it did there after NOW, and do it on CPU.  With the lock.  */
extern void gomp_virtual_move (struct gomp_virtual_thread *thread, double now,
			       unsigned cpu);

/* THREAD goes on, or starts on another CPU: its CPU is its own until another
   thread uses it.  With the lock.  */
extern void gomp_virtual_go_on (struct gomp_virtual_thread *thread);

/* When THREAD's CPU is free.  With the lock.  */
extern double gomp_virtual_cpu_free (const struct gomp_virtual_thread *thread);

/* ME, which has been accounted for, meets the others.  A thread for which none
   waited and that comes after this continues no earlier than ME.  With the
   lock.  */
extern void gomp_virtual_show_up (const struct gomp_virtual_thread *me);

/* No thread waited for ME: set its clock to the time of the others, unless it
   is later.  With the lock.  */
extern void gomp_virtual_catch_up (struct gomp_virtual_thread *me);

/* Measure the time that reading a clock takes.  Must be called once, before the
   first account.  */
extern void gomp_virtual_init_clocks (void);

/* Reset time to 0, without threads.  For a child process, which has one
   thread.  */
extern void gomp_virtual_clear_clocks (void);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_CLOCKS_H */
