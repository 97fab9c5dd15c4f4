/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Loops that are shared out before they begin, as earlier runs of them say: to
   all classes by their speed, or to the fastest class alone.

   What is known of a loop is a record of its site.  The thread that initialises
   the work share decides, and stores the decision in the loop's state: so all
   threads of the team agree, whatever the record says by then.

   Shared words of a record are atomic and relaxed: what a thread reads is a
   hint, of which any mixture of old and new is a valid plan.  A run is timed by
   the one that finds BUSY 0; until its last thread stores 0 again, the rest of
   the record is that run's.  Release there and acquire at the next exchange.

   The class of each thread is known from the loops that it ran before; a plan
   goes by a copy of that.  A thread that has moved since runs what the plan
   says for its number all the same.  */

#ifndef GOMP_AMP_LOOP_PLAN_H
#define GOMP_AMP_LOOP_PLAN_H 1

#include "loops/aid-loop.h"

#pragma GCC visibility push(hidden)

/* Decide about LOOP, which is otherwise initialised, is TEAM's and at
   ADDRESS.  */
extern void gomp_loop_plan (struct gomp_amp_loop *loop,
			    const struct gomp_team *team, const void *address);

/* THR, the calling thread, has come to the end of a loop that is timed, unless
   that was cancelled.  */
extern void gomp_loop_timed_ends (struct gomp_thread *thr);

/* How many threads are in SET.  */
static inline unsigned
gomp_loop_count (unsigned long long set)
{
  set -= set >> 1 & 0x5555555555555555ULL;
  set = (set & 0x3333333333333333ULL) + (set >> 2 & 0x3333333333333333ULL);
  set = (set + (set >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return set * 0x0101010101010101ULL >> 56;
}

/* The calling thread has come to the end of a loop, and is about to pass the
   barrier there, if there is one.  */
static inline void
gomp_amp_loop_ends (void)
{
  struct gomp_thread *thr = gomp_thread ();

  if (__builtin_expect (thr->ts.amp.timed, 0))
    gomp_loop_timed_ends (thr);
}

/* The thread with number ID of TEAM is of class CLS.  */
static inline void
gomp_loop_note_class (struct gomp_team *team, unsigned id, unsigned cls)
{
  unsigned long long bit = 1ULL << id;

  if (__builtin_expect ((__atomic_load_n (&team->amp_members[cls],
					  __ATOMIC_RELAXED) & bit) != 0, 1))
    return;
  for (unsigned c = 0; c < GOMP_AMP_TEAM_CLASSES; c++)
    if (c == cls)
      __atomic_fetch_or (&team->amp_members[c], bit, __ATOMIC_RELAXED);
    else
      __atomic_fetch_and (&team->amp_members[c], ~bit, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_LOOP_PLAN_H */
