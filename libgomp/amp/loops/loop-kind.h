/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The decision what a loop runs as, in two steps: the schedule that was chosen
   for the loop, and what that becomes in the loop's team.  */

#ifndef GOMP_AMP_LOOP_KIND_H
#define GOMP_AMP_LOOP_KIND_H 1

#include "base/assert.h"
#include "loops/loop-plan.h"
#include "loops/sf-file.h"
#include "loops/team-classes.h"
#include "options/options.h"
#include "options/schedules.h"

#pragma GCC visibility push(hidden)

/* Whether GOMP_AMP_SCHEDULE is set, or there may be a tool.  Set once, at
   start-up.  */
extern bool gomp_amp_routed_options;

struct gomp_amp_loop_kind
{
  /* One of upstream's kinds without GFS_MONOTONIC; or one of ours, whose bits
     show who chose it.  */
  int kind;
  /* 0 if the schedule chooses its own.  */
  long chunk;
  /* A set of enum gomp_amp_why.  */
  unsigned char why;
};

/* What a loop that the compiler routed runs as if no schedule was chosen.  */
#define GOMP_AMP_ROUTED_KIND (GFS_AID_HYBRID | GOMP_AMP_SCHEDULE_DEFAULT)

/* What chose KIND, one of ours: an enumerator of gomp_amp_why.  */
#define GOMP_AMP_WHO_CHOSE(kind) \
  (((kind) & GOMP_AMP_SCHEDULE_CHOOSER) >> 8)

_Static_assert (GOMP_AMP_WHO_CHOSE (GOMP_AMP_SCHEDULE_ROUTED)
		== GOMP_AMP_BY_OPTION
		&& GOMP_AMP_WHO_CHOSE (GOMP_AMP_SCHEDULE_DEFAULT)
		   == GOMP_AMP_BY_DEFAULT,
		"the bits of a kind must be those of gomp_amp_why");

/* The ICVs that decide about a loop of TEAM, or of no team, that the compiler
   routed.  They are the same for all threads of TEAM, as long as it runs:
   threads that took different ways through one loop would run iterations twice,
   or none.  Those of the threads' own tasks need not be alike, since the
   program does not know that it has such a loop.  */
static inline const struct gomp_task_icv *
gomp_amp_routed_icv (const struct gomp_team *team)
{
  return team != NULL ? team->amp_icv : gomp_icv (false);
}

/* The schedule that was chosen for a schedule(runtime) loop of a task with ICV.
   ROUTED: the compiler made it schedule(runtime), so that GOMP_AMP_SCHEDULE has
   precedence over the ICV.  */
static inline struct gomp_amp_loop_kind
gomp_amp_chosen_kind (const struct gomp_task_icv *icv, bool routed)
{
  if (routed && gomp_amp_options.schedule.kind != 0)
    return (struct gomp_amp_loop_kind) { gomp_amp_options.schedule.kind,
					 gomp_amp_options.schedule.chunk,
					 GOMP_AMP_BY_OPTION };
  if (routed && !icv->run_sched_given)
    return (struct gomp_amp_loop_kind) { GOMP_AMP_ROUTED_KIND, 0,
					 GOMP_AMP_BY_DEFAULT };
  return (struct gomp_amp_loop_kind) { icv->run_sched_var & ~GFS_MONOTONIC,
				       icv->run_sched_chunk_size,
				       GOMP_AMP_BY_ICV };
}

/* What LOOP, which has one of our kinds, becomes in TEAM: the same; or if all
   threads are of one class, the schedule that is best there.  NULL stands for
   the one thread outside of any team.  */
static inline struct gomp_amp_loop_kind
gomp_amp_own_kind_in_team (const struct gomp_team *team,
			   struct gomp_amp_loop_kind loop)
{
  GOMP_AMP_ASSERT (loop.kind & GFS_AMP);
  if (gomp_amp_asymmetric (team))
    return loop;
  loop.why |= GOMP_AMP_CORES_ALIKE;
  if (!gomp_amp_dynamic_when_alike (loop.kind)
      || (loop.chunk == 0 && (team == NULL || team->nthreads == 1)))
    {
      loop.kind = GFS_STATIC;
      loop.chunk = 0;
    }
  else
    loop.kind = loop.chunk != 0 ? GFS_DYNAMIC : GFS_AMP_EVEN;
  return loop;
}

/* What LOOP, with any kind that may be chosen, becomes in TEAM: one of
   upstream's kinds, or one of ours that gomp_aid_init accepts.  */
static inline struct gomp_amp_loop_kind
gomp_amp_kind_in_team (const struct gomp_team *team,
		       struct gomp_amp_loop_kind loop)
{
  if (__builtin_expect (loop.kind == GFS_STATIC, 1))
    return loop;
  if (loop.kind & GFS_AMP)
    return gomp_amp_own_kind_in_team (team, loop);
  if (loop.kind == GFS_AUTO)
    {
      loop.kind = GFS_STATIC;
      loop.chunk = 0;
      loop.why |= GOMP_AMP_AUTO_IS_STATIC;
    }
  return loop;
}

/* What a schedule(runtime) loop that THR, the calling thread, starts runs as.
   THR keeps the reason.  */
static inline __attribute__ ((always_inline)) struct gomp_amp_loop_kind
gomp_amp_decide_loop (struct gomp_thread *thr, bool routed)
{
  const struct gomp_team *team = thr->ts.team;
  const struct gomp_task_icv *icv
    = routed ? gomp_amp_routed_icv (team) : gomp_icv (false);
  struct gomp_amp_loop_kind loop
    = gomp_amp_kind_in_team (team, gomp_amp_chosen_kind (icv, routed));
  thr->ts.amp.why = loop.why;
  return loop;
}

/* For GOMP_parallel_loop_*, whose loop starts together with TEAM,
   which has FLAGS.  KIND was chosen, with *CHUNK.  Returns the kind
   and stores its chunk in *CHUNK.  */
static inline enum gomp_schedule_type
gomp_amp_parallel_kind (struct gomp_team *team, unsigned flags,
			enum gomp_schedule_type kind, long *chunk)
{
  if (!(kind & GFS_AMP))
    return kind;
  if (team->nthreads > 1)
    {
      /* The loop needs the classes.  Once they are known, the team can be
	 decided.  */
      if (!gomp_amp_classes_forced ())
	gomp_amp_machine ();
      gomp_amp_decide_team (team, flags);
    }
  struct gomp_amp_loop_kind loop = { kind, *chunk, GOMP_AMP_WHO_CHOSE (kind) };
  loop = gomp_amp_own_kind_in_team (team, loop);
  gomp_thread ()->ts.amp.why = loop.why;
  *chunk = loop.chunk;
  return loop.kind;
}

/* For GOMP_loop_start and GOMP_loop_ull_start, whose argument *KIND is the
   schedule that the program wants.  If the fork resolves that one, replace it,
   store its chunk in *CHUNK and return true.  */
extern bool gomp_amp_resolve_start (long *kind, long *chunk);

/* Call gomp_aid_init with *CHUNK, and find the plan or the offline factors of a
   loop of TEAM at ADDRESS.  Returns the kind; or GFS_DYNAMIC, with *CHUNK = 1.
   Upstream initialises the rest of WS.  */
static inline int
gomp_amp_init_loop (struct gomp_work_share *ws, const struct gomp_team *team,
		    int kind, long *chunk, gomp_aid_count ni,
		    const void *address)
{
  kind = gomp_aid_init (ws, kind, ni, *chunk);
  if (kind == GFS_DYNAMIC)
    *chunk = 1;
  else if (__builtin_expect (gomp_amp_wants_sites, 0))
    gomp_aid_find_site (ws->amp, team, address);
  else
    gomp_loop_plan (ws->amp, team, address);
  return kind;
}

/* Upstream's entry points call these before they initialise the rest of a work
   share.  They are macros, so that TRIPS is computed for an AID loop only, and
   so that the return address is that of the function in which they stand.

   The first is gomp_amp_resolve_start for the work share WS, where CHUNK points
   to any integer.  The second is gomp_amp_parallel_kind for the first work
   share of TEAM, whose threads run FN.  */
#define gomp_amp_start_loop(ws, kind, chunk, trips) \
  ({									\
    long amp_chunk;							\
    bool amp_ours = gomp_amp_resolve_start ((kind), &amp_chunk);	\
    if (amp_ours)							\
      {									\
	if (*(kind) & GFS_AMP)						\
	  *(kind) = gomp_amp_init_loop ((ws), gomp_thread ()->ts.team,	\
					*(kind), &amp_chunk, (trips),	\
					__builtin_return_address (0));	\
	*(chunk) = amp_chunk;						\
      }									\
    amp_ours;								\
  })
#define gomp_amp_parallel_loop(team, flags, kind, chunk, fn, trips) \
  ({									\
    enum gomp_schedule_type amp_kind					\
      = gomp_amp_parallel_kind ((team), (flags), (kind), (chunk)); \
    if (__builtin_expect ((amp_kind & GFS_AMP) != 0, 0))		\
      amp_kind = gomp_amp_init_loop (&(team)->work_shares[0], (team),	\
				     amp_kind, (chunk), (trips),	\
				     (const void *) (fn));		\
    amp_kind;								\
  })

/* For ordered and doacross loops, which keep upstream's schedules.  Returns
   ICV; or if its kind is one of ours, a copy in *COPY.  The copy has static for
   a schedule that allots whole loops, and dynamic for the others.  */
extern struct gomp_task_icv *gomp_amp_ordered_icv (struct gomp_task_icv *icv,
						   struct gomp_task_icv *copy);

#pragma GCC visibility pop

#endif /* GOMP_AMP_LOOP_KIND_H */
