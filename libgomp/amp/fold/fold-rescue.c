/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks for called regions that do not go on.  */

#include "libgomp.h"
#include "fold/fold-caller.h"
#include "fold/fold-kernel.h"
#include "fold/fold-late.h"
#include "fold/fold-rescue.h"

/* The watching thread gives late threads after as many looks if the thread of
   an id uses the CPU, and after two if it sleeps.  It has helped if the id ends
   within SOON looks (fold-watch.c).  */
#define PATIENCE 10
#define SOON 4

/* Whether a thread of CALL's region that keeps ids from beginning sleeps.
   Store in *STUCK its worker, or that of one that does not.  */

static bool
look_at_callers (struct gomp_fold_call *call, struct gomp_fold_caller **stuck)
{
  for (unsigned w = 0; w < gomp_fold_sharers (&call->shares); w++)
    {
      struct gomp_fold_caller *caller = &call->caller[w];
      struct gomp_fold_thread *runner
	= __atomic_load_n (&caller->runner, __ATOMIC_RELAXED);
      unsigned long word = __atomic_load_n (&call->shares.share[w].word,
					    __ATOMIC_RELAXED);

      if (!gomp_fold_has_ids (word))
	continue;
      *stuck = caller;
      if (runner != NULL
	  && __atomic_load_n (&caller->busy, __ATOMIC_RELAXED)
	  && (gomp_fold_look_up_activity
	      (__atomic_load_n (&runner->id.tid, __ATOMIC_RELAXED))
	      == GOMP_FOLD_SLEEPS))
	return true;
    }
  return false;
}

bool
gomp_fold_look_at_call (struct gomp_fold_pool *fold,
			struct gomp_fold_team *team)
{
  struct gomp_fold_call *call = __atomic_load_n (&fold->call,
						 __ATOMIC_ACQUIRE);
  struct gomp_fold_caller *stuck = NULL;
  unsigned long sum = 0;
  unsigned serial;

  if (call == NULL)
    return false;
  if (call->stuck != NULL)
    {
      call->stuck_for++;
      if (__atomic_load_n (&call->stuck->steps, __ATOMIC_RELAXED)
	  != call->stuck_at)
	{
	  gomp_fold_note_rescue (call->stuck_in, call->stuck_for <= SOON);
	  call->stuck = NULL;
	}
    }
  if (!__atomic_load_n (&fold->called, __ATOMIC_RELAXED))
    return false;
  if (__atomic_load_n (&call->late, __ATOMIC_RELAXED))
    {
      if (gomp_fold_any_left (call))
	gomp_fold_wake_all (team, call->home);
      return false;
    }
  serial = __atomic_load_n (&call->serial, __ATOMIC_RELAXED);
  for (unsigned w = 0; w < gomp_fold_sharers (&call->shares); w++)
    sum = (sum * 31 + __atomic_load_n (&call->shares.share[w].word,
				       __ATOMIC_RELAXED));
  if (serial != call->seen_serial || sum != call->seen_sum)
    {
      call->seen_serial = serial;
      call->seen_sum = sum;
      call->same = 0;
      return true;
    }
  call->same++;
  if (!gomp_fold_any_left (call)
      || (!look_at_callers (call, &stuck) && call->same < PATIENCE)
      || stuck == NULL)
    return true;
  call->stuck = stuck;
  call->stuck_at = __atomic_load_n (&stuck->steps, __ATOMIC_RELAXED);
  call->stuck_in = __atomic_load_n (&call->region, __ATOMIC_RELAXED);
  call->stuck_for = 0;
  /* Sequentially consistent, as in help.  The ids must not be those of the next
     region.  */
  __atomic_fetch_add (&call->helpers, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&fold->called, __ATOMIC_SEQ_CST)
      && serial == __atomic_load_n (&call->serial, __ATOMIC_RELAXED))
    gomp_fold_make_late (fold, team);
  __atomic_fetch_sub (&call->helpers, 1, __ATOMIC_RELEASE);
  return true;
}
