/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What threads have done, in nanoseconds of the fastest core.  For virtual/
   only.

   A program that amp-gcc --amp-count compiled counts its own work, and so does
   the lab's library.  Then no real clock decides anything: a run gives the
   same digits on any machine.  Of other programs a thread's CPU time is its
   work.  */

#ifndef GOMP_VIRTUAL_COUNTED_H
#define GOMP_VIRTUAL_COUNTED_H 1

#include "libgomp.h"
#include "baton.h"

#pragma GCC visibility push(hidden)

/* A unit of counted work, in picoseconds: with it NPB's EP, class S, takes as
   long on one core (0.29 s) as on an Intel Xeon of family 6, model 207, at 2.3
   GHz.  */
#define GOMP_VIRTUAL_UNIT_PS 175

/* Whether work is counted.  Constant once virtual time has started.  */
extern bool gomp_virtual_counted;

/* Whether no thread is ever taken for stuck by a real clock.  Carriers that do
   not come back, in folded teams, are found so.  */
static inline bool
gomp_virtual_exact (void)
{
  return gomp_virtual_counted && !gomp_fold_on;
}

/* Choose by GOMP_AMP_VIRTUAL_WORK.  Called once, before any thread.  */
extern void gomp_virtual_init_work (void);

/* The calling thread is about to start a team.  End the process if work should
   be counted and is not.  */
extern void gomp_virtual_check_work (void);

/* Find the counters of ME, the calling thread.  */
extern void gomp_virtual_find_work (struct gomp_virtual_thread *me);

/* Work is counted from 0 on in ME, the calling thread, if it is counted: the
   clock's fractions of a nanosecond do not depend on what was before.  */
extern void gomp_virtual_clear_work (struct gomp_virtual_thread *me);

/* What THREAD has done so far.  */
extern unsigned long long gomp_virtual_work
  (const struct gomp_virtual_thread *thread);

/* For the monitor, if work is counted; with the lock.  Whether THREAD has
   counted work since the last such call; and for how long it has used its CPU
   since a call last said so.  */
extern bool gomp_virtual_advances (struct gomp_virtual_thread *thread);
extern unsigned long long gomp_virtual_uncounted
  (const struct gomp_virtual_thread *thread);

/* The CPU time of THREAD.  */
extern unsigned long long gomp_virtual_cpu_time
  (const struct gomp_virtual_thread *thread);

/* The clock CLOCK of the system in nanoseconds.  */
extern unsigned long long gomp_virtual_read_clock (clockid_t clock);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_COUNTED_H */
