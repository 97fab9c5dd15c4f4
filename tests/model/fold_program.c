/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fold_program.h"

struct fold_world fold_world;
unsigned fold_spins;

/* Wait as long as *ADDR is VAL; those who change it wake sleepers.  */

static void
wait_while (unsigned id, int *addr, int val)
{
  if (gomp_fold_wait (&fold_world.id[id], addr, val, GOMP_FOLD_SLEEP,
		      fold_spins) == GOMP_FOLD_ALONE)
    gomp_fold_sleep (addr, val);
}

static void
barrier (unsigned id)
{
  struct fold_world *w = &fold_world;
  int generation = __atomic_load_n (&w->generation, __ATOMIC_ACQUIRE);

  if (__atomic_add_fetch (&w->awaited, -1, __ATOMIC_ACQ_REL) == -FOLD_IDS)
    {
      __atomic_fetch_add (&w->awaited, FOLD_IDS, __ATOMIC_RELAXED);
      __atomic_store_n (&w->generation, generation + 1, __ATOMIC_RELEASE);
      fold_wake_all (&w->generation);
    }
  else
    do
      wait_while (id, &w->generation, generation);
    while (__atomic_load_n (&w->generation, __ATOMIC_ACQUIRE) == generation);
}

void
fold_one_barrier (unsigned id)
{
  fold_world.done[id]++;
  barrier (id);
  fold_world.done[id]++;
  gomp_fold_leave (&fold_world.id[id]);
}

void
fold_barriers (unsigned id)
{
  barrier (id);
  fold_one_barrier (id);
}

/* A mutex as libgomp's: 1 is locked, -1 locked and waited for.  */

static void
lock (unsigned id)
{
  int *mutex = &fold_world.mutex;
  int old = 0;

  if (__atomic_compare_exchange_n (mutex, &old, 1, false, __ATOMIC_ACQUIRE,
				   __ATOMIC_RELAXED))
    return;
  if (old == 1
      && gomp_fold_wait (&fold_world.id[id], mutex, 1, GOMP_FOLD_SPIN,
			 fold_spins) == GOMP_FOLD_LOOK)
    {
      old = 0;
      if (__atomic_compare_exchange_n (mutex, &old, 1, false,
				       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
	return;
    }
  while (__atomic_exchange_n (mutex, -1, __ATOMIC_ACQUIRE) != 0)
    wait_while (id, mutex, -1);
}

static void
unlock (void)
{
  if (__atomic_exchange_n (&fold_world.mutex, 0, __ATOMIC_RELEASE) < 0)
    gomp_fold_wake (&fold_world.mutex);
}

void
fold_mutex (unsigned id)
{
  lock (id);
  fold_world.guarded++;
  unlock ();
  fold_world.done[id]++;
  barrier (id);
  fold_world.done[id]++;
  gomp_fold_leave (&fold_world.id[id]);
}

/* Id 0 ends while others wait for what id 2 says.  */

void
fold_end_early (unsigned id)
{
  struct fold_world *w = &fold_world;

  if (id == 2)
    {
      __atomic_store_n (&w->flag, 1, __ATOMIC_RELEASE);
      fold_wake_all (&w->flag);
    }
  else
    while (__atomic_load_n (&w->flag, __ATOMIC_ACQUIRE) == 0)
      wait_while (id, &w->flag, 0);
  w->done[id] = 2;
  gomp_fold_leave (&w->id[id]);
}

/* Id 0 waits for the flag and id 1 for the mutex, which a thread beside the ids
   has locked.  */

void
fold_two_words (unsigned id)
{
  struct fold_world *w = &fold_world;

  if (id == 0)
    while (__atomic_load_n (&w->flag, __ATOMIC_ACQUIRE) == 0)
      wait_while (id, &w->flag, 0);
  else if (id == 1)
    {
      lock (id);
      unlock ();
    }
  w->done[id] = 2;
  gomp_fold_leave (&w->id[id]);
}

/* Ids 0 and 1, which take turns, meet outside of libgomp: the first one keeps the
   turn.  They come to an end only if another thread wakes or disbands.  */

void
fold_outside (unsigned id)
{
  struct fold_world *w = &fold_world;

  if (id == 2)
    {
      __atomic_store_n (&w->flag, 1, __ATOMIC_RELEASE);
      fold_wake_all (&w->flag);
    }
  else
    {
      while (__atomic_load_n (&w->flag, __ATOMIC_ACQUIRE) == 0)
	wait_while (id, &w->flag, 0);
      gomp_fold_yield (&w->id[id]);
      if (__atomic_add_fetch (&w->awaited, 1, __ATOMIC_ACQ_REL) == 2)
	{
	  __atomic_store_n (&w->generation, 1, __ATOMIC_RELEASE);
	  fold_wake_all (&w->generation);
	}
      else
	while (__atomic_load_n (&w->generation, __ATOMIC_ACQUIRE) == 0)
	  gomp_fold_sleep (&w->generation, 0);
    }
  w->done[id] = 2;
  gomp_fold_leave (&w->id[id]);
}

/* Id 0 goes from worker 0 to worker 1, whose id 2 waits for it.  */

void
fold_move (unsigned id)
{
  struct fold_world *w = &fold_world;

  if (id == 0)
    {
      wait_while (id, &w->flag, 0);
      gomp_fold_leave (&w->id[0]);
      gomp_fold_join (&w->id[0], &w->worker[1], 1);
      while (__atomic_load_n (&w->mutex, __ATOMIC_ACQUIRE) == 0)
	wait_while (id, &w->mutex, 0);
      __atomic_store_n (&w->generation, 1, __ATOMIC_RELEASE);
      fold_wake_all (&w->generation);
    }
  else if (id == 2)
    while (__atomic_load_n (&w->generation, __ATOMIC_ACQUIRE) == 0)
      wait_while (id, &w->generation, 0);
  w->done[id] = 2;
  gomp_fold_leave (&w->id[id]);
}

void
fold_wake_moving (void)
{
  struct fold_world *w = &fold_world;

  __atomic_store_n (&w->flag, 1, __ATOMIC_RELEASE);
  fold_wake_all (&w->flag);
  gomp_fold_wake_early (&w->worker[0]);
  __atomic_store_n (&w->mutex, 1, __ATOMIC_RELEASE);
  fold_wake_all (&w->mutex);
}

void
fold_disband_and_unlock (void)
{
  gomp_fold_disband (&fold_world.worker[0]);
  unlock ();
  __atomic_store_n (&fold_world.flag, 1, __ATOMIC_RELEASE);
  fold_wake_all (&fold_world.flag);
}

void
fold_yield (unsigned id)
{
  gomp_fold_yield (&fold_world.id[id]);
  fold_world.done[id]++;
  barrier (id);
  gomp_fold_yield (&fold_world.id[id]);
  fold_world.done[id]++;
  gomp_fold_leave (&fold_world.id[id]);
}

void
fold_wake_early (void)
{
  gomp_fold_wake_early (&fold_world.worker[0]);
}

void
fold_disband (void)
{
  gomp_fold_disband (&fold_world.worker[0]);
}
