/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which virtual CPU a thread is on.  */

#define _GNU_SOURCE 1
#include <sched.h>
#include "libgomp.h"
#include "pool.h"
#include "proc.h"
#include "baton.h"
#include "virtual.h"

unsigned
gomp_virtual_cpus (void)
{
  return gomp_virtual_machine.cpus;
}

int
gomp_virtual_cpu (void)
{
  struct gomp_virtual_thread *me = gomp_virtual_self ();
  return me != NULL ? (int) me->cpu : 0;
}

/* The number among all threads of nested teams of the thread in TS: the
   threads of one team are as far apart as the team around it is large, so
   that the teams of the first threads do not share CPUs.  */

static unsigned
number_of (const struct gomp_team_state *ts)
{
  unsigned number = ts->team_id;

  for (const struct gomp_team *team = ts->team; team != NULL;)
    {
      const struct gomp_team_state *outer = &team->prev_ts;

      team = outer->team;
      if (team != NULL)
	number = number * team->nthreads + outer->team_id;
    }
  return number;
}

/* CPU number N, going round, of those in PLACE.  */

static unsigned
cpu_of_place (const cpu_set_t *place, unsigned n)
{
  unsigned count = CPU_COUNT_S (gomp_cpuset_size, place);

  n %= count;
  for (unsigned cpu = 0;; cpu++)
    if (CPU_ISSET_S (cpu, gomp_cpuset_size, place) && n-- == 0)
      return cpu;
}

/* How many threads of the program's own opened teams before the one whose
   threads, its POOL, a thread is one of.  Only called with the lock.  */

static unsigned
number_of_pool (const struct gomp_thread_pool *pool)
{
  enum { POOLS = 64 };
  static const struct gomp_thread_pool *known[POOLS];
  unsigned n = 0;

  if (pool == NULL)
    return 0;
  while (n < POOLS && known[n] != NULL && known[n] != pool)
    n++;
  if (n == POOLS)
    return 0;
  known[n] = pool;
  return n;
}

/* The CPU of THR, by its team number and place; *ORDER is what breaks ties.  A
   thread that has no place is on the CPU of its number: the fastest come
   first.  */

static unsigned
choose_cpu (const struct gomp_thread *thr, unsigned *order)
{
  *order = number_of (&thr->ts) + number_of_pool (thr->thread_pool);
  if (thr->place != 0 && gomp_places_list != NULL)
    return cpu_of_place (gomp_places_list[thr->place - 1], *order);
  return *order % gomp_virtual_machine.cpus;
}

void
gomp_virtual_settle (struct gomp_virtual_thread *thread)
{
  const struct gomp_thread *thr = thread->thr;
  const struct gomp_team *team = thr->ts.team;

  /* A thread in its pool still has the team that it was in last, which may
     have been freed.  */
  if (team == thread->team && thr->ts.team_id == thread->team_id
      && thr->place == thread->place)
    return;
  thread->team = team;
  thread->team_id = thr->ts.team_id;
  thread->place = thr->place;
  thread->parallel = team != NULL && team->nthreads > 1;
  thread->cpu = choose_cpu (thr, &thread->order);
}
