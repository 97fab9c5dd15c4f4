/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Shares of loops whose iterations have been timed.  */

#include "loops/loop-shares.h"
#include "base/assert.h"

/* A class gets one more iteration than its share, rounded down, if that makes
   the loop shorter, by more than times are exact.  With more iterations than
   this it does not matter.  */
#define FEW 64

/* Threads of slower classes are to end so many nanoseconds before the others:
   the last thread at a barrier wakes the others, in which a slow core takes
   longest, and which makes it late for the next loop.  */
#define EARLIER 250

/* A run in which a class takes so many times as long for an iteration as it
   did, and another one does not, is taken for disturbed; or so many times as
   long to begin, and so many nanoseconds.  */
#define STRANGE 4
#define STRANGE_LAG 2000

/* The fastest of CLASSES classes that has threads.  */

static inline unsigned
fastest_of (unsigned classes, const unsigned *threads)
{
  unsigned c = classes - 1;

  while (c > 0 && threads[c] == 0)
    c--;
  return c;
}

/* When the threads end together if those of USED, a set of classes, get all NI
   iterations.  */

static inline double
end_of (unsigned classes, const unsigned *threads,
	const struct gomp_loop_speed *of, unsigned used, unsigned fastest,
	double ni)
{
  double speed = 0;

  for (unsigned c = 0; c < classes; c++)
    if (used >> c & 1)
      {
	double all = threads[c] * of[c].speed;

	speed += all;
	ni += all * (c == fastest ? of[c].lag : of[c].lag + EARLIER);
      }
  return ni / speed;
}

/* The part of N that each of THREADS gets.  On many cores a 64-bit division
   takes several times as long as a 32-bit one.  */

static inline unsigned long long
divide (unsigned long long n, unsigned threads)
{
  return (unsigned) n == n ? (unsigned) n / threads : n / threads;
}

/* The iterations of a thread like OF, one of THREADS, that ends at END, of REST
   that are not shared out yet.  */

static inline unsigned long long
share_of (const struct gomp_loop_speed *of, unsigned threads, double end,
	  unsigned long long rest)
{
  double time = end - of->lag - EARLIER;
  unsigned long long share = (long long) (time * of->speed);

  return share * threads <= rest ? share : divide (rest, threads);
}

/* Whether THREADS like OF, which have SHARE each, are to have one more of the
   REST, which otherwise goes to FAST threads like FASTEST.  */

static inline bool
takes_more (const struct gomp_loop_speed *of, unsigned threads,
	    unsigned long long share, unsigned long long rest,
	    const struct gomp_loop_speed *fastest, unsigned fast)
{
  double their_end;

  if (share >= FEW || threads > rest)
    return false;
  their_end = (fastest->lag
	       + (long long) divide (rest + fast - 1, fast) * fastest->time);
  return (of->lag + EARLIER + (long long) (share + 1) * of->time
	  <= their_end * 31 / 32);
}

void
gomp_loop_share_rest (unsigned classes,
		      const unsigned threads[GOMP_LOOP_CLASSES],
		      unsigned long long rest, struct gomp_loop_shares *shares)
{
  unsigned fastest = fastest_of (classes, threads);

  shares->fastest = fastest;
  shares->share[fastest] = divide (rest, threads[fastest]);
  shares->extra = rest - shares->share[fastest] * threads[fastest];
}

double
gomp_loop_length (unsigned classes, const unsigned threads[GOMP_LOOP_CLASSES],
		  const struct gomp_loop_speed *of,
		  const struct gomp_loop_shares *shares)
{
  double length = 0;

  for (unsigned c = 0; c < classes; c++)
    {
      bool more = c == shares->fastest && shares->extra != 0;
      long long iterations = shares->share[c] + more;
      double end = of[c].lag + iterations * of[c].time;

      if (threads[c] != 0 && iterations != 0 && length < end)
	length = end;
    }
  return length;
}

double
gomp_loop_share (unsigned classes, const unsigned threads[GOMP_LOOP_CLASSES],
		 const struct gomp_loop_speed *of, bool fast,
		 unsigned long long ni, struct gomp_loop_shares *shares)
{
  unsigned fastest = fastest_of (classes, threads);
  unsigned used = 1u << fastest, before;
  double end;

  GOMP_AMP_ASSERT (classes <= GOMP_LOOP_CLASSES && threads[fastest] != 0
		   && ni >> 40 == 0);
  if (!fast)
    for (unsigned c = 0; c < fastest; c++)
      used |= (threads[c] != 0) << c;
  /* Without a class that begins too late the loop ends later.  Then another one
     may be too late no more, but none that was not is.  */
  do
    {
      before = used;
      end = end_of (classes, threads, of, used, fastest, (long long) ni);
      for (unsigned c = 0; c < fastest; c++)
	if (of[c].lag + EARLIER >= end)
	  used &= ~(1u << c);
    }
  while (used != before);

  for (unsigned c = 0; c < classes; c++)
    {
      shares->share[c] = (c != fastest && (used >> c & 1)
			  ? share_of (&of[c], threads[c], end, ni) : 0);
      ni -= shares->share[c] * threads[c];
    }
  for (unsigned c = fastest; c-- > 0;)
    if ((used >> c & 1)
	&& takes_more (&of[c], threads[c], shares->share[c], ni, &of[fastest],
		       threads[fastest]))
      {
	shares->share[c]++;
	ni -= threads[c];
      }
  gomp_loop_share_rest (classes, threads, ni, shares);
  return end;
}

/* How many times as fast as OF says a class was that measured TIMES; 0 if it
   measured nothing.  */

static inline double
ratio_of (const struct gomp_loop_times *times, const struct gomp_loop_speed *of)
{
  if (times->iterations == 0 || times->work == 0)
    return 0;
  return (double) times->iterations / times->work / of->speed;
}

void
gomp_loop_learn (unsigned classes, const unsigned threads[GOMP_LOOP_CLASSES],
		 const struct gomp_loop_times *times, bool first,
		 struct gomp_loop_speed *of)
{
  unsigned fastest = fastest_of (classes, threads);
  double ratio[GOMP_LOOP_CLASSES] = { 0 }, best = 0, common;
  bool whole;

  for (unsigned c = 0; c < classes; c++)
    if (threads[c] != 0)
      {
	ratio[c] = ratio_of (&times[c], &of[c]);
	if (best < ratio[c])
	  best = ratio[c];
      }
  /* Iterations may have changed for all classes alike, those that ran nothing
     included.  */
  common = ratio[fastest] * STRANGE > best ? ratio[fastest] : best;
  if (common == 0)
    common = 1;
  whole = first || common > STRANGE;
  if (!whole)
    common = (1 + common) / 2;
  for (unsigned c = 0; c < classes; c++)
    {
      double lag = times[c].lag;
      bool late = of[c].late, strange;

      if (threads[c] == 0)
	continue;
      strange = ratio[c] != 0 && ratio[c] * STRANGE < best;
      if (!first)
	strange |= lag > of[c].lag * STRANGE + STRANGE_LAG;
      of[c].late = strange && !late;
      if (of[c].late || ratio[c] == 0)
	of[c].speed *= common;
      else
	of[c].speed *= whole || late ? ratio[c] : (1 + ratio[c]) / 2;
      if (of[c].late && !first)
	lag = of[c].lag;
      else if (!first && !late && of[c].lag <= lag * STRANGE + STRANGE_LAG)
	lag = (of[c].lag + lag) / 2;
      of[c].lag = lag;
      of[c].time = 1 / of[c].speed;
    }
}
