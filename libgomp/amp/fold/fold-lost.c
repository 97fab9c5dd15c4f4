/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether ids wait or compute, and what that costs.  The rules are in
   fold-lost.h.  */

#include "fold/fold-lost.h"
#include <stddef.h>

/* The patience with a region of which nothing is known, and with one whose ids
   have made steps at KNOWN looks or were found to wait.  */
#define PATIENCE 5
#define LEAST_PATIENCE 2
#define KNOWN 8

/* The patience is in CPU time, as other processes may have the core.  But an id
   that yields it gets little of it, so in real time it is so many times as long
   at most.  */
#define LEAST_SHARE 8

/* The patience is so many times as long as an id computed at most.  */
#define TIMES 3

/* A region that computes is taken for one that waits only if so many of its
   trials are long and exceed all short ones by half, and none of those between
   them ends unaided.  */
#define LONG_TRIALS 3

/* 10 s; and the least loss that counts.  */
#define WINDOW 500
#define LEAST_LOST 5

void
gomp_fold_note_look (struct gomp_fold_lost *lost, bool moved)
{
  lost->looks++;
  lost->moved += moved;
  if (lost->looks < WINDOW)
    return;
  lost->looks /= 2;
  lost->moved /= 2;
  lost->slept /= 2;
  lost->held /= 2;
  /* A region may compute for long once only.  But to find out what is known
     costs a rescue, by which ids run beside the carriers.  */
  lost->longest -= (lost->longest + 31) / 32;
}

static unsigned
patience_with (const struct gomp_fold_lost *lost)
{
  unsigned least = (lost->waits || lost->moved >= KNOWN ? LEAST_PATIENCE
		    : PATIENCE);

  return lost->longest * TIMES > least ? lost->longest * TIMES : least;
}

static bool
toss (void)
{
  static unsigned seed = 1;

  seed = seed * 1103515245 + 12345;
  return seed >> 16 & 1;
}

static void
begin_trial (struct gomp_fold_trial *trial, struct gomp_fold_lost *lost,
	     const struct gomp_fold_hold *id)
{
  *trial = (struct gomp_fold_trial)
    {
      .of = lost,
      .id = *id,
      .at = __atomic_load_n (id->steps, __ATOMIC_RELAXED),
      .longer = (lost->short_looks != 0
		 && (lost->long_trials == 0 || toss ()))
    };
}

static inline unsigned
larger (unsigned one, unsigned other)
{
  return one > other ? one : other;
}

void
gomp_fold_look_at_trial (struct gomp_fold_trial *trial,
			 unsigned long long now_ns)
{
  struct gomp_fold_lost *lost = trial->of;
  unsigned cpu = (now_ns - trial->id.since_ns) / GOMP_FOLD_LOOK_NS;

  trial->id.looks++;
  /* Its thread may have gone on in the meantime.  */
  trial->id.cpu = cpu > trial->id.cpu ? trial->id.cpu + 1 : cpu;
  /* Relaxed: how often it changed is all that counts.  */
  if (__atomic_load_n (trial->id.steps, __ATOMIC_RELAXED) == trial->at)
    return;
  trial->of = NULL;
  if (!trial->rescued)
    {
      lost->longest = larger (lost->longest, trial->id.looks);
      lost->short_looks = lost->short_cpu = lost->short_after = 0;
      lost->long_trials = lost->held = 0;
    }
  /* One that takes much longer after the rescue than others did has more to do
     than they had.  */
  else if (trial->longer
	   && (trial->id.looks - trial->rescued_at
	       <= lost->short_after * 2 + 2))
    lost->waits |= ++lost->long_trials == LONG_TRIALS;
  else
    {
      lost->short_after = larger (lost->short_after,
				  trial->id.looks - trial->rescued_at);
      lost->short_looks = larger (lost->short_looks, trial->id.looks);
      lost->short_cpu = larger (lost->short_cpu, trial->id.cpu);
    }
}

/* Whether ID is held for half as long again as in any short trial of LOST.  */

static bool
longer_than_any (const struct gomp_fold_lost *lost,
		 const struct gomp_fold_hold *id)
{
  unsigned looks = lost->short_looks * 3 / 2;

  return (id->looks > looks
	  && (id->cpu > lost->short_cpu * 3 / 2
	      || id->looks > looks * LEAST_SHARE));
}

bool
gomp_fold_held (struct gomp_fold_trial *trial, struct gomp_fold_lost *lost,
		const struct gomp_fold_hold *id, bool unaided)
{
  unsigned patience = patience_with (lost);

  if (id->cpu < patience && id->looks < patience * LEAST_SHARE)
    return false;
  if (trial->of != lost)
    trial->of = NULL;
  if (trial->of == NULL && unaided && !lost->waits)
    begin_trial (trial, lost, id);
  /* The id of a trial has mostly been held for longer than others.  */
  return (trial->of == NULL || trial->rescued || !trial->longer
	  || longer_than_any (lost, id));
}

void
gomp_fold_note_rescue (struct gomp_fold_trial *trial,
		       struct gomp_fold_lost *lost,
		       const struct gomp_fold_hold *id, bool any)
{
  if (any)
    {
      if (!trial->rescued)
	trial->rescued_at = trial->id.looks;
      trial->rescued = true;
      lost->held += id->looks;
    }
  else if (!trial->rescued)
    trial->of = NULL;
}

bool
gomp_fold_loses (const struct gomp_fold_lost *lost)
{
  unsigned looks = lost->slept + (lost->waits ? lost->held : 0);

  return looks >= LEAST_LOST && looks * 10 > lost->looks;
}
