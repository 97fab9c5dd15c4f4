/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether the threads of a team may have more than one core class.  */

#ifndef GOMP_AMP_TEAM_CLASSES_H
#define GOMP_AMP_TEAM_CLASSES_H 1

#include "base/events.h"
#include "fold/fold-setup.h"
#include "loops/aid-loop.h"
#include "machine/affinity.h"
#include "options/options.h"
#include "options/schedules.h"

#pragma GCC visibility push(hidden)

/* The calling thread is about to start TEAM, which is new or reused.  */
static inline void
gomp_amp_init_team (struct gomp_team *team)
{
  gomp_event_region ();
  team->amp_icv = &team->implicit_task[0].icv;
  team->amp_asymmetric = GOMP_AMP_UNDECIDED;
}

/* Decide whether TEAM, which is undecided, is asymmetric.  FLAGS are as
   below.  */
static inline void
gomp_amp_decide_classes (struct gomp_team *team, unsigned flags)
{
  /* Finding the classes may load hwloc.  In a plugin's constructor only this
     thread can do that, since dlopen holds the loader's lock.  */
  if (!gomp_amp_classes_forced ()
      && (((gomp_icv (false)->run_sched_var | gomp_amp_options.schedule.kind)
	   & GFS_AMP)
	  || (__builtin_expect (__atomic_load_n (&gomp_amp_classes_wanted,
						 __ATOMIC_RELAXED), 0)
	      && gomp_thread ()->ts.team == NULL)))
    gomp_amp_machine ();
  bool known = gomp_amp_classes_forced () || gomp_amp_machine_known ();
  /* A folded team is balanced by its ids.  */
  if (gomp_fold_on && gomp_thread ()->ts.level == 0)
    {
      team->amp_asymmetric = GOMP_AMP_SYMMETRIC;
      return;
    }
  /* A team too large for the member bits of a loop's sums is treated as
     symmetric.  */
  if ((known && gomp_amp_class_count () == 1)
      || team->nthreads >= ~0ULL / GOMP_AID_MEMBER)
    {
      team->amp_asymmetric = GOMP_AMP_SYMMETRIC;
      return;
    }
  gomp_amp_find_places (team->nthreads, flags & 7, &team->amp_places);
  if (!known)
    team->amp_asymmetric = GOMP_AMP_UNKNOWN;
  else
    team->amp_asymmetric
      = (gomp_amp_team_asymmetric (team->nthreads, &team->amp_places)
	 ? GOMP_AMP_ASYMMETRIC : GOMP_AMP_SYMMETRIC);
}

/* Decide about TEAM: which ICVs its routed loops have, and whether it is
   asymmetric.  The calling thread is starting TEAM, or the loop that starts
   together with TEAM.  FLAGS are the entry point's, with the proc_bind clause.
   The decision holds for all of the team's loops, so that all its threads
   agree; a second call has no effect.  */
static inline void
gomp_amp_decide_team (struct gomp_team *team, unsigned flags)
{
  if (team->nthreads == 1 || team->amp_asymmetric != GOMP_AMP_UNDECIDED)
    return;
  /* The calling thread is still in the task that encountered the region.  That
     task changes nothing until the region has ended.  */
  team->amp_icv = gomp_icv (false);
  gomp_amp_decide_classes (team, flags);
}

/* Whether TEAM's threads may have more than one class; the same answer for
   each of them.  NULL stands for the single thread outside of any team.  A
   team of one thread stays undecided.  */
static inline bool
gomp_amp_asymmetric (const struct gomp_team *team)
{
  if (team == NULL)
    return false;
  /* Relaxed: all threads must agree on the value, and on nothing else.  */
  enum gomp_amp_asymmetric known
    = __atomic_load_n (&team->amp_asymmetric, __ATOMIC_RELAXED);
  if (known <= GOMP_AMP_SYMMETRIC)
    return false;
  return (__builtin_expect (known == GOMP_AMP_ASYMMETRIC, 1)
	  || gomp_amp_settle_team ((struct gomp_team *) team));
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_TEAM_CLASSES_H */
