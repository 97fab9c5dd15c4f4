/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How many iterations each thread of a loop gets if that is decided before the
   loop begins, and how that is learned from runs.  Pure arithmetic.

   A removal from a pool costs as much as a short loop can gain by it.  A loop
   whose iterations have been timed needs none: a thread of class c begins LAG_c
   after the loop, runs SPEED_c iterations a nanosecond, and all are to end
   together.  A class that would begin too late gets nothing.  */

#ifndef GOMP_AMP_LOOP_SHARES_H
#define GOMP_AMP_LOOP_SHARES_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Loops on machines with more classes are not learned.  */
#define GOMP_LOOP_CLASSES 4

/* What is known of the threads of one class in a loop.  */
struct gomp_loop_speed
{
  /* Iterations a nanosecond, positive; and the inverse of that.  */
  double speed, time;
  /* The nanoseconds from the loop's start until the last of them begins.  */
  double lag;
  /* Whether the last run was disturbed, and did not count.  */
  bool late;
};

struct gomp_loop_shares
{
  /* By class, the iterations of each of its threads.  */
  unsigned long long share[GOMP_LOOP_CLASSES];
  /* So many threads of class FASTEST get one more.  */
  unsigned long long extra;
  unsigned fastest;
};

/* Share out NI iterations, below 2^40, to THREADS[c] threads of each of CLASSES
   classes, of which at least one has a thread.  FAST: to those of the fastest
   class.  Returns how many nanoseconds the loop should take.  */
extern double gomp_loop_share (unsigned classes,
			       const unsigned threads[GOMP_LOOP_CLASSES],
			       const struct gomp_loop_speed *of, bool fast,
			       unsigned long long ni,
			       struct gomp_loop_shares *shares);

/* How many nanoseconds a loop with SHARES takes.  */
extern double gomp_loop_length (unsigned classes,
				const unsigned threads[GOMP_LOOP_CLASSES],
				const struct gomp_loop_speed *of,
				const struct gomp_loop_shares *shares);

/* SHARES has those of slower classes: give the REST of the iterations to the
   threads of the fastest one.  */
extern void gomp_loop_share_rest (unsigned classes,
				  const unsigned threads[GOMP_LOOP_CLASSES],
				  unsigned long long rest,
				  struct gomp_loop_shares *shares);

/* What the threads of one class measured in a run: the longest lag, and sums
   over them.  */
struct gomp_loop_times
{
  unsigned long long lag, work, iterations;
};

/* Update OF by TIMES.  FIRST: OF is a guess.  Otherwise one run counts for
   half; not at all if it was disturbed, as when the kernel ran something else:
   no plan changes that.  What is so in two runs in succession is no
   disturbance.  */
extern void gomp_loop_learn (unsigned classes,
			     const unsigned threads[GOMP_LOOP_CLASSES],
			     const struct gomp_loop_times *times, bool first,
			     struct gomp_loop_speed *of);

#pragma GCC visibility pop

#endif /* GOMP_AMP_LOOP_SHARES_H */
