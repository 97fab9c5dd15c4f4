/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Moves ids of a folded team from worker to worker.  */

#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-call.h"
#include "fold/fold-follow.h"
#include "fold/fold-move.h"
#include "fold/fold-pool.h"
#include "fold/fold-ranges.h"
#include "fold/fold-setup.h"
#include "fold/fold-stopwatch.h"
#include "fold/fold-team.h"
#include "up/up.h"

/* The cost of a hand-over, which each id adds to its worker's time at a barrier
   (docs/design/folding.md).  */
#define TURN_NS 2000

/* The knowledge of a pool's teams of one size on the workers that are ALLOWED,
   and the batch that is being measured.  Only the last thread at a barrier and
   the thread that starts regions use it.  */
struct gomp_fold_moves
{
  struct gomp_fold_moves *next;
  const struct gomp_fold_allowed *allowed;
  struct gomp_fold_ranges *ranges;
  /* The team of the batch; NULL until all threads have joined it.  */
  const struct gomp_fold_team *team;
  /* When the batch began, and how long it lasts at least, in ticks.  */
  unsigned long begin, length;
  /* Barriers since the batch began.  */
  unsigned barriers;
  /* By id: its stopwatch when the batch began, and its time since.  */
  unsigned long *watch;
  double *time;
};

static void
free_moves (struct gomp_fold_moves *moves)
{
  gomp_fold_free_ranges (moves->ranges);
  free (moves->watch);
  free (moves->time);
  free (moves);
}

void
gomp_fold_free_moves (struct gomp_fold_pool *fold)
{
  while (fold->moves != NULL)
    {
      struct gomp_fold_moves *moves = fold->moves;

      fold->moves = moves->next;
      free_moves (moves);
    }
}

void
gomp_fold_end_batch (struct gomp_fold_pool *fold)
{
  if (fold->moves != NULL)
    fold->moves->team = NULL;
}

/* FOLD's knowledge of teams of IDS ids on those of WORKERS workers that are
   ALLOWED; NULL if it has none.  */

static struct gomp_fold_moves *
find_moves (const struct gomp_fold_pool *fold, unsigned ids, unsigned workers,
	    const struct gomp_fold_allowed *allowed)
{
  struct gomp_fold_moves *moves = fold->moves;

  while (moves != NULL && (moves->ranges->learner.ids != ids
			   || moves->ranges->learner.workers != workers
			   || moves->allowed != allowed))
    moves = moves->next;
  return moves;
}

/* Forget what FOLD knows of teams on some workers only, but on those that are
   ALLOWED: there may be many sets of them, one after the other.  */

static void
forget_others (struct gomp_fold_pool *fold,
	       const struct gomp_fold_allowed *allowed)
{
  for (struct gomp_fold_moves **link = &fold->moves; *link != NULL;)
    {
      struct gomp_fold_moves *moves = *link;

      if (moves->allowed->all || moves->allowed == allowed)
	link = &moves->next;
      else
	{
	  *link = moves->next;
	  free_moves (moves);
	}
    }
}

/* Make MOVES, which may be in FOLD's list, the first one of it.  */

static void
put_first (struct gomp_fold_pool *fold, struct gomp_fold_moves *moves)
{
  struct gomp_fold_moves **link = &fold->moves;

  while (*link != NULL && *link != moves)
    link = &(*link)->next;
  if (*link != NULL)
    *link = moves->next;
  moves->next = fold->moves;
  fold->moves = moves;
}

/* Whether OTHERS have all of the first WORKERS workers that are ALLOWED.  */

static bool
includes (const struct gomp_fold_allowed *others,
	  const struct gomp_fold_allowed *allowed, unsigned workers)
{
  for (unsigned w = 0; w < workers; w++)
    if (allowed->speed[w] != 0 && others->speed[w] == 0)
      return false;
  return true;
}

double *
gomp_fold_known_speeds (const struct gomp_fold_pool *fold, unsigned workers,
			const struct gomp_fold_allowed *allowed)
{
  double *speed = malloc (workers * sizeof *speed);
  const struct gomp_fold_moves *moves = fold->moves;

  if (speed == NULL)
    return NULL;
  while (moves != NULL && (moves->ranges->learner.workers != workers
			   || !includes (moves->allowed, allowed, workers)))
    moves = moves->next;
  for (unsigned w = 0; w < workers; w++)
    speed[w] = ((moves != NULL ? moves->ranges->learner.speed[w]
		 : gomp_fold_workers.speed[w])
		* (allowed->speed[w] != 0 ? 1 : GOMP_FOLD_NO_SPEED));
  return speed;
}

/* New knowledge of teams like TEAM, of FOLD.  NULL if memory is short.  */

static struct gomp_fold_moves *
make_moves (const struct gomp_fold_pool *fold,
	    const struct gomp_fold_team *team)
{
  struct gomp_fold_moves *moves = calloc (1, sizeof *moves);
  double *speed = gomp_fold_known_speeds (fold, team->workers, team->allowed);

  if (moves != NULL)
    {
      moves->allowed = team->allowed;
      moves->watch = malloc (team->ids * sizeof *moves->watch);
      moves->time = malloc (team->ids * sizeof *moves->time);
      if (speed != NULL)
	moves->ranges = gomp_fold_make_ranges (team->ids, team->workers,
					       speed, team->first);
      if (moves->watch == NULL || moves->time == NULL
	  || moves->ranges == NULL)
	{
	  free_moves (moves);
	  moves = NULL;
	}
    }
  free (speed);
  return moves;
}

const unsigned *
gomp_fold_known_ranges (const struct gomp_fold_pool *fold, unsigned ids,
			unsigned workers,
			const struct gomp_fold_allowed *allowed)
{
  const struct gomp_fold_moves *moves = find_moves (fold, ids, workers,
						    allowed);

  return moves != NULL ? moves->ranges->first : NULL;
}

/* The record of the thread that has ID in TEAM, or NULL if it has not joined
   or has left.  Records are never freed before the pool.  */

static const struct gomp_fold_thread *
thread_of (const struct gomp_fold_team *team, unsigned id)
{
  /* Acquire, as in fold-turn.c.  */
  return (const void *) __atomic_load_n (&team->slot[id], __ATOMIC_ACQUIRE);
}

/* For how many ticks the worker that runs longest is to run in a batch of
   MOVES.  */

static inline unsigned long
least_ticks (const struct gomp_fold_moves *moves)
{
  return moves->ranges->learner.batch_ns / GOMP_FOLD_TICK_NS;
}

/* Begin a batch if all ids of TEAM have joined it.  Those that wait as if
   nothing was folded join late.  */

static void
begin_batch (struct gomp_fold_moves *moves, const struct gomp_fold_team *team)
{
  moves->team = NULL;
  for (unsigned id = 0; id < team->ids; id++)
    {
      const struct gomp_fold_thread *thread = thread_of (team, id);

      if (thread == NULL)
	return;
      moves->watch[id] = gomp_fold_read_stopwatch (&thread->stopwatch);
    }
  moves->team = team;
  moves->begin = gomp_fold_ticks ();
  moves->length = least_ticks (moves);
  moves->barriers = 0;
  if (__builtin_expect (gomp_up_on, 0))
    gomp_up_batch_begins ();
}

/* Store the times of the batch.  Returns how long the worker that ran longest
   did, in ticks.  */

static unsigned long
measure (struct gomp_fold_moves *moves)
{
  const struct gomp_fold_team *team = moves->team;
  unsigned long most = 0;

  for (unsigned w = 0; w < team->workers; w++)
    {
      unsigned long sum = 0;

      for (unsigned id = team->first[w]; id < team->first[w + 1]; id++)
	{
	  const struct gomp_fold_thread *thread = thread_of (team, id);
	  unsigned long ticks;

	  if (thread == NULL)
	    return 0;
	  ticks = gomp_fold_stopwatch_since (&thread->stopwatch,
					     moves->watch[id]);
	  moves->time[id] = ticks;
	  sum += ticks;
	}
      if (sum > most)
	most = sum;
    }
  return most;
}

/* Whether the program has bound a thread of TEAM.  Others may be bound to the
   CPU that they are on, and must not leave it.  The watching thread will find
   out too.  */

static bool
bound_by_program (const struct gomp_fold_team *team)
{
  for (unsigned id = 0; id < team->ids; id++)
    {
      const struct gomp_fold_thread *thread = thread_of (team, id);

      if (thread != NULL && gomp_fold_bound_elsewhere (thread))
	return true;
    }
  return false;
}

/* The batch of MOVES has ended.  CALLED: regions of the pool were called.
   Returns whether there are better ranges.  */

static bool
learn (struct gomp_fold_moves *moves, bool called)
{
  for (unsigned id = 0; id < moves->ranges->learner.ids; id++)
    moves->time[id] /= moves->barriers;
  /* A called region needs a thread at each worker.  */
  moves->ranges->keep_all = called;
  return gomp_fold_better_ranges (moves->ranges, moves->time,
				  (double) TURN_NS / GOMP_FOLD_TICK_NS,
				  ((double) GOMP_FOLD_LEAST_NS
				   / GOMP_FOLD_TICK_NS / moves->barriers));
}

/* FOLD's region is run by TEAM, and all of its threads are at a barrier.
   Returns a team with better ranges, or NULL to keep TEAM.  */

static struct gomp_fold_team *
better_team (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  struct gomp_fold_moves *moves = fold->moves;
  struct gomp_fold_team *better;
  unsigned long ran;

  if (moves == NULL || moves->ranges->learner.ids != team->ids
      || moves->ranges->learner.workers != team->workers
      || moves->allowed != team->allowed)
    {
      moves = find_moves (fold, team->ids, team->workers, team->allowed);
      if (moves == NULL)
	moves = make_moves (fold, team);
      if (moves == NULL)
	return NULL;
      moves->team = NULL;
      forget_others (fold, team->allowed);
      put_first (fold, moves);
    }
  moves->barriers++;
  if (moves->team != team)
    {
      begin_batch (moves, team);
      return NULL;
    }
  if (gomp_fold_ticks () - moves->begin < moves->length)
    return NULL;
  ran = measure (moves);
  if (ran < least_ticks (moves))
    {
      /* The program did something else for the rest of the time.  */
      moves->length += least_ticks (moves) - ran;
      return NULL;
    }
  if (__builtin_expect (gomp_up_on, 0))
    gomp_up_batch_ends (team->workers, moves->ranges->learner.slow, team->first,
			moves->time, GOMP_FOLD_TICK_NS);
  if (!learn (moves, gomp_fold_has_called (fold)))
    {
      begin_batch (moves, team);
      return NULL;
    }
  better = (bound_by_program (team) ? NULL
	    : gomp_fold_get_team (fold, team->ids, moves->ranges->first,
				  team->allowed));
  if (better == NULL)
    /* The learned ranges are not the team's.  */
    gomp_fold_free_moves (fold);
  return better;
}

/* The calling thread is the last one at a barrier of FOLD's region, which is
   run by BETTER instead of TEAM from now on.  */

static void
change_team (struct gomp_fold_pool *fold, struct gomp_fold_team *team,
	     struct gomp_fold_team *better)
{
  gomp_fold_change_team (fold, team, better);
  /* The watching thread may have disbanded TEAM, or turned folding off, since
     we looked.  Sequentially consistent: either we see that, or it sees BETTER
     in its next look.  */
  if ((__atomic_load_n (&team->state, __ATOMIC_SEQ_CST)
       & GOMP_FOLD_TEAM_DISBANDED)
      || __atomic_load_n (&fold->off, __ATOMIC_SEQ_CST))
    gomp_fold_disband_team (better);
  gomp_fold_begin_region ();
}

/* The same if TEAM is stale.  */

static void __attribute__ ((noinline, cold))
replace_stale (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  struct gomp_fold_team *better;

  if (gomp_fold_disbanded_p (team)
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return;
  better = gomp_fold_first_team (fold, team->ids);
  if (better != NULL)
    change_team (fold, team, better);
}

void
gomp_fold_all_met (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me;
  struct gomp_fold_pool *fold;
  struct gomp_fold_team *team, *better;

  if (thr->ts.level != 1 || thr->thread_pool == NULL)
    return;
  fold = thr->thread_pool->amp_fold;
  if (fold == NULL)
    return;
  /* What ids of a called region took is not measured.  Relaxed: no thread of
     the region is in another one.  */
  if (__atomic_load_n (&fold->called, __ATOMIC_RELAXED))
    return;
  team = fold->team;
  /* Relaxed: the thread that disbands it does not wait for us.  */
  if (team == NULL || team->ids != thr->ts.team->nthreads)
    return;
  if (__builtin_expect (__atomic_load_n (&team->state, __ATOMIC_RELAXED) != 0,
			0))
    {
      replace_stale (fold, team);
      return;
    }
  if (!gomp_fold_measured_p (team)
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return;
  me = gomp_fold_current ();
  if (me == NULL || me->team != team)
    return;
  /* A thread that is last at each barrier waits nowhere else for its turn.  */
  if (!me->id.turn && me->id.worker->slots > 1)
    gomp_fold_begin_region ();
  better = better_team (fold, team);
  if (better == NULL)
    return;
  change_team (fold, team, better);
}
