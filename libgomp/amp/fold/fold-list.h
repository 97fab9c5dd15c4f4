/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lists of ids that are down, and their locks; for fold-carry.c,
   fold-pick-up.c and fold-deal.c only, whose rules are in fold-carry.h.  */

#ifndef GOMP_AMP_FOLD_LIST_H
#define GOMP_AMP_FOLD_LIST_H 1

#include "base/assert.h"
#include "fold/fold-carry.h"
#include "fold/fold-kernel.h"
#include "fold/fold-park.h"

#pragma GCC visibility push(hidden)

/* Lock W, or return false if that is not possible at once.  */

static inline bool
gomp_fold_try_worker (struct gomp_fold_worker *w)
{
  return (!__atomic_load_n (&w->lock, __ATOMIC_RELAXED)
	  && !__atomic_exchange_n (&w->lock, 1, __ATOMIC_ACQUIRE));
}

/* Lock W.  */

static inline void
gomp_fold_lock_worker (struct gomp_fold_worker *w)
{
  for (unsigned tries = 1; !gomp_fold_try_worker (w); tries++)
    /* Its holder may wait for this CPU.  */
    if (tries % 64 == 0)
      gomp_fold_yield_cpu ();
    else
      gomp_fold_relax ();
}

/* Unlock W.  */

static inline void
gomp_fold_unlock_worker (struct gomp_fold_worker *w)
{
  __atomic_store_n (&w->lock, 0, __ATOMIC_RELEASE);
}

/* Whether any kernel thread holds W's lock.  */

static inline bool
gomp_fold_locked_p (const struct gomp_fold_worker *w)
{
  return __atomic_load_n (&w->lock, __ATOMIC_RELAXED) != 0;
}

/* Whether the ids of CREW are carried.  */

static inline bool
gomp_fold_carried_p (const struct gomp_fold_crew *crew)
{
  return __atomic_load_n (&crew->mode, __ATOMIC_ACQUIRE) == GOMP_FOLD_CARRIED;
}

/* Put ID at the end of W's list.  W is locked, as in all that follows.  */

static inline void
gomp_fold_push_id (struct gomp_fold_worker *w, struct gomp_fold_id *id)
{
  GOMP_AMP_ASSERT (gomp_fold_locked_p (w) && id->list == NULL);
  id->next = NULL;
  /* Relaxed: gomp_fold_deal looks under the lock of another list.  */
  __atomic_store_n (&id->list, w, __ATOMIC_RELAXED);
  if (w->first == NULL)
    /* Relaxed: read without the lock too, as a hint.  */
    __atomic_store_n (&w->first, id, __ATOMIC_RELAXED);
  else
    w->last->next = id;
  w->last = id;
}

/* Take ID, which is behind BEFORE or the first one, out of W's list.  */

static inline void
gomp_fold_take_out (struct gomp_fold_worker *w, struct gomp_fold_id *before,
		    struct gomp_fold_id *id)
{
  GOMP_AMP_ASSERT (gomp_fold_locked_p (w) && id->list == w);
  if (before != NULL)
    before->next = id->next;
  else
    __atomic_store_n (&w->first, id->next, __ATOMIC_RELAXED);
  if (w->last == id)
    w->last = before;
  __atomic_store_n (&id->list, NULL, __ATOMIC_RELAXED);
}

/* Take ID out of W's list.  */

static inline void
gomp_fold_take_away (struct gomp_fold_worker *w, struct gomp_fold_id *id)
{
  struct gomp_fold_id *before = NULL;

  for (struct gomp_fold_id *at = w->first; at != id; at = at->next)
    before = at;
  gomp_fold_take_out (w, before, id);
}

/* Whether ID, which waits, can go on.  Relaxed: its code looks again.  */

static inline bool
gomp_fold_can_go_on (const struct gomp_fold_id *id)
{
  return (id->way == GOMP_FOLD_YIELD
	  || __atomic_load_n (id->addr, __ATOMIC_RELAXED) != id->val);
}

/* Take the first id of W that can go on out of its list.  NULL if there is
   none.  */

static inline struct gomp_fold_id *
gomp_fold_take_ready (struct gomp_fold_worker *w)
{
  struct gomp_fold_id *before = NULL;

  for (struct gomp_fold_id *id = w->first; id != NULL; id = id->next)
    {
      if (gomp_fold_can_go_on (id))
	{
	  gomp_fold_take_out (w, before, id);
	  return id;
	}
      before = id;
    }
  return NULL;
}

/* There is something new for W's carrier, if it sleeps.  Under W's lock; wake
   it by gomp_fold_wake (&W->word) afterwards if this returns true.  */

static inline bool
gomp_fold_call_carrier (struct gomp_fold_worker *w)
{
  if (!w->asleep)
    return false;
  __atomic_fetch_add (&w->word, 1, __ATOMIC_RELEASE);
  return true;
}

/* C, a kernel thread that holds the lock of the worker W that it carries for,
   does so no longer.  */

static inline void
gomp_fold_stop_carrying (struct gomp_fold_worker *w,
			 struct gomp_fold_carrier *c)
{
  /* Relaxed, as below: the watching thread reads it without the lock.  */
  __atomic_store_n (&w->carrier, NULL, __ATOMIC_RELAXED);
  __atomic_store_n (&c->of, NULL, __ATOMIC_RELAXED);
}

/* C, which is awake, carries for W, whose lock is held, instead of the kernel
   thread that does: if that one sleeps it is woken, since it is loose then.  */

static inline void
gomp_fold_start_carrying (struct gomp_fold_worker *w,
			  struct gomp_fold_carrier *c)
{
  if (gomp_fold_call_carrier (w))
    gomp_fold_wake (&w->word);
  __atomic_store_n (&w->asleep, false, __ATOMIC_RELAXED);
  if (w->carrier != NULL)
    __atomic_store_n (&w->carrier->of, NULL, __ATOMIC_RELAXED);
  __atomic_store_n (&w->carrier, c, __ATOMIC_RELAXED);
  __atomic_store_n (&c->of, w, __ATOMIC_RELAXED);
}

/* Lock the worker that ME is dealt to, and return it.  */

static inline struct gomp_fold_worker *
gomp_fold_lock_dealt (const struct gomp_fold_id *me)
{
  for (;;)
    {
      struct gomp_fold_worker *w = __atomic_load_n (&me->worker,
						    __ATOMIC_RELAXED);

      gomp_fold_lock_worker (w);
      if (w == __atomic_load_n (&me->worker, __ATOMIC_RELAXED))
	return w;
      gomp_fold_unlock_worker (w);
    }
}

/* The worker that the kernel thread of ME carries for, with its lock; NULL if
   it is loose.  */

static inline struct gomp_fold_worker *
gomp_fold_lock_carried (const struct gomp_fold_id *me)
{
  struct gomp_fold_carrier *c = me->on;

  for (;;)
    {
      struct gomp_fold_worker *w = __atomic_load_n (&c->of, __ATOMIC_RELAXED);

      if (__builtin_expect (w == NULL, 0))
	return NULL;
      gomp_fold_lock_worker (w);
      if (__builtin_expect (w->carrier == c, 1))
	return w;
      gomp_fold_unlock_worker (w);
    }
}

/* Whether the id that C was made for waits for it.  */

static inline bool
gomp_fold_wanted_p (const struct gomp_fold_carrier *c)
{
  return (__builtin_expect (__atomic_load_n (&c->wanted, __ATOMIC_RELAXED)
			    != NULL, 0));
}

/* Of functions that a parked kernel thread calls.  ThreadSanitizer goes by the
   thread pointer, and would take it for the id that it was made for.  */
#define GOMP_FOLD_PARKED_CALLS __attribute__ ((no_sanitize ("thread")))

/* C, which is GOMP_FOLD_CHOSEN, is given ID.  */
extern void gomp_fold_give_to (struct gomp_fold_carrier *c,
			       struct gomp_fold_id *id);

/* Have a parked kernel thread carry for W if none does and W's list is not
   empty (rule 6).  */
extern void gomp_fold_staff (struct gomp_fold_worker *w);

/* The calling kernel thread C, which has run ME, runs TO from now on.  The lock
   of LOCKED, in whose list ME is, is held; NULL if ME goes home or strays.
   Returns when ME is picked up.  */
extern void gomp_fold_pick_up (struct gomp_fold_id *me,
			       struct gomp_fold_id *to,
			       struct gomp_fold_carrier *c,
			       struct gomp_fold_worker *locked);

/* The same, but C parks.  */
extern void gomp_fold_put_down (struct gomp_fold_id *me,
				struct gomp_fold_carrier *c,
				struct gomp_fold_worker *locked);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_LIST_H */
