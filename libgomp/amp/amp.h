/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* All that the hooks in upstream's files include and call.

   Included at the end of libgomp.h; the structures that it extends are in
   amp-types.h.  */

#ifndef GOMP_AMP_H
#define GOMP_AMP_H 1

#include "affinity.h"
#include "aid-loop.h"
#include "classes.h"
#include "display.h"
#include "lab.h"
#include "options.h"
#include "schedules.h"
#include "sf-file.h"
#include "task-fifo.h"
#include "task-tail.h"

#pragma GCC visibility push(hidden)

/* Work shares N of which WS is the first are new memory, or about to be
   freed.  */
extern void gomp_amp_init_work_shares (struct gomp_work_share *ws, unsigned n);
extern void gomp_amp_free_work_shares (struct gomp_work_share *ws, unsigned n);

/* TEAM, which is new or was used before, is about to be started by the calling
   thread.  */
static inline void
gomp_amp_init_team (struct gomp_team *team)
{
  gomp_lab_start_team ();
  team->amp_asymmetric = GOMP_AMP_UNDECIDED;
}

/* The calling thread is starting TEAM, or the loop that starts together with
   TEAM; FLAGS are those of the entry point, with the proc_bind clause.  What
   this decides holds for all of the team's loops, so that all its threads
   agree; the second call has no effect.  */
static inline void
gomp_amp_decide_team (struct gomp_team *team, unsigned flags)
{
  if (team->nthreads == 1 || team->amp_asymmetric != GOMP_AMP_UNDECIDED)
    return;
  /* Finding the classes may load hwloc.  In a plugin's constructor only this
     thread can, as dlopen holds the loader's lock.  */
  if (!gomp_amp_classes_forced ()
      && (((gomp_icv (false)->run_sched_var | gomp_amp_options.schedule.kind)
	   & GFS_AMP)
	  || (__builtin_expect (__atomic_load_n (&gomp_amp_classes_wanted,
						 __ATOMIC_RELAXED), 0)
	      && gomp_thread ()->ts.team == NULL)))
    gomp_amp_classes ();
  bool known = (gomp_amp_classes_forced ()
		|| __atomic_load_n (&gomp_amp_classes_table, __ATOMIC_RELAXED));
  if (known && gomp_amp_class_count () == 1)
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

/* Whether TEAM's threads may be of more than one class; the same answer for
   each of them.  NULL stands for the one thread outside of any team.  */
static inline bool
gomp_amp_asymmetric (const struct gomp_team *team)
{
  /* So many as not to be counted in GOMP_AID_MEMBER's bits count as alike.  */
  if (team == NULL || team->nthreads == 1
      || team->nthreads >= ~0ULL / GOMP_AID_MEMBER)
    return false;
  /* Relaxed: it is the value alone that all threads have to agree on.  */
  enum gomp_amp_asymmetric known
    = __atomic_load_n (&team->amp_asymmetric, __ATOMIC_RELAXED);
  if (__builtin_expect (known == GOMP_AMP_UNKNOWN, 0))
    return gomp_amp_settle_team ((struct gomp_team *) team);
  return known == GOMP_AMP_ASYMMETRIC;
}

/* What a schedule(runtime) loop runs as, before it is known in which team:
   ICV's kind without modifiers, with its chunk in *CHUNK.  ROUTED: the
   compiler made it one, so that GOMP_AMP_SCHEDULE comes before the ICV.  */
static inline int
gomp_amp_runtime_kind (const struct gomp_task_icv *icv, bool routed,
		       long *chunk)
{
  if (routed && gomp_amp_options.schedule.kind != 0)
    {
      *chunk = gomp_amp_options.schedule.chunk;
      return gomp_amp_options.schedule.kind;
    }
  if (routed && !icv->run_sched_given)
    {
      *chunk = 0;
      return GFS_AMP_ROUTED;
    }
  *chunk = icv->run_sched_chunk_size;
  return icv->run_sched_var & ~GFS_MONOTONIC;
}

/* What KIND, any runtime kind, is in TEAM; *CHUNK becomes what fits that.  The
   result is one of upstream's kinds, or an AID kind that gomp_aid_init
   takes.  */
static inline int
gomp_amp_team_kind (const struct gomp_team *team, int kind, long *chunk)
{
  if (kind == GFS_AUTO)
    {
      *chunk = 0;
      return GFS_STATIC;
    }
  if (!(kind & GFS_AMP))
    return kind;
  if (gomp_amp_asymmetric (team))
    return kind == GFS_AMP_ROUTED ? GFS_AID_HYBRID : kind;
  kind &= ~GOMP_AMP_SCHEDULE_ROUTED;
  if (kind == GFS_AID_DYNAMIC && *chunk != 0)
    return GFS_DYNAMIC;
  if (kind == GFS_AID_DYNAMIC && team != NULL && team->nthreads > 1)
    return GFS_AMP_EVEN;
  *chunk = 0;
  return GFS_STATIC;
}

/* For GOMP_parallel_loop_*: the same for a loop that starts with TEAM, which
   has FLAGS, and that FN runs.  */
static inline enum gomp_schedule_type
gomp_amp_parallel_kind (struct gomp_team *team, unsigned flags,
			enum gomp_schedule_type kind, long *chunk,
			void (*fn) (void *))
{
  if (!(kind & GFS_AMP))
    return kind;
  /* The loop needs the classes, and with them the team can be decided.  */
  if (team->nthreads > 1 && !gomp_amp_classes_forced ())
    gomp_amp_classes ();
  gomp_amp_decide_team (team, flags);
  gomp_thread ()->ts.amp.site = (const void *) fn;
  return gomp_amp_team_kind (team, kind, chunk);
}

/* For GOMP_loop_start and GOMP_loop_ull_start, which say by their argument
   KIND which schedule they want: if that is one that the fork resolves,
   replace it and its *CHUNK and return true.  Inlined, so that the return
   address is theirs.  */
static inline __attribute__ ((always_inline)) bool
gomp_amp_start_long (long *kind, long *chunk)
{
  long plain = *kind & ~GFS_MONOTONIC;
  /* Upstream's GFS_AUTO stands for nonmonotonic:runtime here.  */
  if (plain != GFS_RUNTIME && plain != GFS_AUTO)
    return false;

  struct gomp_thread *thr = gomp_thread ();
  long runtime_chunk;
  bool routed = plain == GFS_AUTO;
  int runtime = gomp_amp_runtime_kind (gomp_icv (false), routed,
				       &runtime_chunk);
  /* Upstream would resolve a routed loop by the ICV, which is not what counts
     for it if GOMP_AMP_SCHEDULE is set.  */
  if (!(runtime & GFS_AMP) && !routed)
    return false;
  thr->ts.amp.site = __builtin_return_address (0);
  *kind = gomp_amp_team_kind (thr->ts.team, runtime, &runtime_chunk);
  *chunk = runtime_chunk;
  return true;
}

#define gomp_amp_start_kind(kind, chunk) \
  ({									\
    long amp_chunk;							\
    bool amp_ours = gomp_amp_start_long ((kind), &amp_chunk);		\
    if (amp_ours)							\
      *(chunk) = amp_chunk;						\
    amp_ours;								\
  })

/* For the initialisers of work shares: if KIND is an AID kind, prepare WS for
   NI iterations; returns the kind, or GFS_DYNAMIC with *CHUNK = 1.  */
#define gomp_amp_init_loop(ws, kind, chunk, ni) \
  ({									\
    enum gomp_schedule_type amp_kind = (kind);				\
    if (__builtin_expect ((amp_kind & GFS_AMP) != 0, 0))		\
      {									\
	amp_kind = gomp_aid_init ((ws), amp_kind, (ni), *(chunk));	\
	if (amp_kind == GFS_DYNAMIC)					\
	  *(chunk) = 1;							\
      }									\
    amp_kind;								\
  })

/* For ordered and doacross loops, which keep upstream's schedules: ICV, or if
   its kind is one of ours a copy in *COPY that says static for aid_static and
   dynamic for the others.  */
static inline struct gomp_task_icv *
gomp_amp_ordered_icv (struct gomp_task_icv *icv, struct gomp_task_icv *copy)
{
  /* A doacross loop goes on with GOMP_loop_runtime_next.  */
  gomp_thread ()->ts.static_trip = 0;
  if (!(icv->run_sched_var & GFS_AMP))
    return icv;
  *copy = *icv;
  if ((icv->run_sched_var & ~GFS_MONOTONIC) == GFS_AID_STATIC)
    copy->run_sched_var = GFS_STATIC;
  else
    {
      copy->run_sched_var = GFS_DYNAMIC;
      if (copy->run_sched_chunk_size == 0)
	copy->run_sched_chunk_size = 1;
    }
  return copy;
}

/* The trip count of a loop from START to before END by INCR, which is not
   zero.  Exact for all bounds, as the difference is taken without sign and
   nothing is added to it before the division.  */
static inline unsigned long long
gomp_amp_trips_ull (bool up, unsigned long long start, unsigned long long end,
		    unsigned long long incr)
{
  if (up ? start >= end : start <= end)
    return 0;
  unsigned long long distance = up ? end - start : start - end;
  unsigned long long step = up ? incr : -incr;
  return __builtin_expect (step == 1, 1) ? distance : (distance - 1) / step + 1;
}

static inline unsigned long
gomp_amp_trips (long start, long end, long incr)
{
  bool up = incr > 0;
  if (up ? start >= end : start <= end)
    return 0;
  unsigned long distance = up ? (unsigned long) end - start
			      : (unsigned long) start - end;
  unsigned long step = up ? (unsigned long) incr : -(unsigned long) incr;
  return __builtin_expect (step == 1, 1) ? distance : (distance - 1) / step + 1;
}

/* Whether the calling thread's loop is a static one without work share, so
   that gomp_amp_static_next has to answer.  */
static inline bool
gomp_amp_static_p (const struct gomp_thread *thr)
{
  return thr->ts.static_trip - GOMP_AMP_STATIC_CHUNKED
	 <= GOMP_AMP_STATIC_DONE - GOMP_AMP_STATIC_CHUNKED;
}

/* Start a schedule(runtime) loop, ROUTED by the compiler or not, whose call
   returns to SITE.  Returns whether there is work, in *ISTART and *IEND; or -1
   if it is not routed and its kind is upstream's dynamic or guided, for
   upstream to start.  */
extern int gomp_amp_loop_start (bool routed, const void *site, long start,
				long end, long incr, long *istart,
				long *iend);
extern int gomp_amp_loop_ull_start (bool routed, const void *site, bool up,
				    unsigned long long start,
				    unsigned long long end,
				    unsigned long long incr,
				    unsigned long long *istart,
				    unsigned long long *iend);

/* The next block of the calling thread's loop, which is an AID one; or a
   static one without work share.  */
extern bool gomp_amp_loop_next (long *istart, long *iend);
extern bool gomp_amp_loop_ull_next (unsigned long long *istart,
				    unsigned long long *iend);
extern bool gomp_amp_static_next (long *istart, long *iend);
extern bool gomp_amp_static_ull_next (unsigned long long *istart,
				      unsigned long long *iend);

#pragma GCC visibility pop

#endif /* GOMP_AMP_H */
