/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How a loop that runs again and again is cut into one contiguous part for each
   thread: feedback-guided scheduling (Bull, Euro-Par 1998), for cores of
   different speeds.  Pure arithmetic, free of OpenMP types.

   A loop is in one of two modes.  In GOMP_CUT_SHARED its threads take chunks
   from a pool that they share; that is slower to start and even at the end,
   whatever the iterations cost.  In GOMP_CUT_PARTS thread I runs a part that
   depends only on I and on the trip count.  From time to time an invocation is
   timed, and the times say where to cut and which mode is faster.  */

#ifndef GOMP_LEARN_CUT_H
#define GOMP_LEARN_CUT_H 1

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* The cost of iterations along a loop is known for this many pieces of equal
   length.  */
#define GOMP_CUT_BINS 128

/* A cut is changed if the slowest part is expected to become this much shorter,
   relative and in nanoseconds; less is noise.  */
#define GOMP_CUT_GAIN .03
#define GOMP_CUT_GAIN_NS 50

/* The mode is changed if the other one is this much faster; and so is a cut,
   once both were timed.  */
#define GOMP_CUT_BETTER .02

/* At most so many cuts are tried in succession.  */
#define GOMP_CUT_TRIES 6

/* Invocations from one timed series to the next: the first number, which is
   doubled each time that nothing has changed, and the last; and the same for
   loops that are better shared, since a series costs those more.  */
#define GOMP_CUT_WAIT 4
#define GOMP_CUT_WAIT_MOST 256
#define GOMP_CUT_WAIT_SHARED 64
#define GOMP_CUT_WAIT_SHARED_MOST 4096

/* The end of a loop, as a position.  */
#define GOMP_CUT_WHOLE (1U << 31)

enum gomp_cut_mode
{
  GOMP_CUT_SHARED,
  GOMP_CUT_PARTS
};

/* What a thread measured in timed invocations of a loop.  */
struct gomp_cut_time
{
  /* The time from its start of the loop to the end of its last iteration, and
     the iterations that it ran.  */
  double ns, iterations;
  /* Its core class.  */
  unsigned cls;
};

struct gomp_cut
{
  unsigned threads;
  /* All cores are of one class.  Such a loop begins with even parts.  */
  bool alike;
  enum gomp_cut_mode mode;
  /* The next invocations are to be timed.  */
  bool timed;
  /* The parts are those of OpenMP's static schedule; and so are those of the
     best cut.  */
  bool even, best_even;
  /* The first series has ended, so that a surprising time has to be confirmed;
     and one waits for that.  */
  bool settled, confirm;
  /* The best of several cuts is timed once more: that it was the best is also
     due to luck.  */
  bool again;
  /* The cuts of this series so far, and whether one of them was better than the
     one before it.  */
  unsigned tries;
  bool improved;
  /* The parts of its last cut took uneven times.  */
  bool uneven;
  /* The invocations from the end of this series to the next.  */
  unsigned wait;
  /* The time of the loop per iteration in either mode; 0 = not known.  That of
     parts is the best of this series; LAST_NS is that of the series before.  */
  double parts_ns, shared_ns, last_ns;
  /* For each piece of the loop the time per iteration of the loop that it would
     take on a core of speed 1.  */
  double cost[GOMP_CUT_BINS];
  /* By thread: its speed; 1 is the fastest.  */
  double *speed;
  /* By thread: where its part begins, in GOMP_CUT_WHOLE-ths of the loop, and
     the same of the best cut of the series.  */
  unsigned *part, *best;
  /* By thread: its time per iteration of the loop in the measurement that is to
     be confirmed.  */
  double *before;
};

/* The first iteration out of NI that belongs to the part that begins at
   POSITION, in GOMP_CUT_WHOLE-ths of the loop.  Does not decrease if POSITION
   grows; NI for GOMP_CUT_WHOLE, at which empty parts begin.  */
static inline unsigned long long
gomp_cut_at (unsigned position, unsigned long long ni)
{
  unsigned long long low = (ni & (GOMP_CUT_WHOLE - 1)) * position >> 31;
  return __builtin_expect (ni >> 31 != 0, 0) ? (ni >> 31) * position + low
					      : low;
}

/* The part of THREAD in a loop of NI iterations: returns its length, and stores
   its first iteration in *FIRST.  */
static inline unsigned long long
gomp_cut_part (const struct gomp_cut *cut, unsigned thread,
	       unsigned long long ni, unsigned long long *first)
{
  if (cut->even)
    {
      /* A 32-bit division is the faster one.  */
      unsigned long long q = (__builtin_expect ((unsigned) ni == ni, 1)
			      ? (unsigned) ni / cut->threads
			      : ni / cut->threads);
      unsigned rest = ni - q * cut->threads;
      *first = q * thread + (thread < rest ? thread : rest);
      return q + (thread < rest);
    }
  *first = gomp_cut_at (cut->part[thread], ni);
  return (thread + 1 < cut->threads ? gomp_cut_at (cut->part[thread + 1], ni)
				    : ni) - *first;
}

/* The size of a cut for THREADS threads.  */
extern size_t gomp_cut_size (unsigned threads);

/* Make CUT, which has that size and is zero, a cut for THREADS threads of which
   nothing is known.  */
extern void gomp_cut_init (struct gomp_cut *cut, unsigned threads, bool alike);

/* Let CUT begin with what FROM, which has as many threads, knows of another
   trip count of the same loop.  NI is CUT's trip count.  */
extern void gomp_cut_inherit (struct gomp_cut *cut, const struct gomp_cut *from,
			      unsigned long long ni);

/* The loop was timed under CUT, whose TIMED is set: TIMES by thread, WHOLE_NS
   from the first thread's start to the last one's end, for a trip count of NI,
   which is not 0.  If several invocations were timed, all of these are means.
   Chooses the parts, the mode and whether to time again; if not, the next
   series is due after WAIT invocations.  */
extern void gomp_cut_measured (struct gomp_cut *cut,
			       const struct gomp_cut_time *times,
			       double whole_ns, unsigned long long ni);

/* A series of CUT is due.  */
extern void gomp_cut_begin_series (struct gomp_cut *cut);

#pragma GCC visibility pop

#endif /* GOMP_LEARN_CUT_H */
