/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Moves ids of a folded team from worker to worker.  */

#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-follow.h"
#include "fold/fold-move.h"
#include "fold/fold-pool.h"
#include "fold/fold-ranges.h"
#include "fold/fold-setup.h"
#include "fold/fold-stopwatch.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"

/* What it takes to pick up an id, which each one adds to its worker's time at a
   barrier (docs/design/folding.md).  */
#define PICK_UP_NS 50

void (*gomp_fold_batch_begins) (void);
void (*gomp_fold_batch_ends) (unsigned, const double *, const unsigned *,
			      const double *, unsigned);

/* The knowledge of a pool's teams of one size on the workers that are ALLOWED,
   and the batch that is being measured.  Only the last thread at a barrier and
   the thread that starts regions use it.  */
struct gomp_fold_moves
{
  struct gomp_fold_moves *next;
  const struct gomp_fold_allowed *allowed;
  struct gomp_fold_ranges *ranges;
  /* Its threads by place, once all have joined; CURRENT: a batch has begun with
     the present ranges.  */
  const struct gomp_fold_thread **thread;
  bool current;
  /* When the batch began, and how long it lasts at least, in ticks.  */
  unsigned long begin, length;
  /* Barriers since the batch began.  */
  unsigned barriers;
  /* By place: its id's stopwatch when the batch began, and the time since.  */
  unsigned long *watch;
  double *time;
};

static void
free_moves (struct gomp_fold_moves *moves)
{
  gomp_fold_free_ranges (moves->ranges);
  free (moves->watch);
  free (moves->time);
  free (moves->thread);
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
    fold->moves->current = false;
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
   ALLOWED, or that the process had at its start: there may be many sets of
   them, one after the other.  */

static void
forget_others (struct gomp_fold_pool *fold,
	       const struct gomp_fold_allowed *allowed)
{
  for (struct gomp_fold_moves **link = &fold->moves; *link != NULL;)
    {
      struct gomp_fold_moves *moves = *link;

      if (moves->allowed->kept || moves->allowed == allowed)
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
  double *speed = gomp_fold_known_speeds (fold, fold->crew.workers,
					  team->allowed);

  if (moves != NULL)
    {
      moves->allowed = team->allowed;
      moves->watch = malloc (team->ids * sizeof *moves->watch);
      moves->time = malloc (team->ids * sizeof *moves->time);
      moves->thread = malloc (team->ids * sizeof *moves->thread);
      if (speed != NULL)
	moves->ranges = gomp_fold_make_ranges (team->ids, fold->crew.workers,
					       speed, team->first);
      if (moves->watch == NULL || moves->time == NULL
	  || moves->thread == NULL || moves->ranges == NULL)
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

/* For how many ticks the worker that runs longest is to run in a batch of
   MOVES.  */

static inline unsigned long
least_ticks (const struct gomp_fold_moves *moves)
{
  return moves->ranges->learner.batch_ns / GOMP_FOLD_TICK_NS;
}

/* Begin a batch if all ids of FOLD's team have joined.  */

static void
begin_batch (struct gomp_fold_moves *moves, const struct gomp_fold_pool *fold)
{
  const struct gomp_fold_team *team = fold->team;

  moves->current = false;
  for (unsigned place = 0; place < team->ids; place++)
    {
      const struct gomp_fold_thread *thread
	= gomp_fold_find_thread (fold, team->order[place]);

      if (thread == NULL)
	return;
      moves->thread[place] = thread;
      moves->watch[place] = gomp_fold_read_stopwatch (&thread->stopwatch);
    }
  moves->current = true;
  moves->begin = gomp_fold_ticks ();
  moves->length = least_ticks (moves);
  moves->barriers = 0;
  if (__builtin_expect (gomp_fold_batch_begins != NULL, 0))
    gomp_fold_batch_begins ();
}

/* Store the times of the batch, in which ids were dealt as TEAM says.  Returns
   how long the worker that ran longest did, in ticks.  */

static unsigned long
measure (struct gomp_fold_moves *moves, const struct gomp_fold_team *team)
{
  unsigned long most = 0;

  for (unsigned w = 0; w < moves->ranges->learner.workers; w++)
    {
      unsigned long sum = 0;

      for (unsigned at = team->first[w]; at < team->first[w + 1]; at++)
	{
	  const struct gomp_fold_thread *thread = moves->thread[at];
	  unsigned long ticks
	    = gomp_fold_stopwatch_since (&thread->stopwatch, moves->watch[at]);

	  moves->time[at] = ticks;
	  sum += ticks;
	}
      if (sum > most)
	most = sum;
    }
  return most;
}

/* Whether the program has bound a thread of the team.  Others may be bound to
   the CPU that they are on, and must not leave it.  The watching thread will
   find out too.  */

static bool
bound_by_program (const struct gomp_fold_moves *moves)
{
  for (unsigned id = 0; id < moves->ranges->learner.ids; id++)
    if (gomp_fold_bound_elsewhere (moves->thread[id]))
      return true;
  return false;
}

/* The batch of MOVES has ended.  Returns whether there are better ranges.  */

static bool
learn (struct gomp_fold_moves *moves)
{
  for (unsigned id = 0; id < moves->ranges->learner.ids; id++)
    moves->time[id] /= moves->barriers;
  return gomp_fold_better_ranges (moves->ranges, moves->time,
				  (double) PICK_UP_NS / GOMP_FOLD_TICK_NS,
				  ((double) GOMP_FOLD_LEAST_NS
				   / GOMP_FOLD_TICK_NS / moves->barriers));
}

/* Workers take ids of others by what LEARNER knows of their speeds.  */

static void
note_speeds (struct gomp_fold_pool *fold,
	     const struct gomp_fold_learner *learner)
{
  for (unsigned w = 0; w < learner->workers; w++)
    {
      double speed = learner->speed[w] * (1 << 20);

      __atomic_store_n (&fold->crew.worker[w].speed,
			speed >= 1 ? (unsigned) speed : 1, __ATOMIC_RELAXED);
    }
}

/* What FOLD knows of its present team, TEAM.  NULL if memory is short.  */

static struct gomp_fold_moves *
present_moves (struct gomp_fold_pool *fold, const struct gomp_fold_team *team)
{
  struct gomp_fold_moves *moves = fold->moves;

  if (moves != NULL && moves->ranges->learner.ids == team->ids
      && moves->allowed == team->allowed)
    return moves;
  moves = find_moves (fold, team->ids, fold->crew.workers, team->allowed);
  if (moves == NULL)
    moves = make_moves (fold, team);
  if (moves == NULL)
    return NULL;
  moves->current = false;
  forget_others (fold, team->allowed);
  put_first (fold, moves);
  return moves;
}

/* All threads of FOLD's team, TEAM, are at a barrier.  Returns whether there
   are better ranges, those of FOLD's first moves.  */

static bool
find_better (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  struct gomp_fold_moves *moves = present_moves (fold, team);
  unsigned long ran;
  bool better;

  if (moves == NULL)
    return false;
  moves->barriers++;
  if (!moves->current)
    {
      begin_batch (moves, fold);
      return false;
    }
  if (gomp_fold_ticks () - moves->begin < moves->length)
    return false;
  ran = measure (moves, team);
  if (ran < least_ticks (moves))
    {
      /* The program did something else for the rest of the time.  */
      moves->length += least_ticks (moves) - ran;
      return false;
    }
  if (__builtin_expect (gomp_fold_batch_ends != NULL, 0))
    gomp_fold_batch_ends (fold->crew.workers, moves->ranges->learner.slow,
			  team->first, moves->time, GOMP_FOLD_TICK_NS);
  moves->current = false;
  better = learn (moves);
  note_speeds (fold, &moves->ranges->learner);
  if (!better)
    {
      begin_batch (moves, fold);
      return false;
    }
  if (bound_by_program (moves))
    {
      /* The learned ranges are not the team's.  */
      gomp_fold_free_moves (fold);
      return false;
    }
  return true;
}

void
gomp_fold_all_met (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = thr->amp_fold;
  struct gomp_fold_pool *fold;
  struct gomp_fold_team *team;

  if (thr->ts.level != 1 || me == NULL)
    return;
  fold = me->fold;
  if (gomp_fold_mode (fold) != GOMP_FOLD_CARRIED)
    return;
  gomp_fold_follow_now ();
  team = fold->team;
  if (team == NULL || team->ids != thr->ts.team->nthreads
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return;
  if (__builtin_expect (team->allowed != gomp_fold_allowed (), 0))
    {
      gomp_fold_end_batch (fold);
      gomp_fold_deal_anew (fold, team);
      return;
    }
  if (fold->width == GOMP_WIDTH_ALL && gomp_fold_measured_p (fold)
      && find_better (fold, team))
    gomp_fold_deal_team (fold, team, fold->moves->ranges->first,
			 team->allowed);
}
