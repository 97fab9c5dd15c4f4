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

/* The number of TS's thread among all threads of the nested teams.  The numbers
   of a team's threads are as far apart as the team around it is large, so that
   the teams of the outer team's first threads do not share CPUs.  */

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

/* CPU number N of PLACE; N wraps around.  */

static unsigned
cpu_of_place (const cpu_set_t *place, unsigned n)
{
  unsigned count = CPU_COUNT_S (gomp_cpuset_size, place);

  n %= count;
  for (unsigned cpu = 0;; cpu++)
    if (CPU_ISSET_S (cpu, gomp_cpuset_size, place) && n-- == 0)
      return cpu;
}

/* The number of POOL: how many of the program's own threads opened teams before
   the thread that POOL belongs to; 0 beyond POOLS of them.  With the lock.  */

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

/* The CPU of THR, by its number and place.  A thread without a place is on the
   CPU with its number; the fastest CPUs have the lowest numbers.  *ORDER is the
   thread's number, which breaks ties.  */

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

  /* Do not read TEAM if it is still the same: a thread in its pool keeps the
     pointer to its last team, which may have been freed.  */
  if (team == thread->team && thr->ts.team_id == thread->team_id
      && thr->place == thread->place)
    return;
  thread->team = team;
  thread->team_id = thr->ts.team_id;
  thread->place = thr->place;
  thread->parallel = team != NULL && team->nthreads > 1;
  thread->cpu = choose_cpu (thr, &thread->order);
}
