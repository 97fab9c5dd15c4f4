/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which virtual CPU a thread is on.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libgomp.h"
#include "pool.h"
#include "proc.h"
#include "clocks.h"
#include "conductor.h"
#include "ready.h"
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

/* CPU number N of PLACE, a set of SIZE bytes; N wraps around.  */

static unsigned
cpu_of_place (const cpu_set_t *place, size_t size, unsigned n)
{
  unsigned count = CPU_COUNT_S (size, place);

  n %= count;
  for (unsigned cpu = 0;; cpu++)
    if (CPU_ISSET_S (cpu, size, place) && n-- == 0)
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

/* The CPU of THREAD, by its number, and its mask or place.  A thread without
   both is on the CPU with its number; the fastest CPUs have the lowest
   numbers.  */

unsigned
gomp_virtual_choose_cpu (const struct gomp_virtual_thread *thread)
{
  size_t size = sizeof thread->mask;
  cpu_set_t set;

  if (thread->bound)
    set = thread->mask;
  else if (thread->place != 0 && gomp_places_list != NULL)
    {
      size = gomp_cpuset_size < size ? gomp_cpuset_size : size;
      CPU_ZERO (&set);
      memcpy (&set, gomp_places_list[thread->place - 1], size);
    }
  else
    {
      CPU_ZERO (&set);
      for (unsigned cpu = 0; cpu < gomp_virtual_machine.cpus; cpu++)
	CPU_SET (cpu, &set);
    }
  gomp_virtual_confine (sizeof set, &set);
  return cpu_of_place (&set, sizeof set, thread->order);
}

void
gomp_virtual_settle (struct gomp_virtual_thread *thread)
{
  const struct gomp_thread *thr = thread->thr;
  const struct gomp_team *team = thr->ts.team;
  bool same = (team == thread->team && thr->ts.team_id == thread->team_id
	       && thr->place == thread->place);

  if (same && !thread->unsettled)
    return;
  thread->unsettled = false;
  /* Do not read TEAM if it is still the same: a thread in its pool keeps the
     pointer to its last team, which may have been freed.  */
  if (!same)
    {
      thread->team = team;
      thread->team_id = thr->ts.team_id;
      thread->place = thr->place;
      if (thread->first
	  && thread->parallel != (team != NULL && team->nthreads > 1))
	gomp_virtual_end_part (thread->clock, thread->parallel);
      thread->parallel = team != NULL && team->nthreads > 1;
      /* The thread's number, which breaks ties.  */
      thread->order = number_of (&thr->ts);
      thread->order += number_of_pool (thr->thread_pool);
    }
  thread->cpu = gomp_virtual_choose_cpu (thread);
  gomp_virtual_go_on (thread);
}

int
gomp_virtual_getaffinity (pid_t tid, size_t size, void *set)
{
  const struct gomp_virtual_thread *thread;
  unsigned cpus = gomp_virtual_machine.cpus;

  if (size * 8 < cpus)
    {
      errno = EINVAL;
      return -1;
    }
  memset (set, 0, size);
  pthread_mutex_lock (&gomp_virtual_lock);
  thread = gomp_virtual_find (tid != 0 ? tid : syscall (SYS_gettid));
  for (unsigned cpu = 0; cpu < cpus; cpu++)
    if (thread == NULL || !thread->bound
	|| CPU_ISSET_S (cpu, sizeof thread->mask, &thread->mask))
      CPU_SET_S (cpu, size, (cpu_set_t *) set);
  /* As under ampd, a program takes its number of threads from all CPUs.  */
  if (gomp_virtual_limit >= GOMP_VIRTUAL_SEEN_NS)
    gomp_virtual_confine (size, set);
  pthread_mutex_unlock (&gomp_virtual_lock);
  return 0;
}

/* ME, the calling thread or NULL if that is none of virtual time, has given
   THREAD another mask.  If THREAD does not run it moves at once: what it did
   after ME's clock it did on its new CPU.  One that runs finds its CPU when it
   meets the others.  */

static void
move_other (const struct gomp_virtual_thread *me,
	    struct gomp_virtual_thread *thread)
{
  if (me == NULL)
    return;
  if (thread->state == GOMP_VIRTUAL_ASLEEP)
    gomp_virtual_settle (thread);
  else if (thread->state == GOMP_VIRTUAL_READY)
    {
      gomp_virtual_remove_ready (thread);
      gomp_virtual_move (thread, me->clock, gomp_virtual_choose_cpu (thread));
      gomp_virtual_add_ready (thread);
    }
}

int
gomp_virtual_setaffinity (pid_t tid, size_t size, const void *set)
{
  struct gomp_virtual_thread *me = NULL, *thread;

  if (tid == 0 || gomp_virtual_joined ())
    me = gomp_virtual_begin ();
  if (me == NULL)
    pthread_mutex_lock (&gomp_virtual_lock);
  thread = tid == 0 ? me : gomp_virtual_find (tid);
  if (thread != NULL)
    {
      unsigned cpus = 0;

      CPU_ZERO (&thread->mask);
      for (unsigned cpu = 0;
	   cpu < gomp_virtual_machine.cpus && cpu < size * 8; cpu++)
	if (CPU_ISSET_S (cpu, size, (const cpu_set_t *) set))
	  {
	    CPU_SET (cpu, &thread->mask);
	    cpus++;
	  }
      thread->bound = cpus != 0 && cpus != gomp_virtual_machine.cpus;
      thread->unsettled = true;
    }
  /* Do not pass the baton: the caller may hold a lock that virtual time does
     not see.  The thread waits for its new CPU at its next meeting.  */
  if (thread == me && me != NULL)
    gomp_virtual_settle (me);
  else if (thread != NULL)
    move_other (me, thread);
  if (me != NULL)
    gomp_virtual_end (me);
  else
    pthread_mutex_unlock (&gomp_virtual_lock);
  return 0;
}
