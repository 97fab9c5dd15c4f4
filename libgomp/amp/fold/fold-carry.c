/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How carried ids wait.  */

#include "fold/fold-list.h"

/* Take the first id of W that waits by GOMP_FOLD_SPIN out of its list: its wait
   times out.  NULL if there is none.  */

static struct gomp_fold_id *
take_spinning (struct gomp_fold_worker *w)
{
  struct gomp_fold_id *id = w->first;

  while (id != NULL && id->way != GOMP_FOLD_SPIN)
    id = id->next;
  if (id != NULL)
    {
      gomp_fold_take_away (w, id);
      id->timed_out = true;
    }
  return id;
}

/* The kernel thread of ME is wanted by the id that it was made for: change to
   that.  W, whose lock is held, is ME's worker, for which the kernel thread
   goes on to carry.  */

static void
change_to_wanted (struct gomp_fold_id *me, struct gomp_fold_worker *w)
{
  struct gomp_fold_carrier *c = me->on;
  struct gomp_fold_id *own = __atomic_exchange_n (&c->wanted, NULL,
						  __ATOMIC_SEQ_CST);

  gomp_fold_push_id (w, me);
  gomp_fold_pick_up (me, own, c, w);
}

/* ME waits, and its kernel thread is loose: let that carry for ME's worker if
   no other one does, and otherwise put ME down and park; nothing of that if ids
   are not carried any more, as gomp_fold_release may have passed the worker.
   Returns whether ME was put down.  */

static bool
settle (struct gomp_fold_id *me)
{
  struct gomp_fold_carrier *c = me->on;
  struct gomp_fold_worker *w;

  w = gomp_fold_lock_dealt (me);
  if (!gomp_fold_carried_p (w->crew))
    {
      gomp_fold_unlock_worker (w);
      return false;
    }
  if (w->carrier == NULL || gomp_fold_wanted_p (c)
      || (me->leads && c == &me->own))
    {
      gomp_fold_start_carrying (w, c);
      gomp_fold_unlock_worker (w);
      gomp_fold_place (c, w, false);
      return false;
    }
  gomp_fold_unlock_worker (w);
  gomp_fold_block_signals (c);
  w = gomp_fold_lock_dealt (me);
  if (w->carrier == NULL || !gomp_fold_carried_p (w->crew))
    {
      bool carries = gomp_fold_carried_p (w->crew);

      if (carries)
	gomp_fold_start_carrying (w, c);
      gomp_fold_unlock_worker (w);
      gomp_fold_unblock_signals (c);
      if (carries)
	gomp_fold_place (c, w, false);
      return false;
    }
  gomp_fold_push_id (w, me);
  if (gomp_fold_call_carrier (w))
    gomp_fold_wake (&w->word);
  gomp_fold_put_down (me, c, w);
  return true;
}

/* ME is dealt to another worker than W, whose lock is held, and which its
   kernel thread C carries for.  Put ME down there and pick up NEXT, which was
   taken out of W's list, or any other id of W if NEXT is NULL.  If there is
   none C is loose.  Releases W.  Returns whether ME was put down.  */

static bool
move (struct gomp_fold_id *me, struct gomp_fold_worker *w,
      struct gomp_fold_carrier *c, struct gomp_fold_id *next)
{
  struct gomp_fold_worker *to = __atomic_load_n (&me->worker,
						 __ATOMIC_RELAXED);

  if (next == NULL && w->first == NULL)
    {
      gomp_fold_stop_carrying (w, c);
      gomp_fold_unlock_worker (w);
      return false;
    }
  /* Its carrier may hold its lock and wait for ours.  */
  if (to == w || !gomp_fold_try_worker (to))
    {
      if (next != NULL)
	gomp_fold_push_id (w, next);
      gomp_fold_unlock_worker (w);
      return false;
    }
  if (to->carrier == NULL)
    {
      gomp_fold_unlock_worker (to);
      /* It has nothing to run: C goes there, and another one comes here.  */
      if (next != NULL)
	gomp_fold_push_id (w, next);
      gomp_fold_stop_carrying (w, c);
      gomp_fold_unlock_worker (w);
      gomp_fold_staff (w);
      return false;
    }
  if (next == NULL)
    {
      next = w->first;
      gomp_fold_take_out (w, NULL, next);
    }
  __atomic_store_n (&w->switches, w->switches + 1, __ATOMIC_RELAXED);
  gomp_fold_unlock_worker (w);
  gomp_fold_push_id (to, me);
  if (gomp_fold_call_carrier (to))
    gomp_fold_wake (&to->word);
  gomp_fold_pick_up (me, next, c, to);
  return true;
}

/* How many words W's carrier, which runs ME, can sleep on: its own, ME's, and
   those of the ids in its list.  Store them in LIST.  Under W's lock.  */

static unsigned
list_words (const struct gomp_fold_worker *w, const struct gomp_fold_id *me,
	    struct gomp_fold_word *list, bool *all)
{
  unsigned n = 0;

  list[n++] = (struct gomp_fold_word)
    { (int *) &w->word, __atomic_load_n (&w->word, __ATOMIC_RELAXED) };
  list[n++] = (struct gomp_fold_word) { me->addr, me->val };
  *all = true;
  for (const struct gomp_fold_id *id = w->first; id != NULL; id = id->next)
    {
      unsigned at = 0;

      /* Most wait for the same barrier.  */
      while (at < n && list[at].addr != id->addr)
	at++;
      if (at < n)
	continue;
      if (n == GOMP_FOLD_MAX_WORDS)
	{
	  *all = false;
	  break;
	}
      list[n++] = (struct gomp_fold_word) { id->addr, id->val };
    }
  return n;
}

/* The carrier of W, whose lock is held, slept, and has found NEXT, or its own
   id ME: wake others for what it was woken for too (rule 9).  */

static void
pass_wakes (const struct gomp_fold_worker *w, const int *addr)
{
  for (const struct gomp_fold_id *id = w->first; id != NULL; id = id->next)
    if (id->way == GOMP_FOLD_SLEEP && id->addr != addr
	&& gomp_fold_can_go_on (id))
      gomp_fold_wake (id->addr);
}

/* Sleep as W's carrier, which runs ME; the lock of W is held, and is released.
   Returns true if ME's wait is to time out instead.  */

static bool
sleep_carrying (struct gomp_fold_worker *w, struct gomp_fold_id *me)
{
  struct gomp_fold_word list[GOMP_FOLD_MAX_WORDS];
  unsigned count;
  bool all;

  if (me->way == GOMP_FOLD_SPIN)
    {
      gomp_fold_unlock_worker (w);
      return true;
    }
  count = list_words (w, me, list, &all);
  __atomic_store_n (&w->asleep, true, __ATOMIC_SEQ_CST);
  gomp_fold_unlock_worker (w);
  /* What else ends the sleep may have come before ASLEEP was set.  */
  if (gomp_fold_carried_p (w->crew)
      && __atomic_load_n (&me->on->wanted, __ATOMIC_SEQ_CST) == NULL
      && __atomic_load_n (&me->on->of, __ATOMIC_RELAXED) == w)
    gomp_fold_sleep_any (list, count, !all);
  gomp_fold_lock_worker (w);
  /* Of another carrier it says nothing.  Relaxed: who reads it without the lock
     wakes once too often at most.  */
  if (w->carrier == me->on)
    __atomic_store_n (&w->asleep, false, __ATOMIC_RELAXED);
  pass_wakes (w, me->addr);
  gomp_fold_unlock_worker (w);
  return false;
}

/* A carrier without an id to run looks at another worker at each such look,
   some 30 us after the last one: an id that runs elsewhere in a shorter region
   loses more by its cold caches than it gains.  */
#define STEAL_LOOKS 1024

/* How many ids of W, whose lock is held, can go on.  */

static inline unsigned
count_ready (const struct gomp_fold_worker *w)
{
  unsigned n = 0;

  for (const struct gomp_fold_id *id = w->first; id != NULL; id = id->next)
    n += gomp_fold_can_go_on (id);
  return n;
}

/* W's carrier has nothing to run.  Returns an id that it takes from another
   worker, or NULL.  W is not locked: who waits for a lock must not hold
   one.  */

static struct gomp_fold_id *
steal (struct gomp_fold_worker *w)
{
  const struct gomp_fold_crew *crew = w->crew;
  struct gomp_fold_worker *v = &crew->worker[w->victim];
  unsigned switches = __atomic_load_n (&v->switches, __ATOMIC_RELAXED);
  bool stays = switches == w->victim_switches;
  struct gomp_fold_id *id = NULL;

  w->victim_switches = switches;
  if (v != w && stays && __atomic_load_n (&v->first, __ATOMIC_RELAXED) != NULL
      && gomp_fold_try_worker (v))
    {
      /* Its carrier is in the midst of an id, and the last one that waits has
	 all others before it.  */
      if (!v->asleep && v->carrier != NULL
	  && ((2ULL * count_ready (v) + 1)
	      * __atomic_load_n (&w->speed, __ATOMIC_RELAXED)
	      > 2ULL * __atomic_load_n (&v->speed, __ATOMIC_RELAXED)))
	id = gomp_fold_take_ready (v);
      gomp_fold_unlock_worker (v);
    }
  if (id == NULL && (stays || v->first == NULL))
    {
      w->victim = (w->victim + 1) % crew->workers;
      w->victim_switches
	= __atomic_load_n (&crew->worker[w->victim].switches,
			   __ATOMIC_RELAXED);
    }
  return id;
}

/* W's carrier runs ME, which waits, and has nothing else to run: have it run
   an id of another worker if there is one for it.  Returns whether ME was put
   down.  */

static bool
help (struct gomp_fold_id *me)
{
  struct gomp_fold_carrier *c = me->on;
  struct gomp_fold_worker *w = __atomic_load_n (&c->of, __ATOMIC_RELAXED);
  struct gomp_fold_id *next;

  if (w == NULL || w->crew->workers == 1)
    return false;
  next = steal (w);
  if (next == NULL)
    return false;
  w = gomp_fold_lock_dealt (me);
  if (w->carrier != c)
    {
      /* It carries for W no longer: NEXT goes back.  */
      gomp_fold_unlock_worker (w);
      w = gomp_fold_lock_dealt (next);
      gomp_fold_push_id (w, next);
      if (gomp_fold_call_carrier (w))
	gomp_fold_wake (&w->word);
      gomp_fold_unlock_worker (w);
      gomp_fold_staff (w);
      /* It was in no list for a moment, in which all others may have been
	 released.  */
      if (!gomp_fold_carried_p (w->crew))
	gomp_fold_release (w->crew);
      return false;
    }
  gomp_fold_push_id (w, me);
  __atomic_store_n (&w->switches, w->switches + 1, __ATOMIC_RELAXED);
  gomp_fold_pick_up (me, next, c, w);
  return true;
}

/* One step of a wait.  */
enum step
{
  /* ME's wait is over.  */
  DONE,
  /* ME was put down, and is picked up again.  */
  WAS_DOWN,
  /* There is nothing to run.  */
  IDLE,
  /* There was nothing to run, and its kernel thread slept.  */
  SLEPT
};

/* ME waits: see to its kernel thread, and have it run another id if one can
   go on.  LOOKS: how often it is to look before it sleeps.  */

static inline enum step
take_step (struct gomp_fold_id *me, unsigned long long looks)
{
  struct gomp_fold_worker *w = gomp_fold_lock_carried (me);
  struct gomp_fold_carrier *c = me->on;
  struct gomp_fold_id *next;

  if (__builtin_expect (w == NULL, 0))
    return settle (me) ? WAS_DOWN : IDLE;
  if (gomp_fold_wanted_p (c)
      && __atomic_load_n (&me->worker, __ATOMIC_RELAXED) == w)
    {
      change_to_wanted (me, w);
      return WAS_DOWN;
    }
  next = gomp_fold_take_ready (w);
  if (next == NULL && looks == 0 && me->way != GOMP_FOLD_YIELD)
    next = take_spinning (w);
  if (__builtin_expect (__atomic_load_n (&me->worker, __ATOMIC_RELAXED) != w,
			0))
    {
      if (me->leads && c == &me->own)
	{
	  if (next != NULL)
	    gomp_fold_push_id (w, next);
	  gomp_fold_unlock_worker (w);
	  gomp_fold_take_over (me);
	  return IDLE;
	}
      return move (me, w, c, next) ? WAS_DOWN : IDLE;
    }
  if (next != NULL)
    {
      __atomic_store_n (&w->switches, w->switches + 1, __ATOMIC_RELAXED);
      gomp_fold_push_id (w, me);
      gomp_fold_pick_up (me, next, c, w);
      return WAS_DOWN;
    }
  if (looks != 0 || me->way == GOMP_FOLD_YIELD)
    {
      gomp_fold_unlock_worker (w);
      return IDLE;
    }
  return sleep_carrying (w, me) ? DONE : SLEPT;
}

/* Whether ME's kernel thread has nothing to do but to look at ME's word.  */

static inline bool
nothing_else (const struct gomp_fold_id *me)
{
  const struct gomp_fold_carrier *c = me->on;
  const struct gomp_fold_worker *w = __atomic_load_n (&c->of,
						      __ATOMIC_RELAXED);

  return (w != NULL && __atomic_load_n (&w->first, __ATOMIC_RELAXED) == NULL
	  && __atomic_load_n (&me->worker, __ATOMIC_RELAXED) == w
	  && !gomp_fold_wanted_p (c));
}

enum gomp_fold_result
gomp_fold_wait (struct gomp_fold_id *me, int *addr, int val,
		enum gomp_fold_way way, unsigned long long spins)
{
  const struct gomp_fold_crew *crew
    = __atomic_load_n (&me->worker, __ATOMIC_RELAXED)->crew;
  unsigned long long looks = spins;

  me->addr = addr;
  me->val = val;
  me->way = way;
  me->timed_out = false;
  for (;;)
    {
      if (__atomic_load_n (addr, __ATOMIC_RELAXED) != val)
	return GOMP_FOLD_LOOK;
      if (__builtin_expect (!gomp_fold_carried_p (crew), 0))
	return GOMP_FOLD_ALONE;
      if ((spins - looks) % STEAL_LOOKS == STEAL_LOOKS - 1 && help (me))
	{
	  looks = spins;
	  continue;
	}
      if (looks != 0 && nothing_else (me))
	looks--;
      else
	switch (take_step (me, looks))
	  {
	  case DONE:
	    return GOMP_FOLD_WAITED;
	  case WAS_DOWN:
	    if (me->timed_out)
	      return GOMP_FOLD_WAITED;
	    looks = spins;
	    continue;
	  case SLEPT:
	    continue;
	  case IDLE:
	    looks -= looks != 0;
	    break;
	  }
      gomp_fold_relax ();
    }
}

bool
gomp_fold_yield (struct gomp_fold_id *me)
{
  const struct gomp_fold_crew *crew
    = __atomic_load_n (&me->worker, __ATOMIC_RELAXED)->crew;

  me->addr = NULL;
  me->way = GOMP_FOLD_YIELD;
  me->timed_out = false;
  return gomp_fold_carried_p (crew) && take_step (me, 0) == WAS_DOWN;
}
