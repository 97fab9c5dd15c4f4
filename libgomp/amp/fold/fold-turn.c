/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Hands turns from id to id.  The rules are in fold-turn.h.  */

#include <stddef.h>
#include "fold/fold-turn.h"
#include "fold/fold-kernel.h"

/* How often a thread that found nothing to run looks at its own word before it
   looks for other ids again.  */
#ifndef GOMP_FOLD_LOOKS
# define GOMP_FOLD_LOOKS 16
#endif

enum want
{
  /* Its word has changed.  */
  ABLE,
  /* It waits by GOMP_FOLD_SPIN.  */
  SPINNING,
  ANY
};

/* Whether an id that waits by WAY waits for a word whose writers wake
   sleepers.  */

static inline bool
sleeps (enum gomp_fold_way way)
{
  return way == GOMP_FOLD_SLEEP || way == GOMP_FOLD_DOCK;
}

static inline bool
changed (int *addr, int val)
{
  return __atomic_load_n (addr, __ATOMIC_ACQUIRE) != val;
}

/* Give WHAT, a state, to ID, which the caller has claimed.  ID's thread may be
   gone before it is woken; then only that wake is lost.  */

static inline void
give (struct gomp_fold_id *id, enum gomp_fold_state what)
{
  __atomic_store_n (&id->state, what, __ATOMIC_RELEASE);
  gomp_fold_wake (&id->state);
}

/* Claim ID if it is parked and of worker W.  */

static inline bool
claim (struct gomp_fold_id *id, const struct gomp_fold_worker *w)
{
  int parked = GOMP_FOLD_PARKED;

  /* Relaxed: a guess, which saves the exchange.  */
  if (__atomic_load_n (&id->state, __ATOMIC_RELAXED) != parked
      || !__atomic_compare_exchange_n (&id->state, &parked,
				       GOMP_FOLD_CLAIMED, false,
				       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  if (__builtin_expect (id->worker == w, 1))
    return true;
  /* It has changed its worker since the caller found it in a slot of W.  A
     thread that looked for an id there may have skipped it.  */
  give (id, GOMP_FOLD_BESIDE);
  return false;
}

/* Claim ID even if another thread has claimed it and puts it back.  Returns
   false if it is not parked.  */

static bool
claim_surely (struct gomp_fold_id *id, const struct gomp_fold_worker *w)
{
  int state;

  while ((state = __atomic_load_n (&id->state, __ATOMIC_RELAXED))
	   == GOMP_FOLD_PARKED
	 || state == GOMP_FOLD_CLAIMED)
    {
      if (claim (id, w))
	return true;
      gomp_fold_relax ();
    }
  return false;
}

/* Whether ID, which the caller has claimed, can run.  One at the dock can
   answer if its worker was rung for.  Relaxed: it acquires then.  */

static inline bool
able (const struct gomp_fold_id *id)
{
  return (id->way == GOMP_FOLD_YIELD || changed (id->addr, id->val)
	  || (id->way == GOMP_FOLD_DOCK
	      && (__atomic_load_n (&id->worker->word, __ATOMIC_RELAXED)
		  & GOMP_FOLD_RUNG)));
}

static inline void
put_back (struct gomp_fold_id *id)
{
  __atomic_store_n (&id->state, GOMP_FOLD_PARKED, __ATOMIC_RELEASE);
}

/* ID's thread, the calling one, holds the turn now.  */

static inline void
hold (struct gomp_fold_id *id)
{
  id->turn = true;
  __atomic_store_n (&id->worker->holder, id, __ATOMIC_RELAXED);
}

/* Claim the next id of W after SLOT, in turn, that is as WANTed.  NULL if there
   is none.  */

static struct gomp_fold_id *
claim_next (struct gomp_fold_worker *w, unsigned slot, enum want want)
{
  for (unsigned n = w->slots; n != 0; n--)
    {
      slot = slot + 1 < w->slots ? slot + 1 : 0;
      struct gomp_fold_id *id = __atomic_load_n (&w->id[slot],
						 __ATOMIC_ACQUIRE);
      if (id == NULL || !claim (id, w))
	continue;
      if (want == ANY
	  || (want == ABLE ? able (id) : id->way == GOMP_FOLD_SPIN))
	return id;
      put_back (id);
    }
  return NULL;
}

/* Whether all ids of W but ME are parked.  If not, one runs beside the turn, on
   the same core, or will soon.  Relaxed: a guess.  */

static bool
alone (const struct gomp_fold_worker *w, const struct gomp_fold_id *me)
{
  for (unsigned slot = 0; slot < w->slots; slot++)
    {
      const struct gomp_fold_id *id = __atomic_load_n (&w->id[slot],
						       __ATOMIC_ACQUIRE);
      if (id == me)
	continue;
      if (id == NULL)
	return false;
      int state = __atomic_load_n (&id->state, __ATOMIC_RELAXED);
      if (state != GOMP_FOLD_PARKED && state != GOMP_FOLD_CLAIMED)
	return false;
    }
  return true;
}

static bool
take_turn (struct gomp_fold_worker *w)
{
  unsigned word = __atomic_load_n (&w->word, __ATOMIC_RELAXED);

  while (!(word & GOMP_FOLD_HELD))
    if (__atomic_compare_exchange_n (&w->word, &word, word | GOMP_FOLD_HELD,
				     true, __ATOMIC_ACQ_REL,
				     __ATOMIC_RELAXED))
      return true;
  return false;
}

/* The caller is responsible for W's turn: pass it on to an id, one that can run
   if there is such, or else to any that is parked, which then waits for the
   others too.  Without a parked id the turn is free.  */

static void
pass_on (struct gomp_fold_worker *w)
{
  for (;;)
    {
      unsigned word = __atomic_load_n (&w->word, __ATOMIC_ACQUIRE);
      struct gomp_fold_id *id = claim_next (w, 0, ABLE);

      if (id == NULL)
	id = claim_next (w, 0, ANY);
      if (id != NULL)
	{
	  give (id, GOMP_FOLD_TURN);
	  return;
	}
      if (__atomic_compare_exchange_n (&w->word, &word, word & ~GOMP_FOLD_HELD,
				       false, __ATOMIC_ACQ_REL,
				       __ATOMIC_RELAXED))
	return;
    }
}

/* An id of W became PARKED, and a thread that looked for one may have missed
   it.  Returns the word as it was.  */

static unsigned
announce (struct gomp_fold_worker *w)
{
  unsigned word = __atomic_fetch_add (&w->word, GOMP_FOLD_EVENT,
				      __ATOMIC_ACQ_REL);

  if (!(word & GOMP_FOLD_HELD))
    {
      if (take_turn (w))
	pass_on (w);
    }
  else if (word & GOMP_FOLD_ASLEEP)
    gomp_fold_wake ((int *) &w->word);
  return word;
}

/* ID's thread is about to sleep.  From here on others may run it.  */

static inline void
park (struct gomp_fold_id *id, int *addr, int val, enum gomp_fold_way way)
{
  id->addr = addr;
  id->val = val;
  id->way = way;
  id->turn = false;
  __atomic_store_n (&id->state, GOMP_FOLD_PARKED, __ATOMIC_RELEASE);
}

/* Sleep until ID, which the calling thread has parked, is given something.
   Returns what.  */

static enum gomp_fold_state
sleep (struct gomp_fold_id *id)
{
  int state;

  while ((state = __atomic_load_n (&id->state, __ATOMIC_ACQUIRE))
	   == GOMP_FOLD_PARKED
	 || state == GOMP_FOLD_CLAIMED)
    gomp_fold_sleep (&id->state, state);
  /* Relaxed: no other thread changes the state of an id that runs, or reads the
     word that it waits for.  */
  __atomic_store_n (&id->state, GOMP_FOLD_RUNS, __ATOMIC_RELAXED);
  if (state != GOMP_FOLD_BESIDE)
    hold (id);
  return state;
}

/* Add WORD to the COUNT in LIST, unless it is there or LIST is full.  Returns
   how many there are now.  */

static unsigned
add_word (struct gomp_fold_word *list, unsigned count, int *addr, int val)
{
  for (unsigned i = 0; i < count; i++)
    if (list[i].addr == addr && list[i].val == val)
      return count;
  if (count < GOMP_FOLD_MAX_WORDS)
    {
      list[count].addr = addr;
      list[count].val = val;
    }
  return count + 1;
}

/* The caller holds W's turn and has slept on the COUNT words of LIST.  The
   writer of one of them may have woken this thread instead of one that sleeps
   on the same word elsewhere: wake that one.  Not where an id still waits for
   the word as it is: no id can go on by it, and its next writer will wake
   again.  */

static void
pass_wakes_on (struct gomp_fold_worker *w, struct gomp_fold_word *list,
	       unsigned count)
{
  for (unsigned slot = 0; slot < w->slots; slot++)
    {
      struct gomp_fold_id *id = __atomic_load_n (&w->id[slot],
						 __ATOMIC_ACQUIRE);

      if (id == NULL || !claim (id, w))
	continue;
      if (sleeps (id->way) && !able (id))
	for (unsigned i = 2; i < count; i++)
	  if (list[i].addr == id->addr && list[i].val == id->val)
	    list[i].addr = NULL;
      put_back (id);
    }
  for (unsigned i = 2; i < count; i++)
    if (list[i].addr != NULL)
      gomp_fold_wake (list[i].addr);
}

/* ME, which holds the turn, waits until *ADDR is not VAL, and no id of its
   worker can run: sleep until one may.  */

static void
sleep_for_all (struct gomp_fold_id *me, int *addr, int val,
	       enum gomp_fold_way way)
{
  struct gomp_fold_worker *w = me->worker;
  struct gomp_fold_word list[GOMP_FOLD_MAX_WORDS];
  unsigned count, word = __atomic_load_n (&w->word, __ATOMIC_ACQUIRE);

  count = add_word (list, 0, (int *) &w->word, word | GOMP_FOLD_ASLEEP);
  count = add_word (list, count, addr, val);
  for (unsigned slot = 0; slot < w->slots; slot++)
    {
      struct gomp_fold_id *id = __atomic_load_n (&w->id[slot],
						 __ATOMIC_ACQUIRE);
      if (id == NULL || !claim (id, w))
	/* One that parks from now on, or is put back, changes the word.  */
	continue;
      bool wait = sleeps (id->way) && !able (id);
      if (wait)
	count = add_word (list, count, id->addr, id->val);
      put_back (id);
      if (!wait)
	return;
    }
  if (word & (way == GOMP_FOLD_DOCK ? GOMP_FOLD_DISBANDED | GOMP_FOLD_RUNG
	      : GOMP_FOLD_DISBANDED)
      || !__atomic_compare_exchange_n (&w->word, &word,
				       word | GOMP_FOLD_ASLEEP, false,
				       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  bool all = count <= GOMP_FOLD_MAX_WORDS;
  if (!all)
    count = GOMP_FOLD_MAX_WORDS;
  gomp_fold_sleep_any (list, count, !all);
  __atomic_fetch_and (&w->word, ~GOMP_FOLD_ASLEEP, __ATOMIC_ACQ_REL);
  if (count > 2)
    pass_wakes_on (w, list, count);
}

void
gomp_fold_join (struct gomp_fold_id *id, struct gomp_fold_worker *worker,
		unsigned slot)
{
  id->worker = worker;
  id->slot = slot;
  id->turn = false;
  __atomic_store_n (&id->state, GOMP_FOLD_RUNS, __ATOMIC_RELAXED);
  __atomic_store_n (&worker->id[slot], id, __ATOMIC_RELEASE);
}

void
gomp_fold_leave (struct gomp_fold_id *id)
{
  struct gomp_fold_worker *w = id->worker;

  __atomic_store_n (&w->id[id->slot], NULL, __ATOMIC_RELEASE);
  if (id->turn)
    {
      id->turn = false;
      pass_on (w);
    }
}

/* Whether ME's worker was disbanded.  ME passes the turn on then, so that every
   id that is parked still gets it.  Relaxed: an id that parks finds out.  */

static inline bool
disbanded (struct gomp_fold_id *me)
{
  if (__builtin_expect (!(__atomic_load_n (&me->worker->word, __ATOMIC_RELAXED)
			  & GOMP_FOLD_DISBANDED), 1))
    return false;
  if (me->turn)
    {
      me->turn = false;
      pass_on (me->worker);
    }
  return true;
}

/* ME was PARKED when its worker was disbanded already, so that perhaps no other
   thread looks at it any more.  Returns what it is given.  */

static enum gomp_fold_state
unpark (struct gomp_fold_id *me)
{
  if (!claim_surely (me, me->worker))
    return sleep (me);
  __atomic_store_n (&me->state, GOMP_FOLD_RUNS, __ATOMIC_RELAXED);
  return GOMP_FOLD_BESIDE;
}

/* ME, which runs beside the turn, is to wait.  Returns whether it holds the
   turn now; if not, *STATE is what it was given.  */

static bool
park_beside (struct gomp_fold_id *me, int *addr, int val,
	     enum gomp_fold_way way, enum gomp_fold_state *state)
{
  if (take_turn (me->worker))
    {
      hold (me);
      return true;
    }
  park (me, addr, val, way);
  *state = (announce (me->worker) & GOMP_FOLD_DISBANDED ? unpark (me)
	    : sleep (me));
  return false;
}

/* ME, which holds the turn, waits as gomp_fold_wait says.  Give the turn, or
   WHAT comes with it, to OTHER, which ME has claimed, and sleep.  Returns what
   ME is given.  */

static enum gomp_fold_state
hand_over (struct gomp_fold_id *me, struct gomp_fold_id *other,
	   enum gomp_fold_state what, int *addr, int val,
	   enum gomp_fold_way way)
{
  park (me, addr, val, way);
  /* If the worker was disbanded before ME was parked, OTHER finds that out and
     passes the turn on, so that ME gets it in the end.  */
  __atomic_fetch_add (&me->worker->word, GOMP_FOLD_EVENT, __ATOMIC_ACQ_REL);
  give (other, what);
  return sleep (me);
}

enum gomp_fold_result
gomp_fold_wait (struct gomp_fold_id *me, int *addr, int val,
		enum gomp_fold_way way, unsigned long long spins)
{
  struct gomp_fold_worker *w = me->worker;
  enum gomp_fold_state state = GOMP_FOLD_TURN;
  unsigned long long left = spins;

  if (disbanded (me))
    return GOMP_FOLD_ALONE;
  if (!me->turn && !park_beside (me, addr, val, way, &state)
      && state == GOMP_FOLD_BESIDE)
    return GOMP_FOLD_LOOK;
  for (;;)
    {
      struct gomp_fold_id *other;
      bool timeout = state == GOMP_FOLD_TIMEOUT;

      if (disbanded (me))
	return GOMP_FOLD_ALONE;
      if (changed (addr, val))
	return GOMP_FOLD_LOOK;
      if (way == GOMP_FOLD_DOCK && gomp_fold_take_ring (w))
	return GOMP_FOLD_CALLED;
      if (timeout)
	return GOMP_FOLD_WAITED;
      state = GOMP_FOLD_TURN;
      other = claim_next (w, me->slot, ABLE);
      /* Spinning would keep the core from an id that runs beside.  */
      if (other == NULL && left != 0 && !alone (w, me))
	left = 0;
      if (other == NULL && left == 0)
	{
	  if (way == GOMP_FOLD_SPIN)
	    return GOMP_FOLD_WAITED;
	  other = claim_next (w, me->slot, SPINNING);
	  state = GOMP_FOLD_TIMEOUT;
	  if (other == NULL)
	    {
	      sleep_for_all (me, addr, val, way);
	      state = GOMP_FOLD_TURN;
	      continue;
	    }
	}
      if (other != NULL)
	{
	  state = hand_over (me, other, state, addr, val, way);
	  if (state == GOMP_FOLD_BESIDE)
	    return GOMP_FOLD_LOOK;
	  left = spins;
	  continue;
	}
      for (unsigned n = 0; n < GOMP_FOLD_LOOKS && left != 0; n++, left--)
	{
	  gomp_fold_relax ();
	  if (changed (addr, val))
	    return GOMP_FOLD_LOOK;
	  if (way == GOMP_FOLD_DOCK && gomp_fold_take_ring (w))
	    return GOMP_FOLD_CALLED;
	}
    }
}

/* ME is to hold the turn.  Returns whether it waited for that, or for its
   worker's end.  */

static bool
wait_for_turn (struct gomp_fold_id *me)
{
  enum gomp_fold_state state;

  if (me->turn || park_beside (me, NULL, 0, GOMP_FOLD_YIELD, &state))
    return false;
  disbanded (me);
  return true;
}

void
gomp_fold_begin (struct gomp_fold_id *me)
{
  if (!disbanded (me))
    wait_for_turn (me);
}

bool
gomp_fold_yield (struct gomp_fold_id *me)
{
  struct gomp_fold_worker *w = me->worker;
  struct gomp_fold_id *other;

  if (disbanded (me))
    return false;
  /* Beside the turn it would keep the core from the id that holds the turn.  */
  if (wait_for_turn (me))
    return true;
  other = claim_next (w, me->slot, ABLE);
  if (other == NULL)
    return false;
  hand_over (me, other, GOMP_FOLD_TURN, NULL, 0, GOMP_FOLD_YIELD);
  disbanded (me);
  return true;
}

bool
gomp_fold_wake_early (struct gomp_fold_worker *worker)
{
  struct gomp_fold_id *id = claim_next (worker, 0, ABLE);

  if (id != NULL)
    give (id, GOMP_FOLD_BESIDE);
  announce (worker);
  return id != NULL;
}

void
gomp_fold_ring (struct gomp_fold_worker *worker)
{
  /* Release: the one that answers acquires it.  */
  unsigned word = __atomic_fetch_or (&worker->word, GOMP_FOLD_RUNG,
				     __ATOMIC_ACQ_REL);

  /* Of several disbanded ids one that wakes says that none sleeps.  */
  if ((word & GOMP_FOLD_ASLEEP)
      || (word & GOMP_FOLD_DISBANDED && worker->slots > 1))
    gomp_fold_wake ((int *) &worker->word);
}

void
gomp_fold_wake_docked (struct gomp_fold_worker *worker)
{
  for (unsigned slot = 0; slot < worker->slots; slot++)
    {
      struct gomp_fold_id *id = __atomic_load_n (&worker->id[slot],
						 __ATOMIC_ACQUIRE);

      if (id == NULL || !claim_surely (id, worker))
	continue;
      if (id->way == GOMP_FOLD_DOCK)
	give (id, GOMP_FOLD_BESIDE);
      else
	put_back (id);
    }
  /* Disbanded ids sleep on the word, and none of them holds the turn.  */
  if (announce (worker) & GOMP_FOLD_DISBANDED)
    for (unsigned slot = 1; slot < worker->slots; slot++)
      gomp_fold_wake ((int *) &worker->word);
}

enum gomp_fold_result
gomp_fold_sleep_docked (struct gomp_fold_worker *worker, int *addr, int val)
{
  struct gomp_fold_word list[2];
  unsigned word = __atomic_fetch_or (&worker->word, GOMP_FOLD_ASLEEP,
				     __ATOMIC_ACQ_REL);

  if (!(word & GOMP_FOLD_RUNG))
    {
      add_word (list, add_word (list, 0, (int *) &worker->word,
				word | GOMP_FOLD_ASLEEP), addr, val);
      gomp_fold_sleep_any (list, 2, false);
    }
  __atomic_fetch_and (&worker->word, ~GOMP_FOLD_ASLEEP, __ATOMIC_ACQ_REL);
  return gomp_fold_take_ring (worker) ? GOMP_FOLD_CALLED : GOMP_FOLD_LOOK;
}

void
gomp_fold_disband (struct gomp_fold_worker *worker)
{
  __atomic_fetch_or (&worker->word, GOMP_FOLD_DISBANDED, __ATOMIC_ACQ_REL);
  for (unsigned slot = 0; slot < worker->slots; slot++)
    {
      struct gomp_fold_id *id = __atomic_load_n (&worker->id[slot],
						 __ATOMIC_ACQUIRE);
      if (id != NULL && claim_surely (id, worker))
	give (id, GOMP_FOLD_BESIDE);
    }
  gomp_fold_wake ((int *) &worker->word);
}
