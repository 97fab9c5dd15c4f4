/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The arithmetic of asymmetric iteration distribution, free of OpenMP types.

   Source: Saez, Castro, Prieto-Matias, "Enabling performance portability of
   data-parallel OpenMP applications on asymmetric multicore processors", ICPP
   2020, sections 4.2 and 4.3.  */

#ifndef GOMP_AID_MATH_H
#define GOMP_AID_MATH_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* What a removal from the pool costs, in nanoseconds, when several threads
   want it: the figure that timed chunks amortise.  Erring upwards makes chunks
   longer, which the taper at the end of a loop makes good.  */
#define GOMP_AID_REMOVAL_NS 300

/* The share of the work that a removal may cost: 1 / this.  */
#define GOMP_AID_REMOVAL_SHARE 100

/* For how long a removal keeps other threads from the pool, whose line of cache
   has to come from the last one's core, in nanoseconds; and the part of the
   time for which all the threads of a team may use it: 1 / this.  That is what
   counts for more than thirty of them.  */
#define GOMP_AID_POOL_NS 100
#define GOMP_AID_POOL_SHARE 10

/* A timed chunk is at most this part of what a thread would get of the rest of
   the loop if that was shared out now: 1 / this.  */
#define GOMP_AID_TAPER 6

/* How much shorter than it has to be for GOMP_AID_REMOVAL_SHARE a timed chunk
   gets for that: 1 / this, in time.  */
#define GOMP_AID_LEAST 8

/* How many times longer than the block that was timed the next one may be.  */
#define GOMP_AID_GROWTH 8

/* A thread's even part of a loop is not worth timing if it takes less than
   this, in nanoseconds: about what a sample and counting in cost.  */
#define GOMP_AID_BRIEF_NS 500

/* What the threads of one class have measured.  */
struct gomp_aid_tally
{
  unsigned threads;		/* 0: no thread is of this class.  */
  /* Time per iteration: NS / ITERATIONS; nothing is known if NS is 0.  */
  unsigned long long ns;
  unsigned long long iterations;
};

/* Times per iteration are counted in 1 / this of a nanosecond.  */
#define GOMP_AID_TICK 256

/* The time per iteration, in ticks, of ITERATIONS that took NS nanoseconds,
   below 2^54; no more than MAX, which is at least 1.  At least 1, unless NS is
   0.  */
extern unsigned long long gomp_aid_time (unsigned long long ns,
					 unsigned long long iterations,
					 unsigned long long max);

/* Fill SF[0..CLASSES - 1] with the speedup factors that TALLY shows: the mean
   time per iteration of the slowest class present over that of each class,
   held within 1 / MAX .. MAX; 1 for the slowest present, and for one whose time
   or the slowest's is 0, which says nothing; 0 for an absent one (paper,
   4.2).  */
extern void gomp_aid_speedups (unsigned classes,
			       const struct gomp_aid_tally *tally, double max,
			       double *sf);

/* From how many times the other's time per iteration on, of two samples that
   one thread took of a loop, the longer one is not believed.  */
#define GOMP_AID_OUTLIER 2

/* Two samples of one thread: FIRST_NS for FIRST iterations, and *NS for
   *ITERATIONS.  Replace the latter by what both say together; or by the one
   with the shorter iterations if the other is an outlier: nothing but the loop
   makes a sample short, but much else makes one long.  */
extern void gomp_aid_settle (unsigned long long first_ns,
			     unsigned long long first, unsigned long long *ns,
			     unsigned long long *iterations);

/* Fill SHARE[0..CLASSES - 1] with the iterations due to one thread of each
   class when PERCENT of the NI iterations of a loop are allotted: SF_c * k
   with k = NI * PERCENT / 100 / sum (n_c * SF_c), rounded down (paper, 4.2,
   for any number of classes).  Only TALLY's THREADS and SF's ratios matter; a
   class that is absent, or whose SF is 0, gets 0.  */
extern void gomp_aid_shares (unsigned classes,
			     const struct gomp_aid_tally *tally,
			     const double *sf, unsigned long long ni,
			     unsigned percent, unsigned long long *share);

/* After a phase of aid_dynamic, of which TALLY has the times per iteration:
   make each R_c that of the slowest class present over that of class c, held
   within 1 / MAX .. MAX.  That is R_c times the ratio of their mean phase times
   (paper, 4.3), as a phase of class c has R_c times the iterations.  A time of
   0 changes nothing.  */
extern void gomp_aid_adjust (unsigned classes,
			     const struct gomp_aid_tally *tally, double max,
			     double *r);

/* Fill SHARE[0..CLASSES - 1] with the iterations of a phase for one thread of
   each class, R_c * M rounded to the nearest and at least 1, and return the
   sum over all threads, saturating.  */
extern unsigned long long gomp_aid_phase (unsigned classes,
					  const struct gomp_aid_tally *tally,
					  const double *r,
					  unsigned long long m,
					  unsigned long long *share);

/* The M of aid_dynamic where none was given, from TALLY, a sample: five of
   the slowest class's timed chunks, or as many iterations as it runs in
   SAMPLE_NS if that is more; not so many that a loop of NI iterations would
   have less than 16 phases, but never less than one timed chunk, which is m:
   a loop that is too short for that has no phases.  */
extern unsigned long long gomp_aid_major (unsigned classes,
					  const struct gomp_aid_tally *tally,
					  const double *r,
					  unsigned long long ni,
					  unsigned long long sample_ns);

/* The chunk whose removal costs 1 / GOMP_AID_REMOVAL_SHARE of the time that
   it takes to run, when ITERATIONS iterations took NS nanoseconds; or a longer
   one with which all THREADS together use the pool for no more than
   1 / GOMP_AID_POOL_SHARE of the time.  As many again if NS is 0, which the
   clock could not resolve.  At least 1.  */
extern unsigned long long gomp_aid_timed_chunk (unsigned long long ns,
						unsigned long long iterations,
						unsigned threads);

#pragma GCC visibility pop

#endif /* GOMP_AID_MATH_H */
