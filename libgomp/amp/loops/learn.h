/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What teams learn about their loops under a schedule with GOMP_AMP_LEARNS.

   step: a region's start or a loop, in the order in which a team's threads come
   to them; it belongs to a site, a place in the program's code.  shape: what is
   told apart of a loop's trip counts.  loop: a step with one shape.  cut: which
   part of a loop each thread runs (learn-cut.h).  epoch: the time between two
   moments at which no thread reads.

   A learned loop has no work share and no shared word is written for it, so its
   threads have to agree on its cut without communication.  They do because of
   two rules.

   First, what they read changes only while none of them reads: when their team
   starts, and by the thread that arrives last at a barrier of the team.
   Between two such moments, an epoch, every thread finds the same.  The barrier
   and the start of a team order memory: each arrival is a read-modify-write of
   one counter, acquire and release, so the last thread sees what all others
   have measured; it then stores the barrier's generation with release, which
   the others load with acquire.

   Second, what they look up depends only on what OpenMP requires to be the same
   for all threads: the order in which they encounter worksharing regions, and
   the trip counts.  It does not depend on addresses in the program's code.  The
   compiler may have copied the code of a loop, so that threads start one loop
   by different calls.

   So the order of loops is itself learned.  A step has a successor: the loop
   that is expected next.  Each thread follows the successors.  Thread 0 alone
   compares the address of each loop with that of its step, and notes where the
   order was another one; when all have met, the successors are corrected and
   all threads are told which step was the last.  A wrong successor costs time:
   the loop is cut as another one would be.

   Teams of nested regions do not learn.  */

#ifndef GOMP_AMP_LEARN_H
#define GOMP_AMP_LEARN_H 1

#include <stdbool.h>
#include "loops/aid-loop.h"
#include "loops/learn-cut.h"

#pragma GCC visibility push(hidden)

struct gomp_team;
struct gomp_thread;
struct gomp_thread_pool;

/* What one thread measured of a loop since all threads met: sums over
   INVOCATIONS.  BEGAN and ENDED are the clock, of the first invocation and of
   the last.  */
struct gomp_learn_slot
{
  unsigned long long ns, iterations, began, ended;
  unsigned invocations;
  unsigned cls;
} __attribute__ ((aligned (GOMP_AID_LINE)));

/* A step with one trip count, or with similar ones.  */
struct gomp_learn_loop
{
  struct gomp_cut *cut;
  struct gomp_learn_slot *slots;
  struct gomp_learn_step *step;
  unsigned shape;

  /* Thread 0's: the invocations until the next series; the next loop of its
     news, and whether this one is among them; the sum of the trip counts of the
     invocations that are being measured; whether another loop was measured in
     this one's name; and how often in succession not all threads have
     measured.  */
  unsigned left __attribute__ ((aligned (GOMP_AID_LINE)));
  bool noted, foreign;
  unsigned char failures;
  struct gomp_learn_loop *next_noted;
  gomp_aid_count ni;
};

/* The most failures to measure a loop; then it is left as it is for a while.
   A loop that is cancelled fails.  */
#define GOMP_LEARN_FAILURES 4

/* A trip count below this is a shape of its own.  Above, a shape is a quarter
   of a power of two.  */
#define GOMP_LEARN_EXACT 64
#define GOMP_LEARN_SHAPES (GOMP_LEARN_EXACT + 4 * 58)

/* The shape of a loop with NI iterations.  */
static inline unsigned
gomp_learn_shape (gomp_aid_count ni)
{
  if (ni < GOMP_LEARN_EXACT)
    return ni;
  unsigned log = 63 - __builtin_clzll (ni);
  return GOMP_LEARN_EXACT + 4 * (log - 6) + (ni >> (log - 2) & 3);
}

/* A loop, or the start of a region, with its place in the order.  */
struct gomp_learn_step
{
  /* The expected successor, or NULL.  */
  struct gomp_learn_step *next;
  /* The loop that was cut last, for trip counts that are new; or NULL.  */
  struct gomp_learn_loop *latest;
  /* Whether NEXT was wrong the last time.  */
  bool doubt;
  /* Its site's: where a loop's start returns to, or a region's function.  */
  const void *address;
  /* The next step in the bucket.  */
  struct gomp_learn_step *other;
  /* By shape; NULL for shapes that did not occur.  */
  struct gomp_learn_loop *loops[GOMP_LEARN_SHAPES];
};

#define GOMP_LEARN_BUCKETS 256

/* The most bytes that all pools of the process have together for what they
   learn.  NPB's programs need 9 to 105 thousand with 8 threads, and the one
   that needs most 194 thousand with 64.  A program that generates code, has
   very many loops, or teams of very many sizes reaches the bound.  Loops that
   come later are not learned, until a pool ends.  */
#define GOMP_LEARN_MOST_BYTES (8UL << 20)
/* The most tables of a pool, which are searched when a team starts.  */
#define GOMP_LEARN_MAX_TEAMS 8
/* The last thread to arrive computes on its stack, which may be small, some 100
   bytes for each thread of the team.  */
#define GOMP_LEARN_MAX_THREADS 64

/* How many corrections of the order are noted in an epoch.  */
#define GOMP_LEARN_CORRECTIONS 16

/* What the teams of one size and place of a pool have learned.  */
struct gomp_learn
{
  /* Constant in an epoch.  SERIAL changes if all threads have to continue the
     order at LAST; no two orders of a pool, which no thread leaves, have the
     same, and none has 0.  */
  unsigned long long serial;
  struct gomp_learn_step *last;
  /* Whether thread 0 has noted anything.  */
  bool news;
  bool alike;
  unsigned threads;

  /* Thread 0's.  The step of the loop that it started last, even if it was not
     the expected one; and whether it differs from the one that all threads
     took it for.  */
  struct gomp_learn_step *at __attribute__ ((aligned (GOMP_AID_LINE)));
  bool lost;
  struct gomp_learn_loop *noted;
  unsigned corrections;
  struct
  {
    struct gomp_learn_step *from, *to;
  } correction[GOMP_LEARN_CORRECTIONS];
  struct gomp_learn_step *bucket[GOMP_LEARN_BUCKETS];

  /* The team, but for its threads, and the next one of the pool.  */
  struct gomp_amp_places places;
  struct gomp_learn *next;
};

/* The calling thread is about to start TEAM, not inside of another one, whose
   threads run FN.  Its classes are decided.  Sets TEAM's amp_learn: NULL if
   TEAM does not learn.  */
extern void gomp_learn_start_team (struct gomp_thread_pool *pool,
				   struct gomp_team *team,
				   void (*fn) (void *));

/* All threads of the team of LEARN are in its barrier; the calling thread, one
   of them, was the last.  Begins an epoch.  */
extern void gomp_learn_all_met (struct gomp_learn *learn);

/* LEARN, which may be NULL, and what follows it are no longer needed.  */
extern void gomp_learn_free (struct gomp_learn *learn);

/* In thread 0: it starts a loop of NI iterations at ADDRESS, and all threads
   take that for a loop of STEP, which may be NULL.  */
extern void gomp_learn_compare (struct gomp_learn *learn,
				struct gomp_learn_step *step,
				const void *address, gomp_aid_count ni);

/* In the thread that is about to start the team of LEARN, together with the
   only loop of its region, with NI iterations: the loop as it is known, or
   NULL.  */
extern struct gomp_learn_loop *gomp_learn_region_loop (struct gomp_learn *learn,
						       gomp_aid_count ni);

/* THR, the calling thread, began LOOP at BEGAN and ends it now, after
   ITERATIONS.  */
extern void gomp_learn_measured (struct gomp_thread *thr,
				 struct gomp_learn_loop *loop,
				 unsigned long long began,
				 gomp_aid_count iterations);

/* The loop of STEP with NI iterations, or the one that is most like it; NULL if
   nothing is known.  */
static inline struct gomp_learn_loop *
gomp_learn_loop_of (const struct gomp_learn_step *step, gomp_aid_count ni)
{
  if (step == NULL)
    return NULL;
  struct gomp_learn_loop *loop = step->loops[gomp_learn_shape (ni)];
  return __builtin_expect (loop != NULL, 1) ? loop : step->latest;
}

/* Whether a loop of NI iterations, which was found to be LOOP, is to be
   measured.  One that was found for its likeness is not.  */
static inline bool
gomp_learn_timed (const struct gomp_learn_loop *loop, gomp_aid_count ni)
{
  return (__builtin_expect (loop->cut->timed, 0)
	  && loop->shape == gomp_learn_shape (ni));
}

/* THR, the calling thread, starts a loop of NI iterations at ADDRESS; its team
   has LEARN.  Returns the loop as it is known, the same one for all threads; or
   NULL for all.  */
static inline struct gomp_learn_loop *
gomp_learn_find (struct gomp_thread *thr, struct gomp_learn *learn,
		 const void *address, gomp_aid_count ni)
{
  struct gomp_amp_thread *me = &thr->ts.amp;

  if (me->learn_serial != learn->serial)
    {
      me->learn_serial = learn->serial;
      me->learn_step = learn->last;
    }
  struct gomp_learn_step *step = me->learn_step;
  if (step != NULL)
    step = step->next;
  me->learn_step = step;
  if (thr->ts.team_id == 0)
    gomp_learn_compare (learn, step, address, ni);
  return gomp_learn_loop_of (step, ni);
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_LEARN_H */
