/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The shared state of one loop under an AID (asymmetric iteration distribution)
   schedule.  */

#ifndef GOMP_AID_LOOP_H
#define GOMP_AID_LOOP_H 1

#include <stdbool.h>
#include <stddef.h>
#include "loops/aid-math.h"

#pragma GCC visibility push(hidden)

/* Iterations are numbered 0 .. NI - 1, whatever the loop's type and bounds:
   an unsigned long long holds the trip count of any loop.  */
typedef unsigned long long gomp_aid_count;

/* The schedules need 64-bit counters without a lock.  On a target without
   these, its AID loops run as upstream's dynamic.  */
#define GOMP_AID_LOCK_FREE (__GCC_ATOMIC_LLONG_LOCK_FREE == 2)

/* The size of a cache line.  Data that different threads write must be this far
   apart.  */
#define GOMP_AID_LINE 64

/* The measurements of the threads of one class since the last publication are
   one word, so that a thread counts itself in by one addition.  The word holds
   the sum of their mean times per iteration (gomp_aid_time).  In units of
   GOMP_AID_MEMBER, it also holds the number of the class's threads, from the
   first publication on: a publication clears the times only.  */
#define GOMP_AID_MEMBER (1ULL << 48)

struct gomp_loop_record;

/* Belongs to a gomp_work_share: allocated when that first runs an AID loop, or
   with it, and kept with it.

   The transfer of a cache line between cores costs a short loop more than all
   else.  So there are two: one for the data that is constant for a loop, and
   one for the data that a thread changes and reads in succession.  With up to
   two classes there are no more: a region with many loops, none of which waits,
   keeps the states of all.  */
struct gomp_amp_loop
{
  /* Written by the thread that initialises the work share, and constant from
     then on.  The publication of the work share makes them visible.  */
  unsigned long long generation;
  gomp_aid_count ni;
  /* The chunk, or m; at least 1.  */
  gomp_aid_count chunk;
  /* The percent of aid_hybrid, 0 if nothing is allotted; the M of aid_dynamic;
     else 100.  */
  unsigned arg;
  /* The traits of the schedule: a set of enum gomp_amp_trait.  */
  unsigned char traits;
  /* The speedup factors were given; they are in R.  */
  bool offline;
  /* No chunk was given: measured times choose it.  */
  bool timed;
  /* NEXT cannot wrap around, even if a removal of each thread overshoots
     NI.  */
  bool roomy;
  /* The number of classes; 0 if the loop is the first one of a state that was
     made with its work share.  */
  unsigned char classes;
  /* The state is the first one of a block.  */
  bool block;
  /* The loop is shared out already (loop-plan.h), and nothing below changes:
     SHARE has the iterations of each thread by class, gomp_aid_sums the threads
     as a set of their numbers, and gomp_aid_first the class's first iteration.
     All but the first CHUNK threads of class ARG have one iteration more.  */
  bool planned;
  /* What loops know is by class: threads say of which they are.  */
  bool learned;
  /* The loop's address and, if loops have factors of their own, its site.  Set
     only if any offline factors are given or wanted.  */
  const void *address;
  struct gomp_amp_site *site;
  /* The loop's record, if this run is timed.  */
  struct gomp_loop_record *record;

  /* The pool: the first iteration that no thread has taken.  */
  gomp_aid_count next __attribute__ ((aligned (GOMP_AID_LINE)));
  /* The number of publications of shares so far, or GOMP_AID_LATE;
     GOMP_AID_LAST if there will be no more.  */
  unsigned phase;
  /* The threads that have counted themselves in for the next publication.  */
  unsigned arrived;
  /* By class, the iterations due to a thread, or its weight where nothing is
     allotted.  Written before PHASE.  What gomp_aid_sums and gomp_aid_r return
     follows.  */
  gomp_aid_count share[];
};

/* By class, the word that GOMP_AID_MEMBER describes.  */

static inline unsigned long long *
gomp_aid_sums (struct gomp_amp_loop *loop)
{
  return &loop->share[loop->classes];
}

/* By class, what one publication passes on to the next: the given factor or the
   R of aid_dynamic.  */

static inline double *
gomp_aid_r (const struct gomp_amp_loop *loop)
{
  return (double *) &loop->share[2 * loop->classes];
}

/* By class, the first iteration, if the loop is planned.  In the same
   place.  */

static inline gomp_aid_count *
gomp_aid_first (struct gomp_amp_loop *loop)
{
  return &loop->share[2 * loop->classes];
}

/* The size of the state of a loop with so many CLASSES.  */

static inline size_t
gomp_aid_loop_size (unsigned classes)
{
  size_t size = (offsetof (struct gomp_amp_loop, share)
		 + classes * (2 * sizeof (gomp_aid_count) + sizeof (double)));

  return (size + GOMP_AID_LINE - 1) & -(size_t) GOMP_AID_LINE;
}

#define GOMP_AID_LAST (~0U)

/* The only phase of aid_static or aid_hybrid, if the shares are of what was
   left in the pool at their publication, and not of the whole loop.  */
#define GOMP_AID_LATE 2

struct gomp_amp_site;
struct gomp_team;
struct gomp_thread;
struct gomp_work_share;

/* Prepare WS for a loop of NI iterations under KIND, an AID schedule, with
   CHUNK (0 = not given).  The thread that initialises WS calls this, before WS
   is visible to the others.  Returns KIND; or GFS_DYNAMIC if there is no memory
   for the state, or if the target has no lock-free counters.  */
extern int gomp_aid_init (struct gomp_work_share *ws, int kind,
			  gomp_aid_count ni, gomp_aid_count chunk);

/* Whether any offline factors are given or wanted.  Set once, at start-up.  */
extern bool gomp_amp_wants_sites;

/* Called with the speedup factors R of CLASSES classes that a loop has
   measured, by any thread; NULL if nothing wants them.  Set once, at
   start-up.  */
extern void (*gomp_aid_measured) (unsigned classes, const double *r);

/* If so, the thread that initialises WS calls this next, for its state.  TEAM
   runs the loop.  ADDRESS is in the program's code and belongs to this loop
   alone: the address to which the loop's start returns, or that of its
   function.  */
extern void gomp_aid_find_site (struct gomp_amp_loop *loop,
				   const struct gomp_team *team,
				   const void *address);

/* Take the next iterations for THR from LOOP: *COUNT of them from *FIRST on.
   Returns false if none are left.  */
extern bool gomp_aid_next (struct gomp_thread *thr, struct gomp_amp_loop *loop,
			   gomp_aid_count *first, gomp_aid_count *count);

/* All threads have counted themselves in: turn LOOP's sums into shares, and
   reset the sums to zero.  The thread that arrived last calls it.  The others
   write none of these data before they see the new phase.  */
extern void gomp_aid_publish (struct gomp_amp_loop *loop);

#pragma GCC visibility pop

#endif /* GOMP_AID_LOOP_H */
