/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks for called regions that do not go on.  fold-watch.c has the thread that
   looks, and looks at turns itself; when it comes to a called region it calls
   this file.  */

#include "libgomp.h"
#include "fold/fold-caller.h"
#include "fold/fold-follow.h"
#include "fold/fold-kernel.h"
#include "fold/fold-late.h"
#include "fold/fold-rescue.h"

/* BUSY: a caller whose thread runs an id and uses the CPU, or NULL.  SLEEPS:
   that of another one sleeps.  */
struct found
{
  struct gomp_fold_caller *busy;
  bool sleeps;
};

static unsigned
steps_of (const unsigned *steps)
{
  return __atomic_load_n (steps, __ATOMIC_RELAXED);
}

/* Look at CALLER, of CALL.  SLEEPERS: ask the kernel.  */

static void
look_at_caller (const struct gomp_fold_call *call,
		struct gomp_fold_caller *caller, bool sleepers,
		struct found *found)
{
  struct gomp_fold_thread *runner = __atomic_load_n (&caller->runner,
						     __ATOMIC_RELAXED);
  unsigned steps = steps_of (&caller->steps);
  int tid;

  /* It runs an id from each odd step on.  */
  if (runner == NULL || steps % 2 == 0
      || !__atomic_load_n (&caller->busy, __ATOMIC_RELAXED))
    return;
  tid = __atomic_load_n (&runner->id.tid, __ATOMIC_RELAXED);
  if (!sleepers || gomp_fold_look_up_activity (tid) != GOMP_FOLD_SLEEPS)
    found->busy = found->busy == NULL ? caller : found->busy;
  /* Inside of libgomp it mostly waits for an id that has begun.  But it may
     wait for a thread of an inner team, and that for one that has not.  */
  else if (call->watch.same != 0 || steps_of (&runner->steps) % 2 == 0)
    found->sleeps |= steps_of (&caller->steps) == steps;
}

/* The id of CALL's region that CALLER runs: for how long it is held.  */

static struct gomp_fold_hold
held_by (struct gomp_fold_call *call, struct gomp_fold_caller *caller)
{
  const struct gomp_fold_thread *runner = __atomic_load_n (&caller->runner,
							   __ATOMIC_RELAXED);
  int tid = __atomic_load_n (&runner->id.tid, __ATOMIC_RELAXED);
  unsigned long long cpu_ns = gomp_fold_look_up_cpu_ns (tid);

  if (call->watch.same == 0 || call->watch.stuck != caller)
    {
      call->watch.stuck = caller;
      call->watch.stuck_looks = 0;
      call->watch.stuck_ns = cpu_ns;
    }
  else
    call->watch.stuck_looks++;
  return (struct gomp_fold_hold)
    {
      .steps = &caller->steps,
      .tid = tid,
      .since_ns = call->watch.stuck_ns,
      .looks = call->watch.stuck_looks,
      .cpu = (cpu_ns - call->watch.stuck_ns) / GOMP_FOLD_LOOK_NS
    };
}

/* Give threads to the ids of FOLD's region, number SERIAL, which TEAM runs.
   Returns to how many.  */

static unsigned
rescue (struct gomp_fold_pool *fold, struct gomp_fold_team *team,
	unsigned serial)
{
  struct gomp_fold_call *call = fold->call;
  unsigned left = 0;

  /* Sequentially consistent, as in help.  The ids must not be those of the next
     region.  */
  __atomic_fetch_add (&call->helpers, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&fold->called, __ATOMIC_SEQ_CST)
      && serial == __atomic_load_n (&call->serial, __ATOMIC_RELAXED))
    {
      left = gomp_fold_ids_left (call);
      gomp_fold_make_late (fold, team);
    }
  __atomic_fetch_sub (&call->helpers, 1, __ATOMIC_RELEASE);
  return left;
}

/* Whether the region of CALL is the same as at the last look, and no id of it
   has begun since.  */

static bool
unchanged (struct gomp_fold_call *call, unsigned serial)
{
  unsigned long sum = 0;
  bool same;

  for (unsigned w = 0; w < gomp_fold_sharers (&call->shares); w++)
    sum = (sum * 31 + __atomic_load_n (&call->shares.share[w].word,
				       __ATOMIC_RELAXED));
  same = serial == call->watch.serial && sum == call->watch.sum;
  call->watch.serial = serial;
  call->watch.sum = sum;
  return same;
}

/* Look at the callers of the region of FOLD, number SERIAL, which TEAM runs and
   which has ids that have not begun.  */

static void
look_at_callers (struct gomp_fold_pool *fold, struct gomp_fold_team *team,
		 struct gomp_fold_region *region, unsigned serial)
{
  struct gomp_fold_call *call = fold->call;
  unsigned workers = gomp_fold_sharers (&call->shares), given;
  struct found found = { NULL, false };

  /* To ask the kernel takes some 10 us.  */
  for (unsigned w = 0; w < workers; w++)
    look_at_caller (call, &call->caller[w],
		    call->watch.same != 0 || w == region->lost.looks % workers,
		    &found);
  if (found.sleeps)
    {
      region->lost.slept++;
      if (call->watch.same != 0)
	{
	  fold->trial.of = NULL;
	  gomp_fold_note_early (region, rescue (fold, team, serial));
	}
    }
  if (found.sleeps || found.busy == NULL)
    call->watch.stuck = NULL;
  else
    {
      struct gomp_fold_hold id = held_by (call, found.busy);

      if (!gomp_fold_held (&fold->trial, &region->lost, &id, true))
	return;
      given = rescue (fold, team, serial);
      gomp_fold_note_rescue (&fold->trial, &region->lost, &id, given != 0);
      gomp_fold_note_early (region, given);
    }
}

bool
gomp_fold_look_at_call (struct gomp_fold_pool *fold,
			struct gomp_fold_team *team)
{
  struct gomp_fold_call *call = __atomic_load_n (&fold->call,
						 __ATOMIC_ACQUIRE);
  struct gomp_fold_region *region;
  unsigned serial;

  if (call == NULL || !__atomic_load_n (&fold->called, __ATOMIC_RELAXED))
    return false;
  serial = __atomic_load_n (&call->serial, __ATOMIC_RELAXED);
  region = __atomic_load_n (&call->region, __ATOMIC_RELAXED);
  call->watch.same = unchanged (call, serial) ? call->watch.same + 1 : 0;
  /* Late ids take turns when they wait.  */
  if (__atomic_load_n (&call->late, __ATOMIC_RELAXED))
    {
      if (gomp_fold_ids_left (call) != 0)
	gomp_fold_wake_all (team, call->home);
      return false;
    }
  gomp_fold_note_look (&region->lost, call->watch.same == 0);
  if (gomp_fold_ids_left (call) != 0)
    look_at_callers (fold, team, region, serial);
  if (gomp_fold_loses_asleep (&region->lost))
    {
      if (!gomp_fold_note_unfolded (region))
	__atomic_store_n (&fold->off, true, __ATOMIC_RELAXED);
    }
  else if (gomp_fold_loses (&region->lost))
    {
      gomp_fold_note_turns (region, GOMP_FOLD_MEETS_OUTSIDE);
      gomp_fold_forget_lost (&region->lost);
    }
  return true;
}

void
gomp_fold_revoke (struct gomp_fold_pool *fold, struct gomp_fold_team *team,
		  const struct gomp_fold_allowed *allowed)
{
  struct gomp_fold_call *call = __atomic_load_n (&fold->call,
						 __ATOMIC_ACQUIRE);

  if (call == NULL || !__atomic_load_n (&fold->called, __ATOMIC_RELAXED))
    return;
  for (unsigned w = 0; w < team->workers; w++)
    {
      bool revoked = allowed->speed[w] == 0;

      if (gomp_fold_revoke_share (&call->shares.share[w], revoked)
	  && !revoked && team->worker[w].slots != 0)
	gomp_fold_ring (&team->worker[w]);
    }
}

int
gomp_fold_running_caller (const struct gomp_fold_pool *fold, unsigned w,
			  unsigned *step)
{
  const struct gomp_fold_call *call = __atomic_load_n (&fold->call,
						       __ATOMIC_ACQUIRE);
  const struct gomp_fold_thread *runner;

  if (call == NULL || w >= gomp_fold_sharers (&call->shares)
      || !__atomic_load_n (&call->caller[w].busy, __ATOMIC_RELAXED))
    return 0;
  runner = __atomic_load_n (&call->caller[w].runner, __ATOMIC_RELAXED);
  *step = steps_of (&call->caller[w].steps);
  return (runner != NULL && *step % 2 != 0
	  ? __atomic_load_n (&runner->id.tid, __ATOMIC_RELAXED) : 0);
}
