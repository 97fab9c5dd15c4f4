/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The shared state of one loop under an AID schedule.  */

#ifndef GOMP_AID_LOOP_H
#define GOMP_AID_LOOP_H 1

#include <stdbool.h>
#include "aid-math.h"

#pragma GCC visibility push(hidden)

/* Iterations are numbered 0 .. NI - 1, whatever the loop's type and bounds:
   an unsigned long long holds the trip count of any loop.  */
typedef unsigned long long gomp_aid_count;

/* 64-bit counters without a lock are what the schedules stand on; where the
   target has none, its AID loops run as upstream's dynamic.  */
#define GOMP_AID_LOCK_FREE (__GCC_ATOMIC_LLONG_LOCK_FREE == 2)

/* A line of cache, or what two threads' words must be apart.  */
#define GOMP_AID_LINE 64

/* What the threads of one class have measured since the last publication is
   one word, so that a thread counts itself in by one addition: the sum of their
   mean times per iteration (gomp_aid_time) and, in units of this, how many
   threads were counted in for the first publication.  */
#define GOMP_AID_MEMBER (1ULL << 48)

/* Hangs from a gomp_work_share: made when that first runs an AID loop, and
   kept with it.

   The transfer of a line between cores costs a short loop more than all the
   rest.  So there are two: what is constant for a loop, and what a thread
   changes and looks at one after the other.  */
struct gomp_amp_loop
{
  /* Written by the thread that initialises the work share, whose publication
     makes them visible; then constant.  */
  unsigned long long generation;
  gomp_aid_count ni;
  /* The chunk, or m; at least 1.  */
  gomp_aid_count chunk;
  /* percent of aid_hybrid, 0 if nothing is allotted; M of aid_dynamic.  */
  unsigned arg;
  /* Those of the schedule: a set of enum gomp_amp_trait.  */
  unsigned char traits;
  /* The speedup factors were given, in R.  */
  bool offline;
  /* No chunk was given, so that measured times choose it.  */
  bool timed;
  /* Overshooting NI by a removal per thread can't wrap NEXT around.  */
  bool roomy;
  /* The number of classes.  */
  unsigned char classes;
  /* The words of the classes.  */
  unsigned long long *sums;
  /* Of each class, what publications hand on: the given factor or R of
     aid_dynamic, and the class's threads.  */
  double *r;
  unsigned *threads;
  /* The loop's address and, if loops have factors of their own, its site.  Set
     only if any offline factors are given or wanted.  */
  const void *address;
  struct gomp_amp_site *site;

  /* The pool: the first iteration that nobody has.  */
  gomp_aid_count next __attribute__ ((aligned (GOMP_AID_LINE)));
  /* How many times shares have been published, or GOMP_AID_LATE; GOMP_AID_LAST
     when there will be no more.  */
  unsigned phase;
  /* Threads that have counted themselves in for the next publication.  */
  unsigned arrived;
  /* Iterations due to a thread of each class, or where nothing is allotted its
     weight; written before PHASE.  SUMS follow, for three classes on the same
     line.  */
  gomp_aid_count share[];
};

#define GOMP_AID_LAST (~0U)

/* The only phase of aid_static or aid_hybrid, if shares are of what was left of
   the pool when they were published, and not of the loop.  */
#define GOMP_AID_LATE 2

struct gomp_amp_site;
struct gomp_team;
struct gomp_thread;
struct gomp_work_share;

/* Prepare WS for a loop of NI iterations that TEAM runs under KIND, an AID
   schedule, with CHUNK (0 = not given).  ADDRESS is in the program's code and
   is this loop's alone: that to which its start returns, or its function's.
   Called by the thread that initialises WS, before WS is visible to the others.
   Returns KIND, or GFS_DYNAMIC if there is no memory for the state, or no way
   to count without a lock.  */
extern int gomp_aid_init (struct gomp_work_share *ws,
			  const struct gomp_team *team, int kind,
			  gomp_aid_count ni, gomp_aid_count chunk,
			  const void *address);

/* Take the next iterations for THR from LOOP: *COUNT of them from *FIRST on.
   False if there are none left.  */
extern bool gomp_aid_next (struct gomp_thread *thr, struct gomp_amp_loop *loop,
			   gomp_aid_count *first, gomp_aid_count *count);

/* All threads have counted themselves in: turn LOOP's sums into shares, and
   let the sums start again from zero.  The thread that arrived last calls it,
   and the others write nothing of this before they see the new phase.  */
extern void gomp_aid_publish (struct gomp_amp_loop *loop);

#pragma GCC visibility pop

#endif /* GOMP_AID_LOOP_H */
