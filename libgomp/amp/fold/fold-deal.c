/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which kernel thread and which worker carried ids are on.  */

#include "fold/fold-list.h"

void
gomp_fold_begin_id (struct gomp_fold_id *id)
{
  id->on = &id->own;
  id->own.run = id;
  id->list = NULL;
  id->home = false;
  __atomic_store_n (&id->own.of, NULL, __ATOMIC_RELAXED);
  __atomic_store_n (&id->own.word, GOMP_FOLD_RUNS, __ATOMIC_RELAXED);
}

void
gomp_fold_resign (struct gomp_fold_id *me)
{
  struct gomp_fold_worker *w = gomp_fold_lock_carried (me);

  if (w == NULL)
    return;
  gomp_fold_stop_carrying (w, me->on);
  gomp_fold_unlock_worker (w);
  gomp_fold_staff (w);
}

void
gomp_fold_go_home (struct gomp_fold_id *me)
{
  struct gomp_fold_carrier *c = me->on;
  struct gomp_fold_worker *w;
  struct gomp_fold_id *next;

  if (c == &me->own)
    return;
  me->home = true;
  w = gomp_fold_lock_carried (me);
  next = w != NULL ? gomp_fold_take_ready (w) : NULL;
  if (w != NULL && next == NULL && w->first != NULL)
    {
      next = w->first;
      gomp_fold_take_out (w, NULL, next);
    }
  if (w != NULL && next == NULL)
    gomp_fold_stop_carrying (w, c);
  if (w != NULL)
    gomp_fold_unlock_worker (w);
  if (next == NULL)
    next = __atomic_exchange_n (&c->wanted, NULL, __ATOMIC_SEQ_CST);
  if (next != NULL)
    gomp_fold_pick_up (me, next, c, NULL);
  else
    {
      gomp_fold_block_signals (c);
      gomp_fold_put_down (me, c, NULL);
    }
  me->home = false;
}

void
gomp_fold_vacate (struct gomp_fold_id *me)
{
  struct gomp_fold_carrier *c = me->on;
  struct gomp_fold_id *own;

  if (!gomp_fold_wanted_p (c))
    return;
  own = __atomic_exchange_n (&c->wanted, NULL, __ATOMIC_SEQ_CST);
  gomp_fold_pick_up (me, own, c, NULL);
}

void
gomp_fold_take_over (struct gomp_fold_id *me)
{
  struct gomp_fold_worker *w = gomp_fold_lock_carried (me), *to;
  struct gomp_fold_carrier *c = me->on;

  to = __atomic_load_n (&me->worker, __ATOMIC_RELAXED);
  if (w == to && w != NULL)
    {
      gomp_fold_unlock_worker (w);
      return;
    }
  if (w != NULL)
    {
      gomp_fold_stop_carrying (w, c);
      gomp_fold_unlock_worker (w);
      gomp_fold_staff (w);
    }
  to = gomp_fold_lock_dealt (me);
  /* gomp_fold_release may have passed it.  */
  if (!gomp_fold_carried_p (to->crew))
    {
      gomp_fold_unlock_worker (to);
      return;
    }
  gomp_fold_start_carrying (to, c);
  gomp_fold_unlock_worker (to);
  gomp_fold_place (c, to, false);
}

void
gomp_fold_deal (struct gomp_fold_id *id, struct gomp_fold_worker *to)
{
  struct gomp_fold_worker *from = __atomic_load_n (&id->worker,
						   __ATOMIC_RELAXED);
  bool down, wake;

  if (from == to)
    return;
  __atomic_store_n (&id->worker, to, __ATOMIC_RELAXED);
  if (from == NULL)
    return;
  gomp_fold_lock_worker (from);
  down = __atomic_load_n (&id->list, __ATOMIC_RELAXED) == from;
  if (down)
    gomp_fold_take_away (from, id);
  wake = !down && gomp_fold_call_carrier (from);
  gomp_fold_unlock_worker (from);
  if (wake)
    gomp_fold_wake (&from->word);
  if (!down)
    return;
  gomp_fold_lock_worker (to);
  gomp_fold_push_id (to, id);
  wake = gomp_fold_call_carrier (to);
  gomp_fold_unlock_worker (to);
  if (wake)
    gomp_fold_wake (&to->word);
  gomp_fold_staff (to);
  /* It was in no list for a moment, in which all others may have been
     released.  */
  if (!gomp_fold_carried_p (to->crew))
    gomp_fold_release (to->crew);
}

bool
gomp_fold_relieve (struct gomp_fold_worker *w)
{
  struct gomp_fold_carrier *c = NULL;
  struct gomp_fold_id *id;

  if (!gomp_fold_carried_p (w->crew) || !gomp_fold_try_worker (w))
    return false;
  id = gomp_fold_take_ready (w);
  if (id != NULL)
    {
      c = gomp_fold_choose_parked (w, id);
      if (c == NULL)
	gomp_fold_push_id (w, id);
    }
  if (c == NULL)
    {
      gomp_fold_unlock_worker (w);
      return false;
    }
  gomp_fold_start_carrying (w, c);
  __atomic_store_n (&w->early, w->early + 1, __ATOMIC_RELAXED);
  gomp_fold_unlock_worker (w);
  gomp_fold_place (c, w, true);
  gomp_fold_give_to (c, id);
  return true;
}

void
gomp_fold_release (struct gomp_fold_crew *crew)
{
  for (unsigned n = 0; n < crew->workers; n++)
    {
      struct gomp_fold_worker *w = &crew->worker[n];
      bool wake;

      gomp_fold_lock_worker (w);
      if (w->carrier != NULL)
	gomp_fold_stop_carrying (w, w->carrier);
      while (w->first != NULL)
	{
	  struct gomp_fold_carrier *c = gomp_fold_choose_parked (w, w->first);

	  if (c != NULL)
	    {
	      struct gomp_fold_id *id = w->first;

	      gomp_fold_take_out (w, NULL, id);
	      gomp_fold_give_to (c, id);
	    }
	  else
	    gomp_fold_relax ();
	}
      wake = gomp_fold_call_carrier (w);
      gomp_fold_unlock_worker (w);
      if (wake)
	gomp_fold_wake (&w->word);
    }
}
