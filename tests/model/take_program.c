/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "take_program.h"

struct take_world take_world;
struct gomp_fold_dealt take_dealt[TAKE_REGIONS];

/* How often the other thread looks for ids.  */
enum { LOOKS = 2 };

/* The calling thread has taken ID.  It reads only now what the region is.  */

static void
run (unsigned id)
{
  take_world.done[take_world.region][id]++;
}

static void
count_in (unsigned count)
{
  if (count != 0)
    __atomic_fetch_add (&take_world.awaited, -count, __ATOMIC_RELEASE);
}

/* Run ids as worker ME until there are none.  */

static void
serve (unsigned me)
{
  unsigned id;

  do
    {
      /* A slow worker's id ends later than two of a fast one.  */
      id = gomp_fold_take (&take_world.shares, me, 10);
      if (id < GOMP_FOLD_LATER)
	run (id);
      else
	count_in (gomp_fold_count_in (&take_world.share[me], 10));
    }
  while (id != GOMP_FOLD_NO_ID);
}

void
take_home (void)
{
  struct take_world *w = &take_world;

  for (int region = 0; region < w->regions; region++)
    {
      struct gomp_fold_dealt *dealt = &take_dealt[region];

      w->region = region;
      __atomic_store_n (&w->awaited, TAKE_IDS, __ATOMIC_RELAXED);
      gomp_fold_hand_out (&w->shares, dealt, 0, 10);
      gomp_fold_run_first (&w->shares, 0, 10);
      run (0);
      serve (0);
      for (int i = 0; i < TAKE_WORKERS; i++)
	w->left |= gomp_fold_has_ids (__atomic_load_n (&w->share[i].word,
						       __ATOMIC_RELAXED));
      while (__atomic_load_n (&w->awaited, __ATOMIC_ACQUIRE) != 0)
	;
      /* As gomp_fold_note does.  */
      for (int i = 0; i < TAKE_WORKERS; i++)
	w->share[i].last_ns += w->share[i].ran;
      if (dealt->timed)
	for (int at = 0; at < TAKE_IDS; at++)
	  dealt->times[at].ns = 0;
    }
}

void
take_other (void)
{
  for (int look = 0; look < LOOKS; look++)
    serve (1);
}

void
take_rescue (void)
{
  unsigned first, end;

  gomp_fold_take_all (&take_world.share[0], &first, &end);
  for (unsigned at = first; at < end; at++)
    run (gomp_fold_id_at (&take_world.shares, at));
  count_in (end - first);
}

void
take_revoke (void)
{
  for (int i = 0; i < TAKE_WORKERS; i++)
    gomp_fold_revoke_share (&take_world.share[i], true);
  gomp_fold_revoke_share (&take_world.share[1], false);
}
