/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The arithmetic of asymmetric iteration distribution (AID), free of OpenMP
   types.

   Source: Saez, Castro, Prieto-Matias, "Enabling performance portability of
   data-parallel OpenMP applications on asymmetric multicore processors", ICPP
   2020, sections 4.2 and 4.3.  */

#ifndef GOMP_AID_MATH_H
#define GOMP_AID_MATH_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* The cost of a removal from the pool, in nanoseconds, while several threads
   use it.  Timed chunks amortise this cost.  A value that is too high makes
   chunks longer, which the taper at the end of a loop makes up for.  */
#define GOMP_AID_REMOVAL_NS 300

/* The part of the work's time that a removal may cost: 1 / this.  */
#define GOMP_AID_REMOVAL_SHARE 100

/* How long a removal keeps other threads from the pool, in nanoseconds: its
   cache line has to come from the core of the last thread.  And the part of the
   time for which all threads of a team together may use the pool: 1 / this.
   This limit decides with more than thirty threads.  */
#define GOMP_AID_POOL_NS 100
#define GOMP_AID_POOL_SHARE 10

/* A timed chunk is at most this part of what a thread would get if the rest of
   the loop were shared out now: 1 / this.  */
#define GOMP_AID_TAPER 6

/* How much shorter than GOMP_AID_REMOVAL_SHARE requires the taper may make a
   timed chunk: 1 / this, in time.  */
#define GOMP_AID_LEAST 8

/* The next block may have this many times the iterations of the block that was
   timed.  */
#define GOMP_AID_GROWTH 8

/* A thread's even part of a loop is not worth timing if it takes less than
   this, in nanoseconds: about the cost of a sample and of counting in.  */
#define GOMP_AID_BRIEF_NS 500

/* What the threads of one class have measured.  */
struct gomp_aid_tally
{
  unsigned threads;		/* 0: no thread is of this class.  */
  /* Time per iteration: NS / ITERATIONS; not known if NS is 0.  */
  unsigned long long ns;
  unsigned long long iterations;
};

/* A tick: times per iteration are counted in 1 / this of a nanosecond.  */
#define GOMP_AID_TICK 256

/* The time per iteration, in ticks, of ITERATIONS that took NS nanoseconds; NS
   is below 2^54.  At most MAX, which is at least 1.  At least 1, unless NS is
   0.  */
extern unsigned long long gomp_aid_time (unsigned long long ns,
					 unsigned long long iterations,
					 unsigned long long max);

/* Fill SF[0..CLASSES - 1] with the speedup factors (SF) that follow from TALLY:
   the mean time per iteration of the slowest class present over that of each
   class, limited to 1 / MAX .. MAX (paper, 4.2).  The slowest class present
   gets 1.  So does a class if its time or that of the slowest is 0, that is,
   not known.  An absent class gets 0.  */
extern void gomp_aid_speedups (unsigned classes,
			       const struct gomp_aid_tally *tally, double max,
			       double *sf);

/* If one thread takes two samples of a loop, the longer one is not believed if
   its time per iteration is more than this many times the other's.  */
#define GOMP_AID_OUTLIER 2

/* Two samples of one thread: FIRST_NS for FIRST iterations, and *NS for
   *ITERATIONS.  Replace the latter by both together.  If one is an outlier,
   replace it by the sample with the shorter iterations: only the loop makes a
   sample short, but many things make one long.  */
extern void gomp_aid_settle (unsigned long long first_ns,
			     unsigned long long first, unsigned long long *ns,
			     unsigned long long *iterations);

/* Fill SHARE[0..CLASSES - 1] with the iterations due to one thread of each
   class if PERCENT of the NI iterations of a loop are allotted: SF_c * k,
   rounded down, where k is NI * PERCENT / 100 / sum (n_c * SF_c) (paper, 4.2,
   for any number of classes).  Only TALLY's THREADS and the ratios of SF
   matter.  A class that is absent, or whose SF is 0, gets 0.  */
extern void gomp_aid_shares (unsigned classes,
			     const struct gomp_aid_tally *tally,
			     const double *sf, unsigned long long ni,
			     unsigned percent, unsigned long long *share);

/* Update R after a phase of aid_dynamic.  TALLY has the times per iteration of
   the phase.  Each R_c of a faster class becomes the time of the slowest class
   present over that of class c, limited to 1 / MAX .. MAX.  This is R_c times
   the ratio of their mean phase times (paper, 4.3), since a phase of class c
   has R_c times the iterations.  A time of 0 changes nothing.  */
extern void gomp_aid_adjust (unsigned classes,
			     const struct gomp_aid_tally *tally, double max,
			     double *r);

/* Fill SHARE[0..CLASSES - 1] with the iterations of a phase for one thread of
   each class: R_c * M, rounded to the nearest and at least 1.  Returns the sum
   over all threads, saturating.  */
extern unsigned long long gomp_aid_phase (unsigned classes,
					  const struct gomp_aid_tally *tally,
					  const double *r,
					  unsigned long long m,
					  unsigned long long *share);

/* The M of aid_dynamic if none was given, from TALLY, a sample: five timed
   chunks of the slowest class, or as many iterations as it runs in SAMPLE_NS if
   that is more.  M is limited so that a loop of NI iterations has at least 16
   phases.  But M is never less than one timed chunk, which is m: a loop that is
   too short for that has no phases.  */
extern unsigned long long gomp_aid_major (unsigned classes,
					  const struct gomp_aid_tally *tally,
					  const double *r,
					  unsigned long long ni,
					  unsigned long long sample_ns);

/* The chunk whose removal costs 1 / GOMP_AID_REMOVAL_SHARE of the time that the
   chunk takes to run, if ITERATIONS iterations took NS nanoseconds.  Or a
   longer one, so that all THREADS together use the pool for at most this part
   of the time: 1 / GOMP_AID_POOL_SHARE.  ITERATIONS again if NS is 0, a time
   that the clock could not resolve.  At least 1.  */
extern unsigned long long gomp_aid_timed_chunk (unsigned long long ns,
						unsigned long long iterations,
						unsigned threads);

#pragma GCC visibility pop

#endif /* GOMP_AID_MATH_H */
