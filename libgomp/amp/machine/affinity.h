/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Binding threads to cores in order of capacity (GOMP_AMP_AFFINITY), and
   predicting whether a team's cores differ.  */

#ifndef GOMP_AMP_AFFINITY_H
#define GOMP_AMP_AFFINITY_H 1

#include <stdbool.h>
#include "machine/allotment.h"

#pragma GCC visibility push(hidden)

struct gomp_amp_places;

/* Store in ORDER, which has room for MACHINE->ncpus, the numbers of the CPUs
   that ALLOTMENT has.  Returns their count.

   The first hardware thread of every core comes first, then every second one,
   and so on: a big core's hardware thread with a busy sibling is worth less
   than a small core.  Each group is sorted by class, descending or, if
   ASCENDING, ascending, and by number within a class.  A hardware thread whose
   siblings are of another class counts as a core of its own.  */
extern unsigned gomp_amp_order_cpus
  (const struct gomp_amp_machine *machine,
   const struct gomp_amp_allotment *allotment, bool ascending,
   unsigned *order);

/* gomp_amp_order_cpus, but only of the MOST CPUs that come first in descending
   order.  */
extern unsigned gomp_amp_order_fastest
  (const struct gomp_amp_machine *machine,
   const struct gomp_amp_allotment *allotment, bool ascending, unsigned most,
   unsigned *order);

/* The lowest-numbered hardware thread of CPU's physical core, or -1 if the
   kernel does not list them.  CPU is less than MACHINE->ncpus.  */
extern int gomp_amp_core_of_cpu (const struct gomp_amp_machine *machine,
				 unsigned cpu);

/* Called once at start-up, after upstream has parsed its own variables.
   EXPLICIT_BINDING: OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY is set and
   takes precedence over GOMP_AMP_AFFINITY.  */
extern void gomp_amp_init_affinity (bool explicit_binding);

/* Called once at start-up: make the places of GOMP_AMP_AFFINITY, unless teams
   are FOLDED.

   Returns whether to bind the initial thread now, as upstream does.  That is
   not so in a process that has the library because it was preloaded, such as a
   shell on the way to the program: everything that it starts would have the one
   CPU.  Such a process is bound when it first uses OpenMP.  */
extern bool gomp_amp_make_places (bool folded);

/* A thread without a place is to be bound to one.  If the process was not bound
   at start-up, take from the places what it may not use any more.  Returns
   whether there are places.  */
extern bool gomp_amp_confine_places (void);

/* Whether the user has not bound threads to places, but at most asked for an
   order of CPUs.  Sets *ASCENDING if slow CPUs come first in it.  */
extern bool gomp_amp_only_ordered (bool *ascending);

/* What the process may use now.  If threads are bound to places this is the
   allotment at start-up, since the masks then only show our own binding.  */
extern const struct gomp_amp_allotment *gomp_amp_usable_now (void);

/* Store in PLACES where the threads will be of the team of NTHREADS (at least
   2) that the calling thread is about to start.  CLAUSE is the region's
   proc_bind clause, or omp_proc_bind_false if it has none.  */
extern void gomp_amp_find_places (unsigned nthreads, unsigned clause,
				  struct gomp_amp_places *places);

/* Whether a team of NTHREADS in PLACES may run on cores of more than one
   class.  Finds the classes.  This is a prediction, and only speed depends on
   it.  In doubt the answer is true, which costs a loop a work share.  */
extern bool gomp_amp_team_asymmetric (unsigned nthreads,
				      const struct gomp_amp_places *places);

/* What part of equal work the thread in place number PLACE, counted from 0,
   should take in a team of NTHREADS in PLACES; 1 on average, and where it is
   not known.  */
extern double gomp_amp_share_of_place (const struct gomp_amp_places *places,
				       unsigned nthreads, unsigned long place);

/* Whether a thread needed the classes but was not allowed to load hwloc.  The
   next thread that starts an outermost team finds them.  */
extern bool gomp_amp_classes_wanted;

/* Decide for all threads of TEAM whether they may be of more than one class.
   For a team that was started before the classes were known.  Any of its
   threads may call this; all get the same answer.  */
struct gomp_team;
extern bool gomp_amp_settle_team (struct gomp_team *team);

#pragma GCC visibility pop

#endif /* GOMP_AMP_AFFINITY_H */
