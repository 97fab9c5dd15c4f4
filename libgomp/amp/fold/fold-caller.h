/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The data of called regions; for fold-start.c, fold-call.c, fold-late.c and
   fold-rescue.c only.  Their headers explain the terms.  */

#ifndef GOMP_AMP_FOLD_CALLER_H
#define GOMP_AMP_FOLD_CALLER_H 1

#include "libgomp.h"
#include "fold/fold-environment.h"
#include "fold/fold-known.h"
#include "fold/fold-pool.h"
#include "fold/fold-region.h"
#include "fold/fold-take.h"

#pragma GCC visibility push(hidden)

/* Whether the thread number of an id is free.  */
enum gomp_fold_free_number
{
  /* It has not begun, or a thread runs it.  */
  GOMP_FOLD_TAKEN,
  /* Its thread has left it: a helper may use its number.  */
  GOMP_FOLD_FREE
};

/* One for each worker, on a cache line of its own, as its thread writes it at
   each id.  */
struct gomp_fold_caller
{
  /* Positions of the worker's share whose ids get late threads, as a share's
     word.  */
  unsigned long late_ids __attribute__ ((aligned (64)));
  /* A thread takes ids of the worker's share.  RUNNER is the record of the last
     one, and STEPS how often it began or ended an id, for the watching
     thread.  */
  int busy;
  struct gomp_fold_thread *runner;
  unsigned steps;
};

/* What the watching thread keeps of its last look.  SERIAL and SUM: the region,
   and which ids of it had begun.  SAME: looks since an id began.  STUCK: a
   caller whose thread runs an id and uses the CPU.  STUCK_LOOKS: looks since
   that was found.  STUCK_NS: its thread's CPU time then.  */
struct gomp_fold_call_watch
{
  unsigned serial, same;
  unsigned long sum;
  struct gomp_fold_caller *stuck;
  unsigned stuck_looks;
  unsigned long long stuck_ns;
};

/* Grouped by who writes.  What the threads of a region write is in CALLER and
   in the shares, by worker; they only read the cache lines of this struct, but
   where ids become threads or have tasks.  */
struct gomp_fold_call
{
  /* Written by the thread that starts the region, before it is shared.  What
     the region is: see rule 1 of fold-call.h.  Its function, its team, and
     what each thread has of the one that started it.  */
  gomp_fold_region_fn fn;
  void *data;
  struct gomp_team *team;
  struct gomp_task *parent;
  struct gomp_task_icv icv;
  unsigned level, active_level;
  uintptr_t def_allocator;
  unsigned num_teams, team_num;
  struct gomp_fold_region *region;
  bool measured;
  /* ENVIRONMENT: of the thread that started it, then.  SPARE: the pool has more
     threads than the region has ids.  ONLY_FIRST: the thread that started it
     runs id 0 only.  */
  struct gomp_fold_environment environment;
  bool spare, only_first;

  /* Written and read by the thread that starts regions.  JOINED: all threads
     of the pool had joined that team.  HOME: its worker.  ROOM: how many ids
     NUMBER and RUNNER have room for.  DEAL: of the present region, which began
     at BEGAN if it is MEASURED.  */
  const struct gomp_fold_team *joined;
  unsigned home, room;
  struct gomp_fold_deal *deal;
  unsigned long long began;
  struct gomp_fold_knowns knowns;

  /* Arrays that the region's threads write.  By worker: */
  struct gomp_fold_shares shares;
  struct gomp_fold_caller *caller;
  /* By id: enum gomp_fold_free_number, and the record of its thread.  */
  unsigned char *number;
  const struct gomp_fold_thread **runner;

  /* Shared and atomic.  SERIAL: called regions so far.  LATE: see fold-late.h.
     TASKS: it has tasks.  HELPERS: threads that use the team without an id that
     is not counted in.  */
  unsigned serial;
  bool late, tasks;
  unsigned helpers;

  struct gomp_fold_call_watch watch;
};

/* Whether the threads of CALL's region wait for its end, and run tasks
   meanwhile.  Relaxed: a thread that made one has seen that.  */

static inline bool
gomp_fold_stays (const struct gomp_fold_call *call)
{
  return __atomic_load_n (&call->tasks, __ATOMIC_RELAXED);
}

static inline gomp_barrier_state_t
gomp_fold_barrier_state (const gomp_barrier_t *bar)
{
  return (__atomic_load_n (&bar->generation, MEMMODEL_ACQUIRE)
	  & (-BAR_INCR | BAR_CANCELLED));
}

/* The thread of ID has left it.  Release: a helper that takes the number
   acquires what was done by it.  */

static inline void
gomp_fold_free_id (struct gomp_fold_call *call, unsigned id)
{
  __atomic_store_n (&call->number[id], GOMP_FOLD_FREE, __ATOMIC_RELEASE);
}

/* Make ME, the calling thread, which is THR, the one of ID.  */

static inline void
gomp_fold_become (struct gomp_fold_call *call, struct gomp_thread *thr,
		  struct gomp_fold_thread *me, unsigned id)
{
  struct gomp_team *team = call->team;

  thr->ts.team = team;
  thr->ts.work_share = &team->work_shares[0];
  thr->ts.last_work_share = NULL;
  thr->ts.team_id = id;
  thr->ts.level = call->level;
  thr->ts.active_level = call->active_level;
  thr->ts.def_allocator = call->def_allocator;
#ifdef HAVE_SYNC_BUILTINS
  thr->ts.single_count = 0;
#endif
  thr->ts.static_trip = 0;
  thr->ts.amp.generation = 0;
  thr->num_teams = call->num_teams;
  thr->team_num = call->team_num;
  thr->task = &team->implicit_task[id];
  __atomic_store_n (&call->runner[id], me, __ATOMIC_RELAXED);
  me->call = call;
}

/* ME, the calling thread, runs an id of the worker of CALLER now, or ends
   it.  */

static inline void
gomp_fold_step (struct gomp_fold_caller *caller)
{
  __atomic_store_n (&caller->steps, caller->steps + 1, __ATOMIC_RELAXED);
}

/* ME, the calling thread, is to take ids of CALLER's share.  Returns whether no
   other thread does.  */

static inline bool
gomp_fold_try_busy (struct gomp_fold_caller *caller,
		    struct gomp_fold_thread *me)
{
  /* Acquire what the last one wrote there.  */
  if (__atomic_exchange_n (&caller->busy, 1, __ATOMIC_ACQUIRE))
    return false;
  __atomic_store_n (&caller->runner, me, __ATOMIC_RELAXED);
  return true;
}

static inline void
gomp_fold_end_busy (struct gomp_fold_caller *caller)
{
  __atomic_store_n (&caller->busy, 0, __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_CALLER_H */
