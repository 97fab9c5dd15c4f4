/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Binding threads to cores in order of capacity (GOMP_AMP_AFFINITY), and
   whether a team's cores differ.  */

#ifndef GOMP_AMP_AFFINITY_H
#define GOMP_AMP_AFFINITY_H 1

#include <stdbool.h>
#include "allotment.h"

#pragma GCC visibility push(hidden)

struct gomp_amp_places;

/* Store the numbers of the CPUs of MACHINE that ALLOTMENT has in ORDER, which
   has room for MACHINE->ncpus, and return how many they are.  The
   first hardware threads of all cores come first, then the second ones, and so
   on: beside a busy sibling a big core's hardware thread is worth less than a
   small core.  Each of these groups is in descending order of class, or in
   ascending order if ASCENDING, and within a class by number.  A hardware
   thread of another class than its siblings counts as a core of its own.  */
extern unsigned gomp_amp_order_cpus
  (const struct gomp_amp_machine *machine,
   const struct gomp_amp_allotment *allotment, bool ascending,
   unsigned *order);

/* The lowest-numbered hardware thread of the physical core of CPU, which is
   less than MACHINE->ncpus; -1 if the kernel does not tell.  */
extern int gomp_amp_core_of_cpu (const struct gomp_amp_machine *machine,
				 unsigned cpu);

/* Called once at start-up, after upstream has parsed its own variables and
   before it binds the initial thread.  EXPLICIT_BINDING: OMP_PROC_BIND,
   OMP_PLACES or GOMP_CPU_AFFINITY was set, and so rules.  */
extern void gomp_amp_init_affinity (bool explicit_binding);

/* What the process may use now.  Where threads are bound to places that is what
   it was started with: their masks say where we bound them.  */
extern const struct gomp_amp_allotment *gomp_amp_usable_now (void);

/* Store in PLACES where the team of NTHREADS (at least 2) will be that the
   calling thread is about to start; CLAUSE is the region's proc_bind clause,
   omp_proc_bind_false if it has none.  */
extern void gomp_amp_find_places (unsigned nthreads, unsigned clause,
				  struct gomp_amp_places *places);

/* Whether a team of NTHREADS in PLACES may run on cores of more than one class;
   looks up the classes.  A prediction, which nothing but speed depends on:
   where it is not certain that all are of one class the answer is yes, for
   which a loop pays with a work share.  */
extern bool gomp_amp_team_asymmetric (unsigned nthreads,
				      const struct gomp_amp_places *places);

/* Whether a thread wanted to know the classes that could not load hwloc for it.
   The next thread that starts an outermost team looks them up.  */
extern bool gomp_amp_classes_wanted;

/* Decide for all threads of TEAM, which was started before the classes were
   known, whether they may be of more than one.  Any of them may call this;
   all get the same answer.  */
struct gomp_team;
extern bool gomp_amp_settle_team (struct gomp_team *team);

#pragma GCC visibility pop

#endif /* GOMP_AMP_AFFINITY_H */
