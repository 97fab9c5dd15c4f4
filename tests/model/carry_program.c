/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "carry_program.h"

struct carry_world carry_world;
unsigned carry_spins;

/* As fold.c's.  */

struct gomp_fold_carrier *
gomp_fold_choose_parked (const struct gomp_fold_worker *worker,
			 struct gomp_fold_id *for_id)
{
  (void) worker;
  if (gomp_fold_choose (&for_id->own))
    return &for_id->own;
  for (unsigned i = 0; i < CARRY_IDS; i++)
    if (!carry_world.ended[i] && gomp_fold_choose (&carry_world.id[i].own))
      return &carry_world.id[i].own;
  return NULL;
}

void
gomp_fold_place (struct gomp_fold_carrier *c,
		 const struct gomp_fold_worker *worker, bool watching)
{
  (void) c, (void) worker, (void) watching;
}

void
gomp_fold_note_carried (struct gomp_fold_id *me)
{
  (void) me;
}

/* The library's code calls these.  A context is saved before another one is
   picked up, and not earlier: others come in between.  */

void
carry_change (struct gomp_fold_id *from, struct gomp_fold_id *to,
	      struct gomp_fold_carrier *c)
{
  gomp_fold_relax ();
  carry_check_change (from, to);
  gomp_fold_change (from, to, c);
}

void
carry_leave (struct gomp_fold_id *from, struct gomp_fold_carrier *c)
{
  carry_check_change (from, NULL);
  gomp_fold_leave (from, c);
}

void
carry_wake_carrier (struct gomp_fold_carrier *c)
{
  carry_check_change (NULL, c->given);
  gomp_fold_wake_carrier (c);
}

/* As fold.c's wait_alone without spins.  */

static void
wait_alone (struct gomp_fold_id *me, int *addr, int val)
{
  struct gomp_fold_carrier *on = me->on;
  struct gomp_fold_word list[2];

  if (on == &me->own)
    {
      gomp_fold_sleep (addr, val);
      return;
    }
  list[0] = (struct gomp_fold_word) { addr, val };
  list[1] = (struct gomp_fold_word)
    { &on->calls, __atomic_load_n (&on->calls, __ATOMIC_ACQUIRE) };
  gomp_fold_vacate (me);
  if (me->on == on)
    gomp_fold_sleep_any (list, 2, false);
}

/* Wait as long as *ADDR is VAL.  Returns whether that only spun.  */

static bool
wait_while (unsigned id, int *addr, int val, enum gomp_fold_way way)
{
  struct gomp_fold_id *me = &carry_world.id[id];
  enum gomp_fold_result result
    = gomp_fold_wait (me, addr, val, way, carry_spins);

  if (result == GOMP_FOLD_ALONE && way == GOMP_FOLD_SLEEP)
    wait_alone (me, addr, val);
  carry_check_runs (id);
  return result != GOMP_FOLD_LOOK;
}

/* Wait for a word to change from VAL; those who change it wake sleepers.  */

static void
await (unsigned id, int *addr, int val)
{
  while (__atomic_load_n (addr, __ATOMIC_ACQUIRE) == val)
    wait_while (id, addr, val, GOMP_FOLD_SLEEP);
}

/* The last one at the barrier does LAST.  */

static void
barrier (unsigned id, void (*last) (void))
{
  struct carry_world *w = &carry_world;
  int generation = __atomic_load_n (&w->generation, __ATOMIC_ACQUIRE);

  if (__atomic_add_fetch (&w->awaited, -1, __ATOMIC_ACQ_REL) == -CARRY_IDS)
    {
      __atomic_fetch_add (&w->awaited, CARRY_IDS, __ATOMIC_RELAXED);
      if (last != NULL)
	last ();
      __atomic_store_n (&w->generation, generation + 1, __ATOMIC_RELEASE);
      carry_wake_all (&w->generation);
    }
  else
    await (id, &w->generation, generation);
}

/* The part of ID, which is in its team for the first time, begins.  As
   fold-team.c has it for id 0, and fold.c for the others.  */

static void
begin (unsigned id)
{
  struct gomp_fold_id *me = &carry_world.id[id];

  if (id == 0)
    gomp_fold_take_over (me);
  else if (__atomic_load_n (&me->on->of, __ATOMIC_RELAXED) == NULL)
    gomp_fold_yield (me);
  carry_check_runs (id);
}

/* Its thread ends, as gomp_fold_end_thread has it.  */

static void
end (unsigned id)
{
  struct gomp_fold_id *me = &carry_world.id[id];

  gomp_fold_go_home (me);
  gomp_fold_resign (me);
  carry_check_runs (id);
  carry_world.ended[id] = true;
}

void
carry_barriers (unsigned id)
{
  begin (id);
  carry_world.done[id]++;
  barrier (id, NULL);
  carry_world.done[id]++;
  end (id);
}

/* A mutex as libgomp's: 1 is locked, -1 locked and waited for.  */

static void
lock (unsigned id)
{
  int *mutex = &carry_world.mutex;
  int old = 0;

  if (__atomic_compare_exchange_n (mutex, &old, 1, false, __ATOMIC_ACQUIRE,
				   __ATOMIC_RELAXED))
    return;
  if (old == 1 && !wait_while (id, mutex, 1, GOMP_FOLD_SPIN))
    {
      old = 0;
      if (__atomic_compare_exchange_n (mutex, &old, 1, false,
				       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
	return;
    }
  while (__atomic_exchange_n (mutex, -1, __ATOMIC_ACQUIRE) != 0)
    wait_while (id, mutex, -1, GOMP_FOLD_SLEEP);
}

static void
unlock (void)
{
  if (__atomic_exchange_n (&carry_world.mutex, 0, __ATOMIC_RELEASE) < 0)
    gomp_fold_wake (&carry_world.mutex);
}

void
carry_mutex (unsigned id)
{
  begin (id);
  lock (id);
  carry_world.guarded++;
  unlock ();
  carry_world.done[id] += 2;
  end (id);
}

/* Id 1 sleeps outside of libgomp until id 0 says that it may go on, which waits
   for id 2 before.  */

void
carry_outside (unsigned id)
{
  struct carry_world *w = &carry_world;

  begin (id);
  if (id == 0)
    {
      await (id, &w->mutex, 0);
      __atomic_store_n (&w->flag, 1, __ATOMIC_RELEASE);
      carry_wake_all (&w->flag);
    }
  else if (id == 1)
    while (__atomic_load_n (&w->flag, __ATOMIC_ACQUIRE) == 0)
      gomp_fold_sleep (&w->flag, 0);
  else
    {
      __atomic_store_n (&w->mutex, 1, __ATOMIC_RELEASE);
      carry_wake_all (&w->mutex);
    }
  w->done[id]++;
  barrier (id, NULL);
  w->done[id]++;
  end (id);
}

void
carry_yields (unsigned id)
{
  begin (id);
  gomp_fold_yield (&carry_world.id[id]);
  carry_check_runs (id);
  carry_barriers (id);
}

static void
move_first (void)
{
  gomp_fold_deal (&carry_world.id[1], &carry_world.worker[1]);
}

/* Id 1 gets another worker, and waits there.  */

void
carry_moves (unsigned id)
{
  begin (id);
  barrier (id, move_first);
  carry_barriers (id);
}

/* Id 0 goes home at the end of a region, and begins another one.  */

void
carry_regions (unsigned id)
{
  struct carry_world *w = &carry_world;

  begin (id);
  barrier (id, NULL);
  if (id == 0)
    {
      gomp_fold_go_home (&w->id[0]);
      carry_check_runs (0);
      gomp_fold_take_over (&w->id[0]);
      __atomic_store_n (&w->flag, 1, __ATOMIC_RELEASE);
      carry_wake_all (&w->flag);
    }
  else
    await (id, &w->flag, 0);
  w->done[id] += 2;
  end (id);
}

void
carry_watch (void)
{
  gomp_fold_relieve (&carry_world.worker[0]);
  for (bool any = true; any;)
    {
      any = false;
      carry_wait_until_quiet ();
      for (unsigned n = 0; n < CARRY_WORKERS; n++)
	any |= gomp_fold_relieve (&carry_world.worker[n]);
    }
}

void
carry_release (void)
{
  __atomic_exchange_n (&carry_world.crew.mode, GOMP_FOLD_FREE,
		       __ATOMIC_SEQ_CST);
  gomp_fold_release (&carry_world.crew);
}
