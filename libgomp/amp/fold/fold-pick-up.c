/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Puts ids down and picks them up: the steps around a switch.  */

#include "fold/fold-list.h"

/* gomp_fold_give_to.  */

static void GOMP_FOLD_PARKED_CALLS
give (struct gomp_fold_carrier *c, struct gomp_fold_id *id)
{
  GOMP_AMP_ASSERT (__atomic_load_n (&c->word, __ATOMIC_RELAXED)
		   == GOMP_FOLD_CHOSEN && id->list == NULL);
  c->given = id;
  __atomic_store_n (&c->word, GOMP_FOLD_GIVEN, __ATOMIC_RELEASE);
  gomp_fold_wake_carrier (c);
}

void
gomp_fold_give_to (struct gomp_fold_carrier *c, struct gomp_fold_id *id)
{
#ifdef __SANITIZE_THREAD__
  /* It does not see the other release.  */
  __atomic_store_n (&c->word, GOMP_FOLD_CHOSEN, __ATOMIC_RELEASE);
#endif
  give (c, id);
}

void
gomp_fold_staff (struct gomp_fold_worker *w)
{
  struct gomp_fold_carrier *c = NULL;
  struct gomp_fold_id *id = NULL;

  while (c == NULL)
    {
      gomp_fold_lock_worker (w);
      if (w->carrier != NULL || w->first == NULL
	  || !gomp_fold_carried_p (w->crew))
	{
	  gomp_fold_unlock_worker (w);
	  return;
	}
      c = gomp_fold_choose_parked (w, w->first);
      if (c != NULL)
	{
	  id = gomp_fold_take_ready (w);
	  if (id == NULL)
	    {
	      id = w->first;
	      gomp_fold_take_out (w, NULL, id);
	    }
	  gomp_fold_start_carrying (w, c);
	}
      gomp_fold_unlock_worker (w);
      /* One is about to park (rule 5).  */
      if (c == NULL)
	gomp_fold_relax ();
    }
  gomp_fold_place (c, w, false);
  gomp_fold_give_to (c, id);
}

/* ID, which was put down for its own kernel thread alone, is given to that.  */

static void GOMP_FOLD_PARKED_CALLS
send_home (struct gomp_fold_id *id)
{
  struct gomp_fold_carrier *own = &id->own;
  struct gomp_fold_worker *w;
  int parked = GOMP_FOLD_PARKED;

  __atomic_store_n (&own->wanted, id, __ATOMIC_SEQ_CST);
  if (__atomic_compare_exchange_n (&own->word, &parked, GOMP_FOLD_CHOSEN, false,
				   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    {
      __atomic_store_n (&own->wanted, NULL, __ATOMIC_RELAXED);
      give (own, id);
      return;
    }
  /* It runs another id, and may sleep for that or for its worker.  Without the
     worker's lock: its carrier may hold that while it picks up ID, which where
     ids keep their kernel threads is who calls this.  */
  __atomic_fetch_add (&own->calls, 1, __ATOMIC_SEQ_CST);
  gomp_fold_wake (&own->calls);
  w = __atomic_load_n (&own->of, __ATOMIC_SEQ_CST);
  if (w == NULL || !__atomic_load_n (&w->asleep, __ATOMIC_SEQ_CST))
    return;
  __atomic_fetch_add (&w->word, 1, __ATOMIC_RELEASE);
  gomp_fold_wake (&w->word);
}

void GOMP_FOLD_PARKED_CALLS
gomp_fold_picked_up (struct gomp_fold_carrier *c)
{
  struct gomp_fold_worker *w;
  struct gomp_fold_id *left;

  w = c->locked;
  left = c->left;
  if (__builtin_expect (w != NULL, 1))
    {
      /* LEFT is in W's list, and may be picked up from now on.  */
      c->locked = NULL;
      __atomic_store_n (&w->lock, 0, __ATOMIC_RELEASE);
      return;
    }
  if (left == NULL)
    return;
  c->left = NULL;
  if (left->home)
    send_home (left);
  else
    {
      struct gomp_fold_carrier *other;

      /* One is about to park (rule 5).  */
      while ((other = gomp_fold_choose_parked (left->worker, left)) == NULL)
	gomp_fold_relax ();
      gomp_fold_give_to (other, left);
    }
}

struct gomp_fold_id * GOMP_FOLD_PARKED_CALLS
gomp_fold_park (struct gomp_fold_carrier *c)
{
  int parked = GOMP_FOLD_PARKED;

  __atomic_store_n (&c->run, NULL, __ATOMIC_RELAXED);
  __atomic_store_n (&c->word, GOMP_FOLD_PARKED, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&c->wanted, __ATOMIC_SEQ_CST) == NULL
      || !__atomic_compare_exchange_n (&c->word, &parked, GOMP_FOLD_RUNS,
				       false, __ATOMIC_SEQ_CST,
				       __ATOMIC_SEQ_CST))
    return NULL;
  return __atomic_exchange_n (&c->wanted, NULL, __ATOMIC_SEQ_CST);
}

struct gomp_fold_id * GOMP_FOLD_PARKED_CALLS
gomp_fold_take_given (struct gomp_fold_carrier *c)
{
  if (__atomic_load_n (&c->word, __ATOMIC_ACQUIRE) != GOMP_FOLD_GIVEN)
    return NULL;
  __atomic_store_n (&c->word, GOMP_FOLD_RUNS, __ATOMIC_RELEASE);
  return c->given;
}

/* ME, the calling id, was picked up.  */

static inline void
go_on (struct gomp_fold_id *me)
{
  struct gomp_fold_carrier *c = __atomic_load_n (&me->on, __ATOMIC_ACQUIRE);

  gomp_fold_picked_up (c);
  /* Acquire what the context did that was put down, which a tool that goes by
     the thread pointer takes for another thread.  */
  __atomic_load_n (&c->word, __ATOMIC_ACQUIRE);
  if (c != &me->own)
    gomp_fold_note_carried (me);
  if (__builtin_expect (c->masked, 0))
    gomp_fold_unblock_signals (c);
}

/* ME, the calling id, is about to be put down by C.  LOCKED as below.  */

static inline void
leave (struct gomp_fold_id *me, struct gomp_fold_carrier *c,
       struct gomp_fold_worker *locked)
{
  if (locked != NULL)
    c->locked = locked;
  else
    c->left = me;
#ifdef __SANITIZE_THREAD__
  /* What releases the lock, or calls who waits for ME, may not be seen.  */
  if (locked != NULL)
    __atomic_store_n (&locked->lock, 1, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add ((size_t *) &me->own.wanted, 0, __ATOMIC_RELEASE);
#endif
}

void
gomp_fold_pick_up (struct gomp_fold_id *me, struct gomp_fold_id *to,
		   struct gomp_fold_carrier *c,
		   struct gomp_fold_worker *locked)
{
  leave (me, c, locked);
  __atomic_store_n (&c->run, to, __ATOMIC_RELAXED);
  __atomic_store_n (&c->word, GOMP_FOLD_RUNS, __ATOMIC_RELEASE);
  __atomic_store_n (&to->on, c, __ATOMIC_RELEASE);
  gomp_fold_change (me, to, c);
  go_on (me);
}

void
gomp_fold_put_down (struct gomp_fold_id *me, struct gomp_fold_carrier *c,
		    struct gomp_fold_worker *locked)
{
  leave (me, c, locked);
  __atomic_store_n (&c->word, GOMP_FOLD_RUNS, __ATOMIC_RELEASE);
  gomp_fold_leave (me, c);
  go_on (me);
}
